"""`mlpboot receive`: what it writes and says of a log, and what it refuses."""

import os
import re

import pytest

from received import received
from serial_blocks import LOG_BEGIN, LOG_END, blocks, end, piece
from tool import tool

RUN = "0007-3f2a91c4"
TABLE = "".join(f"mlp,2m,{n},label L\u00e4\\bel \n" for n in range(99)).encode()


TABLE_BLOCKS = blocks(RUN, "results.csv", TABLE)
LOG = b"".join([b"BdsDxe: starting Boot0001\r\n", *TABLE_BLOCKS, b"\x1b[2J\xff\x00noise\r\n", *blocks(RUN, "run.json", b"{}")])
DAMAGED = LOG.replace(TABLE_BLOCKS[1], TABLE_BLOCKS[1].replace(b"label", b"Label", 1))
WHOLE = {"results.csv": TABLE, "run.json": b"{}"}

# A log, the exit status, the runs that it gives, and the first words of lines that are said.
LOGS = {
    "files are given back to the last byte": (
        LOG, 0, {RUN: WHOLE}, [f"{RUN}/results.csv: whole, {len(TABLE)} bytes", f"{RUN}/run.json: whole, 2 bytes"]),
    "a damaged block costs its bytes and no others": (
        DAMAGED, 1, {RUN: {"results.csv.part": TABLE[:1000] + TABLE[2000:], "run.json": b"{}"}},
        [f"{RUN}/results.csv: not whole: bytes 1000 to 1999 came damaged; what there is", f"{RUN}/run.json: whole"]),
    "a damaged block of nobody is counted": (
        LOG + piece("0008", "run.json", 0, b"{}").replace(b"{", b"["), 1, {RUN: WHOLE},
        [f"{RUN}/", f"{RUN}/", "1 more blocks came damaged, of which nobody can tell whose they are"]),
    "the last writing that is whole is taken": (
        LOG + piece(RUN, "run.json", 0, b"{2}", version=2), 1, {RUN: WHOLE | {"run.json.2.part": b"{2}"}},
        [f"{RUN}/results.csv: whole", f"{RUN}/run.json: not whole: its end is not in the log", f"{RUN}/run.json: whole"]),
    "a whole writing leaves those before it alone": (
        b"".join([piece(RUN, "log.txt", 0, b"first"), *blocks(RUN, "log.txt", b"last", version=4294967295), LOG]), 0,
        {RUN: WHOLE | {"log.txt": b"last"}}, [f"{RUN}/log.txt: whole", f"{RUN}/", f"{RUN}/"]),
    # Those of a log.txt whose blocks and whose plain lines both came damaged.
    "two parts of one file both stay": (
        LOG_BEGIN + b"event=x\xff\n" + piece(RUN, "log.txt", 0, b"event=x") + LOG_END
        + b"".join(blocks("other", "run.json", b"{}")), 1,
        {RUN: {"log.txt.part": b"event=x", "log.txt.0.part": b"event=x\xff\n"}, "other": {"run.json": b"{}"}},
        [f"{RUN}/log.txt: not whole: its end is not in the log; what there is, 7 bytes: log.txt.part",
         f"{RUN}/log.txt: not whole: it holds characters that no console prints; what there is, 9 bytes: log.txt.0.part",
         "other/run.json: whole"]),
    "nothing of a file is no part": (
        end(RUN, "run.json", b"{}"), 1, {RUN: {}},
        [f"{RUN}/run.json: not whole: bytes 0 to 1 are missing; what there is, 0 bytes: nothing"]),
    "a run that could save its files printed its log alone": (
        LOG_BEGIN + b"event=start\nevent=done\n" + LOG_END, 0, {"run-1": {"log.txt": b"event=start\nevent=done\n"}},
        ["run-1/log.txt: whole, 23 bytes, without a checksum", "run-1: nothing else is in the log: the run could save its files"]),
    "a run with blocks could not save its files": (
        b"".join(blocks(RUN, "run.json", b"{}")) + LOG_END, 1, {RUN: {"run.json": b"{}"}},
        [f"{RUN}/run.json: whole", f"{RUN}/log.txt: not whole: its beginning or its end is not in the log"]),
}


@pytest.mark.parametrize("data, status, runs, said", LOGS.values(), ids=LOGS.keys())
def test_files_are_what_a_log_has_of_them(tmp_path, data, status, runs, said):
    found, lines, there = received(tmp_path, data)
    assert (found, there) == (status, runs)
    lines = lines.splitlines()
    assert len(lines) == len(said) and all(line.startswith(words) for line, words in zip(lines, said)), lines


