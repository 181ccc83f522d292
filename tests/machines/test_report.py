"""report.html: the page holds what the files hold, byte for byte, whatever is in them."""

import errno
import shutil

import pytest

from machine import FILES, Results
from made_runs import hosted, run
from report import runs_of, without_padding
from tool import tool

from mlpboot import files

HOSTILE = "</script><b>\"µ-Lab\" & 'Zürich'</b><!-- \\u003c \\ € 💩"


def report(*words, cwd=None):
    code, said, complaint = tool("report", *words, cwd=cwd)
    return code, said + complaint


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs of the model in folders of one name, and a third."""
    folder = tmp_path_factory.mktemp("runs")
    for name in ("a/0001", "b/0001", "b/0002"):
        (folder / name).parent.mkdir(exist_ok=True)
        run(folder / name, "experiments=floor", f"label={HOSTILE} {name}")
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
    words = ["run", "--platform", "model", "--set", "experiments=floor", "--out", "."]
    assert hosted(*words, cwd=tmp_path / "here")[0] == 0
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


def test_nothing_is_overwritten_and_no_half_is_left(runs, tmp_path):
    (tmp_path / "report.html").write_text("mine")
    code, said = report(runs, cwd=tmp_path)
    assert code == 1, said
    code, said = report(runs / "a", cwd=tmp_path)
    assert code == 1 and "report.html: is there already" in said and "--out" in said
    assert (tmp_path / "report.html").read_text() == "mine"
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
