"""What is no whole run: each command of the data tool names the file that is wrong, at once, and why."""

import os
import shutil

import pytest

from made_runs import TINY, run
from report import runs_of
from tool import tool

from mlpboot.runs import VERDICT_COLUMNS

HEADER = ",".join(VERDICT_COLUMNS)
PAGE_OF_NOBODY = b'<html>\n<script type="application/json" class="file">{"run":7}</script>'


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    folder = tmp_path_factory.mktemp("good") / "run"
    run(folder, *TINY)
    return folder


def link(path):
    """It may lead to what its sender wants to be told."""
    path.symlink_to("there")


def too_long(path):
    path.touch()
    os.truncate(path, (16 << 20) + 1)


# A file of a run, what stands in its place (nothing, these bytes, or what a function makes), and what is said of it.
WRONG = [
    *((file, None, "No such file") for file in ("run.json", "verdicts.csv", "results.csv")),
    *((file, make, why) for file in ("run.json", "verdicts.csv", "results.csv") for make, why in (
        (os.mkfifo, "is no regular file"), (os.mkdir, "is no regular file"), (link, "is a link"))),
    *((file, too_long, "longer than 16 MB") for file in ("run.json", "verdicts.csv")),
    *(("verdicts.csv", data, why) for data, why in (
        (b"", "is empty"), (b"a,b\n", "another header than verdicts.csv has"), (b"\0\xff\0", "another header than"),
        (f"{HEADER}\nmlp,2m,mlp,ten,,,loads,ok,,\n".encode(), "line 2: not a number"),
        (f"{HEADER}\nmlp,2m,mlp,1e999,,,loads,ok,,\n".encode(), "line 2: not a number"),
        (f"{HEADER}\nmlp,2m,mlp,10,,,loads,fine,,\n".encode(), "line 2: no such status"),
        (f"{HEADER}\nmlp,2m,mlp,10\n".encode(), "line 2: not as many columns"))),
    *(("run.json", data, why) for data, why in (
        (b"", "line 1: "), (b'{"a":1', "line 1: "), (b"status: done\n", "line 1: "), (b'{\n"label": }', "line 2: "),
        (b'{"tsc_hz": NaN}', "NaN is no number of JSON"), (b"7\n", "line 1: no object"),
        (b"[" * 100000, "too many objects"), (b'{"a":' * 100000, "too many objects"))),
    ("results.csv", b"", "is empty"),
]


def check_compare(bad, good, named):
    for pair in ((bad, good), (good, bad)):
        status, said, complained = tool("compare", *pair, timeout=20)
        assert (status, said) == (2, "") and f"mlpboot compare: {named}" in complained


def check_table(bad, good, named):
    """The others are shown as they are without it."""
    folder = good.parent / "tables"
    shutil.rmtree(folder, ignore_errors=True)
    alone = tool("table", good, "--out", folder / "alone")[1]
    status, said, complained = tool("table", bad, good, "--out", folder / "both", timeout=20)
    assert (status, said) == (1, alone) and named in complained
    assert (folder / "both/summary.csv").read_bytes() == (folder / "alone/summary.csv").read_bytes()


def check_collect(bad, good, named):
    database = bad.parent / "runs.sqlite"
    status, said, complained = tool("collect", bad, good, "--out", database, timeout=20)
    assert (status, said) == (1, "1 runs added, 0 there already, 1 refused\n") and f"mlpboot: {named}" in complained


def check_report(bad, good, named):
    """A page is made to be mailed; there is none."""
    page = bad.parent / "report.html"
    status, said, complained = tool("report", good, bad, "--out", page, timeout=20)
    assert (status, said) == (1, "") and f"mlpboot report: {named}" in complained and not page.exists()


@pytest.mark.parametrize("file, instead, why", WRONG, ids=range(len(WRONG)))
def test_a_wrong_file_is_named(good, tmp_path, file, instead, why):
    bad = tmp_path / "bad"
    shutil.copytree(good, bad)
    (bad / file).rename(bad / "there")
    if callable(instead):
        instead(bad / file)
    elif instead is not None:
        (bad / file).write_bytes(instead)
    named = f"{bad / file}: {why}"
    if file != "results.csv":  # which these two do not read
        check_compare(bad, good, named)
        check_table(bad, good, named)
    check_collect(bad, good, named)
    if callable(instead):
        check_report(bad, good, named)
        return
    # Damage is among what a page shows.
    page = tmp_path / "report.html"
    status, said, complained = tool("report", bad, good, "--out", page)
    assert status == 0 and "report.html: 2 runs" in said and complained.startswith(f"mlpboot: {named}")
    kept = {"run.json", "verdicts.csv", "results.csv", "log.txt"} - ({file} if instead is None else set())
    assert set(runs_of(page.read_bytes())["bad"]) == kept


@pytest.mark.parametrize("make, why", [
    (os.mkdir, "no run: "), (lambda path: None, "cannot be read: No such file"), (os.mkfifo, "is no regular file"),
    *((lambda path, data=data: path.write_bytes(data), why) for data, why in (
        (b"PK\x03\x04", "no archive that can be read"), (b"PK\x03\x04" + bytes(100), "no archive that can be read"),
        (b"<html>", "no run: "), (PAGE_OF_NOBODY, "no run: "), (b"", ""), (b"experiment,case\n", ""), (bytes(5000), "")))],
    ids=range(10))
def test_what_holds_no_run_is_named(good, tmp_path, make, why):
    """A file that is none of these, compare takes for a verdicts.csv."""
    make(tmp_path / "none")
    for check in (check_compare, check_table, check_collect, check_report):
        check(tmp_path / "none", good, f"{tmp_path / 'none'}: {why}")