def test_from_standard_input_into_the_current_folder(tmp_path):
    (tmp_path / "log").write_bytes(LOG)
    with open(tmp_path / "log", "rb") as file:
        code, said, complaint = tool("receive", "-", stdin=file, cwd=tmp_path)
    assert (code, complaint) == (0, ""), said
    assert (tmp_path / RUN / "results.csv").read_bytes() == TABLE


def test_nothing_is_overwritten_and_nothing_half_done(tmp_path):
    other = blocks("0006-aaaaaaaa", "run.json", b"{}")
    assert received(tmp_path, LOG)[0] == 0
    code, said, runs = received(tmp_path, b"".join([*other, LOG]))
    assert code == 1 and f"{RUN}: is there already; name another directory with --out" in said
    assert list(runs) == [RUN]


# --- who sends a log does not choose what is written ---


@pytest.mark.parametrize("file", ["-rf", "report.html", "run.bak", "run.JSON", "x"])
def test_a_file_that_no_run_prints_is_named_and_left_out(tmp_path, file):
    """Nor a page, which would be opened: the image prints what its page is made of."""
    code, said, runs = received(tmp_path, LOG + b"".join(blocks(RUN, file, b"evil")))
    assert (code, runs) == (1, {RUN: {"results.csv": TABLE, "run.json": b"{}"}})
    assert said.endswith(f"mlpboot: {RUN}/{file}: no run prints a file of that name; 2 blocks left out\n")


def test_a_log_of_such_files_alone_leaves_nothing(tmp_path):
    code, said, runs = received(tmp_path, b"".join(piece(RUN, f"f{n}", 0, b"evil") for n in range(40)))
    assert (code, runs) == (1, {})
    assert said.count(" 1 block left out\n") == 10 and "mlpboot: 30 more such files left out\n" in said
    assert "serial.log: no file of a run is in it; " in said


@pytest.mark.parametrize("run", ["-r", ".r", "..", "a/b", "r\u00e4"])
def test_names_that_are_no_runs_are_lost(tmp_path, run):
    code, said, runs = received(tmp_path, LOG + b"".join(blocks(run, "run.json", b"{}")))
    assert (code, list(runs)) == (1, [RUN])
    assert "\n2 more blocks came damaged" in said


# --- what is refused ---


@pytest.mark.parametrize("words, complaint", [([], "LOG"), (["a", "b"], "b"), (["a", "--into", "b"], "--into")])
def test_wrong_usage(words, complaint):
    code, said, complaints = tool("receive", *words)
    assert (code, said) == (2, "") and complaint in complaints


@pytest.mark.parametrize("make, why", [
    (lambda path: None, "No such file or directory; accepted: the log of a serial port"),
    (os.mkdir, "is no regular file"), (os.mkfifo, "is no regular file"),
    (lambda path: path.symlink_to("/dev/null"), "is no regular file"),
    (lambda path: path.write_bytes(b"noise\n"), "no file of a run is in it; accepted: the log of a serial port"),
    (lambda path: path.write_bytes(LOG_BEGIN * 10000), "has more than 9999 runs; cut out the runs that are wanted"),
    (lambda path: path.touch() or os.truncate(path, (1 << 30) + 1), "has more than 1 GB; cut out the runs that are wanted")],
    ids=["nothing", "folder", "pipe", "device", "noise", "runs", "gigabyte"])
def test_what_is_no_log_is_refused_at_once(tmp_path, make, why):
    make(tmp_path / "log")
    assert tool("receive", tmp_path / "log", "--out", tmp_path / "out", timeout=60) == (
        1, "", f"mlpboot receive: {tmp_path}/log: {why}\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("out, reason", [
    ("file", "cannot be opened as a directory: Not a directory"), ("file/x", "cannot be created: Not a directory")])
def test_a_file_is_no_place_for_runs(tmp_path, out, reason):
    (tmp_path / "log").write_bytes(LOG)
    (tmp_path / "file").write_bytes(b"mine")
    assert tool("receive", tmp_path / "log", "--out", tmp_path / out) == (
        1, "", f"mlpboot receive: {tmp_path / out}: {reason}\n")
    assert (tmp_path / "file").read_bytes() == b"mine"


def test_two_runs_of_one_name_are_told(tmp_path):
    """The second one's name is that which the first is given for want of one."""
    code, said, runs = received(tmp_path, LOG_BEGIN + LOG_END + b"".join(blocks("run-1", "run.json", b"{}")))
    assert (code, runs) == (1, {"run-1": {"log.txt": b""}})
    assert f"mlpboot receive: {tmp_path}/received/run-1: File exists\n" in said


def test_help():
    code, said, _ = tool("receive", "--help")
    assert code == 0 and re.search("Exit status: 0 .* 1 .* 2 ", said)
