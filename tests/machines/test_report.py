"""report.html: the page holds what the files hold, byte for byte, whatever is in them."""

import shutil
import subprocess

import pytest

from machine import BUILD, FILES, Results
from report import runs_of, without_padding

HOSTED = BUILD / "mlpboot-hosted"
HOSTILE = "</script><b>\"µ-Lab\" & 'Zürich'</b><!-- \\u003c \\ € 💩"
TINY = ["--platform", "model", "--set", "experiments=floor"]


def hosted(*words, cwd=None):
    done = subprocess.run([HOSTED, *map(str, words)], cwd=cwd, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120)
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs of the model in folders of one name, and a third."""
    folder = tmp_path_factory.mktemp("runs")
    for name in ("a/0001", "b/0001", "b/0002"):
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
    code, said = hosted("report", runs / "a/0001", "b/", runs / "b/0002", runs / "b/latest/", "--out", out,
                        cwd=runs)
    assert code == 0 and "3 runs" in said, said
    expected = {name: without_padding(Results.of_folder(runs / path).files)
                for name, path in (("a/0001", "a/0001"), ("b/0001", "b/0001"), ("0002", "b/0002"))}
    assert runs_of(out.read_bytes()) == expected


def test_a_page_of_one_run_is_the_run_s_own(runs, tmp_path):
    """Its files, however it was written."""
    assert hosted("report", runs / "b/0002", cwd=tmp_path)[0] == 0
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
    assert hosted("report", folder, cwd=tmp_path)[0] == 0
    assert runs_of((tmp_path / "report.html").read_bytes()) == {folder.name: {
        "results.csv": table, "verdicts.csv": b"", "run.json": b'{"label": "<!--"}\n'}}


def test_a_folder_may_lack_files(runs, tmp_path):
    for name in ("run.json", "results.csv"):
        folder = tmp_path / name / "run"
        folder.mkdir(parents=True)
        shutil.copy(runs / "a/0001" / name, folder)
        assert hosted("report", folder, cwd=folder)[0] == 0
        assert list(runs_of((folder / "report.html").read_bytes())["run"]) == [name]


def test_what_is_no_run_is_named(runs, tmp_path):
    (tmp_path / "empty").mkdir()
    for wrong in (tmp_path / "empty", runs / "a/0001/results.csv", tmp_path / "nowhere"):
        code, said = hosted("report", runs / "a/0001", wrong, cwd=tmp_path)
        assert code == 1 and f"{wrong}: " in said, said
        assert not (tmp_path / "report.html").exists()


def test_nothing_is_overwritten_and_no_half_is_left(runs, tmp_path):
    (tmp_path / "report.html").write_text("mine")
    code, said = hosted("report", runs, cwd=tmp_path)
    assert code == 1, said
    code, said = hosted("report", runs / "a", cwd=tmp_path)
    assert code == 1 and "report.html: is there already" in said and "--out" in said
    assert (tmp_path / "report.html").read_text() == "mine"
    broken = tmp_path / "broken"
    shutil.copytree(runs / "a/0001", broken)
    (broken / "results.csv").unlink()
    (broken / "results.csv").mkdir()
    code, said = hosted("report", runs / "b", broken, "--out", tmp_path / "other.html")
    assert code == 1 and f"{broken}/results.csv: cannot be read" in said
    assert not (tmp_path / "other.html").exists()
    code, said = hosted("report", runs / "b", "--out", tmp_path / "nowhere/page.html")
    assert code == 1 and "nowhere/page.html: cannot be created" in said


def test_a_large_run_is_not_kept_in_memory(tmp_path):
    folder = tmp_path / "large"
    folder.mkdir()
    line = b"mlp,2m,2,186,,,tsc,ticks,400,25,398,401,412.5,430,4294967295,415.334,399,16,412.25,3.25,3.5,0\n"
    with open(folder / "results.csv", "wb") as table:
        for _ in range(60):
            table.write(line * 10_000)
    limited = ["sh", "-c", f"ulimit -v 40000; exec {HOSTED} report {folder} --out {tmp_path}/page.html"]
    done = subprocess.run(limited, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "page.html").stat().st_size > (folder / "results.csv").stat().st_size > 50 << 20
