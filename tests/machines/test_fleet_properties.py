"""What is true of fleet and check, whatever is in the files of some runs, and in a serial log."""

import contextlib
import io
import json
import shutil
import tempfile
import xml.etree.ElementTree as ElementTree
from functools import lru_cache
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import serial_blocks
import tool  # noqa: F401  where the modules are
from made_fleet import make_fleet
from made_runs import TINY, run

from mlpboot import check, fleet
from mlpboot.__main__ import run_command

GOOD, HOSTILE = 5, 3  # runs
FILES = ["run.json", "verdicts.csv", "results.csv", "log.txt"]
HARDLY_JSON = [b"1e999", b"NaN", b"-1", b'""', b"null", b"[]", b"{}", b"[" * 2000, b'"\\u0000"', b'"\\ud800"', b"true", b"9" * 400, b"}", b'"x']


@lru_cache(maxsize=None)
def right_files():
    """The files of a run of the modelled processor, by name."""
    with tempfile.TemporaryDirectory() as folder:
        run(folder, *TINY)
        return {name: Path(folder, name).read_bytes() for name in FILES}


@st.composite
def spoilt(draw, right):
    """A right file of which some pieces are something else, or which ends early, or any bytes."""
    how = draw(st.sampled_from(["pieces", "pieces", "pieces", "end", "bytes"]))
    if how == "bytes":
        return draw(st.binary(max_size=200))
    if how == "end":
        return right[:draw(st.integers(0, len(right)))]
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(right)))
        data = draw(st.one_of(st.binary(max_size=8), st.sampled_from(HARDLY_JSON)))
        # Whole values more often than bytes: what is still of the right form comes further.
        if draw(st.booleans()):
            starts = [place for place in (right.find(sign, at) for sign in (b": ", b",")) if place >= 0]
            at = min(starts) + 1 if starts else at
            ends = [place for place in (right.find(sign, at) for sign in (b",", b"\n")) if place >= 0]
            right = right[:at] + data + (right[min(ends):] if ends else b"")
        else:
            right = right[:at] + data + right[at + draw(st.integers(0, 8)):]
    return right


@st.composite
def runs(draw):
    """The files of a run, one or two of them spoilt, or left out."""
    files = dict(right_files())
    for name in draw(st.lists(st.sampled_from(FILES), min_size=1, max_size=2, unique=True)):
        files[name] = draw(st.one_of(st.none(), spoilt(files[name]), spoilt(files[name])))
    return files


def said_by(modules, *words):
    """The exit status, and what was said; all of it can be shown on a terminal."""
    said, complaint = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complaint):
        status = run_command(modules, [str(word) for word in words])
    texts = said.getvalue(), complaint.getvalue()
    assert all(c.isprintable() or c == "\n" for c in "".join(texts))
    return status, *texts


@given(st.lists(runs(), min_size=HOSTILE, max_size=HOSTILE))
def test_any_machines_in_a_fleet(hostile):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_fleet(folder / "runs", GOOD, 1)
        for number, files in enumerate(hostile):
            to = folder / "runs" / f"hostile{number}"
            to.mkdir()
            (to / "results.csv").touch()  # it is a run's folder all the same
            for file, data in files.items():
                if data is not None:
                    (to / file).write_bytes(data)
        status, said, complaint = said_by({"fleet": fleet}, "fleet", "--json", folder / "runs", "--csv", folder / "csv", "--html", folder / "html")
        groups = json.loads(said)["groups"]
        seen = [row["name"] for group in groups for row in group["rows"]]
        assert sum(group["machines"] for group in groups) == len(seen) == len(set(seen)) >= GOOD
        for number in range(HOSTILE):
            assert (f"hostile{number}" in seen) or f"hostile{number}/" in complaint
        assert status == (fleet.EXIT_TROUBLE if len(seen) < GOOD + HOSTILE else fleet.EXIT_ODD if json.loads(said)["odd"] else fleet.EXIT_ALIKE)
        assert (folder / "csv").stat().st_size > 0 and (folder / "html").read_bytes().count(b'class="fleet"') == 1


def check_any(folder, path):
    """Checks a run or a log in each of the formats, which agree; the exit status says what they say."""
    (folder / "expect").write_text("status = done\nmlp.mlp > 1\narray.l2_bytes = 1048576\nnoise.max_gap < 1 s or doubt\n")
    words = [path, "--expect", folder / "expect", "--junit", folder / "junit", "--markdown", folder / "markdown"]
    status, said, complaint = said_by({"check": check}, "check", *words)
    if status == check.EXIT_TROUBLE:
        assert complaint and not said
        return
    *lines, totals = said.splitlines()
    passed, failed, skipped = (int(part.split()[0]) for part in totals.split(", "))
    assert len(lines) == passed + failed + skipped
    assert status == (check.EXIT_HUNG if any(line.startswith("hung") for line in lines) else check.EXIT_FAIL if failed
                      else check.EXIT_PASS if passed else check.EXIT_NOTHING)
    suite = ElementTree.fromstring((folder / "junit").read_text(encoding="utf-8"))
    assert len(suite) == len(lines) and len(suite.findall(".//failure")) == failed == int(suite.get("failures"))
    assert len((folder / "markdown").read_text(encoding="utf-8").splitlines()) == 4 + len(lines)
    tap_status, tap, _ = said_by({"check": check}, "check", *words, "--tap")
    assert tap_status == status and f"1..{len(lines)}" in tap.splitlines()
    assert sum(line.startswith("not ok ") for line in tap.splitlines()) == failed


@given(runs())
def test_any_run_is_checked(files):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "run").mkdir()
        (folder / "run/results.csv").touch()
        for file, data in files.items():
            if data is not None:
                (folder / "run" / file).write_bytes(data)
        check_any(folder, folder / "run")
        shutil.rmtree(folder / "run")


def serial_log():
    """What a serial port prints of a run."""
    files = right_files()
    printed = [block for name in ("run.json", "verdicts.csv") for block in serial_blocks.blocks("0001", name, files[name])]
    return serial_blocks.LOG_BEGIN + serial_blocks.log_lines(files["log.txt"]) + b"".join(printed) + serial_blocks.LOG_END


@given(st.data())
def test_any_serial_log_is_checked(data):
    with tempfile.TemporaryDirectory() as name:
        log = Path(name, "serial.log")
        log.write_bytes(data.draw(spoilt(serial_log())))
        check_any(Path(name), log)
