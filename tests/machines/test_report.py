"""report.html: the page holds what the files hold, byte for byte, whatever is in them."""

import errno
import os
import re
import shutil
import subprocess

import pytest

from machine import BUILD, FILES, Results
from report import runs_of, without_padding
from tool import tool

from mlpboot import files

HOSTED = BUILD / "mlpboot-hosted"
HOSTILE = "</script><b>\"µ-Lab\" & 'Zürich'</b><!-- \\u003c \\ € 💩"
TINY = ["--platform", "model", "--set", "experiments=floor"]


def hosted(*words, cwd=None):
    done = subprocess.run([HOSTED, *map(str, words)], cwd=cwd, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120)
    return done.returncode, done.stdout


def report(*words, cwd=None):
    code, said, complaint = tool("report", *words, cwd=cwd)
    return code, said + complaint


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs of the model in folders of one name, and a third."""
    folder = tmp_path_factory.mktemp("runs")
    for name in ("a/0001", "b/0001", "b/0002"):
        (folder / name).parent.mkdir(exist_ok=True)
        code, said = hosted("run", *TINY, "--set", f"label={HOSTILE} {name}", "--out", folder / name)
        assert code == 0, said
    return folder


def test_a_run_leaves_a_page_of_what_it_saved(runs):
    results = Results.of_folder(runs / "b/0002")
    assert sorted(results.files) == FILES
    assert runs_of(results.files["report.html"]) == {"0002": without_padding(results.files)}
    assert results.run["label"] == f"{HOSTILE} b/0002"
    assert results.run["schema"] == 1
    assert f"label={HOSTILE} b/0002" in results.log[0]


def test_a_run_is_called_by_its_folder_however_that_is_written(tmp_path):
    (tmp_path / "here").mkdir()
    code, said = hosted("run", *TINY, "--out", ".", cwd=tmp_path / "here")
    assert code == 0, said
    assert list(runs_of((tmp_path / "here/report.html").read_bytes())) == ["here"]


def test_a_page_over_several_runs(runs, tmp_path):
    """A folder that holds runs stands for them; each has a name of its own; none counts twice."""
    out = tmp_path / "side.html"
    (runs / "b/latest").symlink_to("0002")
    (runs / "b/notes").mkdir()
    code, said = report(runs / "a/0001", "b/", runs / "b/0002", runs / "b/latest/", "--out", out,
                        cwd=runs)
    assert code == 0 and "3 runs" in said, said
    expected = {name: without_padding(Results.of_folder(runs / path).files)
                for name, path in (("a/0001", "a/0001"), ("b/0001", "b/0001"), ("0002", "b/0002"))}
    assert runs_of(out.read_bytes()) == expected


def test_a_page_of_one_run_is_the_run_s_own(runs, tmp_path):
    """Its files, however it was written."""
    assert report(runs / "b/0002", cwd=tmp_path)[0] == 0
    assert runs_of((tmp_path / "report.html").read_bytes()) == \
        runs_of((runs / "b/0002/report.html").read_bytes())


def test_files_of_any_bytes_and_any_length(tmp_path):
    """Characters of several bytes meet every place where a piece can break."""
    folder = tmp_path / HOSTILE.replace("/", "|")
    folder.mkdir()
    table = ("".join(f"{'x' * (i % 7)},µ€💩</script>\r\n\x00\x7f\t\\\"" for i in range(60_000))).encode()
    assert len(table) > 1 << 20
    (folder / "results.csv").write_bytes(table)
    (folder / "verdicts.csv").write_bytes(b"")
    (folder / "run.json").write_bytes(b'{"label": "<!--"}\n' + b" " * 8000 + b"\n")
    assert report(folder, cwd=tmp_path)[0] == 0
    assert runs_of((tmp_path / "report.html").read_bytes()) == {folder.name: {
        "results.csv": table, "verdicts.csv": b"", "run.json": b'{"label": "<!--"}\n'}}


def test_a_folder_may_lack_files(runs, tmp_path):
    for name in ("run.json", "results.csv"):
        folder = tmp_path / name / "run"
        folder.mkdir(parents=True)
        shutil.copy(runs / "a/0001" / name, folder)
        assert report(folder, cwd=folder)[0] == 0
        assert list(runs_of((folder / "report.html").read_bytes())["run"]) == [name]


def test_a_damaged_file_is_named_and_shown(runs, tmp_path):
    """The page is made all the same: damage is among what it shows."""
    for name, text in (("run.json", "{"), ("results.csv", "x\n"), ("verdicts.csv", None)):
        folder = tmp_path / "runs" / f"bad-{name}"
        shutil.copytree(runs / "a/0001", folder)
        (folder / name).unlink()
        if text is not None:
            (folder / name).write_text(text)
    code, said = report(tmp_path / "runs", runs / "b/0001", cwd=tmp_path)
    assert code == 0 and "report.html: 4 runs" in said, said
    named = [line for line in said.splitlines() if line.startswith("mlpboot report: ")]
    assert [re.match(f"mlpboot report: {tmp_path}/runs/bad-(\\S+)/\\1: ", line)[1] for line in named] == [
        "results.csv", "run.json", "verdicts.csv"]
    assert set(runs_of((tmp_path / "report.html").read_bytes())["bad-verdicts.csv"]) == {"run.json", "results.csv"}


def test_what_is_no_run_is_named(runs, tmp_path):
    (tmp_path / "empty").mkdir()
    for wrong in (tmp_path / "empty", runs / "a/0001/results.csv", tmp_path / "nowhere"):
        code, said = report(runs / "a/0001", wrong, cwd=tmp_path)
        assert code == 1 and f"{wrong}: " in said, said
        assert not (tmp_path / "report.html").exists()


def test_nothing_is_overwritten_and_no_half_is_left(runs, tmp_path):
    (tmp_path / "report.html").write_text("mine")
    code, said = report(runs, cwd=tmp_path)
    assert code == 1, said
    code, said = report(runs / "a", cwd=tmp_path)
    assert code == 1 and "report.html: is there already" in said and "--out" in said
    assert (tmp_path / "report.html").read_text() == "mine"
    broken = tmp_path / "broken"
    shutil.copytree(runs / "a/0001", broken)
    (broken / "results.csv").unlink()
    (broken / "results.csv").mkdir()
    code, said = report(runs / "b", broken, "--out", tmp_path / "other.html")
    assert code == 1 and f"{broken}/results.csv: is no regular file" in said
    assert not (tmp_path / "other.html").exists()
    code, said = report(runs / "b", "--out", tmp_path / "nowhere/page.html")
    assert code == 1 and "nowhere/page.html: cannot be written" in said


def test_a_file_system_without_modes_takes_it(tmp_path, monkeypatch):
    """As FAT does where FUSE mounts it."""
    def refuses(*_):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(files.os, "chmod", refuses)
    files.write_new(str(tmp_path / "page.html"), [b"one ", b"two"])
    assert (tmp_path / "page.html").read_text() == "one two"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_what_is_no_plain_file_is_refused_at_once(runs, tmp_path):
    """A page is made to be mailed: a link would take along what it leads to, and a FIFO never ends."""
    (tmp_path / "secret").write_text("secret\n")
    for make in (lambda path: path.symlink_to(tmp_path / "secret"), os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
        folder = tmp_path / "run"
        shutil.copytree(runs / "a/0001", folder)
        (folder / "results.csv").unlink()
        make(folder / "results.csv")
        code, said = report(folder, cwd=tmp_path)
        assert code == 1 and f"{folder}/results.csv: is " in said and "secret" not in said.replace(str(tmp_path), "")
        assert not (tmp_path / "report.html").exists()
        shutil.rmtree(folder)
    os.mkfifo(tmp_path / "fifo")
    assert report(tmp_path / "fifo", cwd=tmp_path)[0] == 1


def test_a_file_larger_than_any_run_leaves_is_refused(runs, tmp_path):
    shutil.copytree(runs / "a/0001", tmp_path / "run")
    with open(tmp_path / "run/verdicts.csv", "wb") as table:
        table.truncate((16 << 20) + 1)
    code, said = report(tmp_path / "run", cwd=tmp_path)
    assert code == 1 and "run/verdicts.csv: longer than 16 MB" in said and not (tmp_path / "report.html").exists()


def test_a_page_or_an_archive_stands_for_its_runs(runs, tmp_path):
    """What a page or an archive holds gives the same page again."""
    assert report(runs / "a/0001", runs / "b/0002", "--out", tmp_path / "first.html")[0] == 0
    wanted = runs_of((tmp_path / "first.html").read_bytes())
    assert report(tmp_path / "first.html", "--out", tmp_path / "second.html")[0] == 0
    shutil.make_archive(tmp_path / "both", "zip", runs)
    assert report(tmp_path / "both.zip", "--out", tmp_path / "third.html")[0] == 0
    for page in ("second.html", "third.html"):
        given = runs_of((tmp_path / page).read_bytes())
        assert {name.split("/")[-1]: files for name, files in given.items()}.items() >= \
            {"0002": wanted["0002"]}.items()
    assert list(runs_of((tmp_path / "second.html").read_bytes()).values()) == list(wanted.values())


@pytest.mark.parametrize("data", [b"PK\x03\x04", b"PK\x03\x04" + bytes(100), b"<html>", b"", b"\0" * 5000,
                                  b'<html>\n<script type="application/json" class="file">{"run":7}</script>'])
def test_a_file_that_holds_no_run_is_named(tmp_path, data):
    (tmp_path / "file").write_bytes(data)
    code, said = report("file", cwd=tmp_path)
    assert code == 1 and "file" in said and "Traceback" not in said
