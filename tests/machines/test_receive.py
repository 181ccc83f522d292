"""`mlpboot receive`: what it writes and says of a log, and what it refuses."""

import os
import re

import pytest

from machine import BUILD
from received import received
from serial_blocks import LOG_BEGIN, LOG_END, blocks, end, piece
from tool import tool

RUN = "0007-3f2a91c4"
TABLE = "".join(f"mlp,2m,{n},label L\u00e4\\bel \n" for n in range(99)).encode()


@pytest.fixture
def log():
    return [b"BdsDxe: starting Boot0001\r\n", *blocks(RUN, "results.csv", TABLE), b"\x1b[2J\xff\x00noise\r\n",
            *blocks(RUN, "run.json", b"{}")]


def test_files_are_given_back_to_the_last_byte(tmp_path, log):
    code, said, runs = received(tmp_path, b"".join(log))
    assert (code, runs) == (0, {RUN: {"results.csv": TABLE, "run.json": b"{}"}})
    assert said == f"{RUN}/results.csv: whole, {len(TABLE)} bytes\n{RUN}/run.json: whole, 2 bytes\n"


def test_a_damaged_block_costs_its_bytes_and_no_others(tmp_path, log):
    log[2] = log[2].replace(b"label", b"Label", 1)
    code, said, runs = received(tmp_path, b"".join(log))
    assert code == 1
    assert "results.csv: not whole: bytes 1000 to 1999 came damaged; what there is" in said
    assert runs == {RUN: {"results.csv.part": TABLE[:1000] + TABLE[2000:], "run.json": b"{}"}}


def test_a_damaged_block_of_nobody_is_counted(tmp_path, log):
    code, said, runs = received(tmp_path, b"".join([*log, piece("0008", "run.json", 0, b"{}").replace(b"{", b"[")]))
    assert (code, list(runs)) == (1, [RUN])
    assert said.endswith("\n1 more blocks came damaged, of which nobody can tell whose they are\n")


def test_the_last_writing_that_is_whole_is_taken(tmp_path, log):
    again = piece(RUN, "run.json", 0, b"{2}", version=2)
    code, said, runs = received(tmp_path, b"".join([*log, again]))
    assert code == 1 and "run.json: not whole: its end is not in the log" in said
    assert runs[RUN] == {"results.csv": TABLE, "run.json": b"{}", "run.json.2.part": b"{2}"}


def test_a_whole_writing_leaves_those_before_it_alone(tmp_path, log):
    code, said, runs = received(tmp_path, b"".join([piece(RUN, "log.txt", 0, b"first"),
                                                    *blocks(RUN, "log.txt", b"last", version=4294967295), *log]))
    assert code == 0, said
    assert runs == {RUN: {"log.txt": b"last", "results.csv": TABLE, "run.json": b"{}"}}


def test_two_parts_of_one_file_both_stay(tmp_path):
    """Those of a log.txt whose blocks and whose plain lines both came damaged."""
    code, said, runs = received(tmp_path, LOG_BEGIN + b"event=x\xff\n" + piece(RUN, "log.txt", 0, b"event=x") + LOG_END
                                + b"".join(blocks("other", "run.json", b"{}")))
    assert code == 1
    assert runs == {RUN: {"log.txt.part": b"event=x", "log.txt.0.part": b"event=x\xff\n"}, "other": {"run.json": b"{}"}}
    assert f"{RUN}/log.txt: not whole: it holds characters that no console prints; what there is, " \
        "9 bytes: log.txt.0.part\n" in said


def test_nothing_of_a_file_is_no_part(tmp_path):
    code, said, runs = received(tmp_path, end(RUN, "run.json", b"{}"))
    assert (code, runs) == (1, {RUN: {}})
    assert said == f"{RUN}/run.json: not whole: bytes 0 to 1 are missing; what there is, 0 bytes: nothing\n"


def test_a_run_that_could_save_its_files_printed_its_log_alone(tmp_path):
    code, said, runs = received(tmp_path, LOG_BEGIN + b"event=start\nevent=done\n" + LOG_END)
    assert (code, runs) == (0, {"run-1": {"log.txt": b"event=start\nevent=done\n"}})
    assert said == "run-1/log.txt: whole, 23 bytes, without a checksum\n" \
        "run-1: nothing else is in the log: the run could save its files\n"


def test_a_run_with_blocks_could_not_save_its_files(tmp_path):
    code, said, _ = received(tmp_path, b"".join(blocks(RUN, "run.json", b"{}")) + LOG_END)
    assert code == 1 and "nothing else is in the log" not in said


def test_from_standard_input_into_the_current_folder(tmp_path, log):
    (tmp_path / "log").write_bytes(b"".join(log))
    with open(tmp_path / "log", "rb") as file:
        code, said, complaint = tool("receive", "-", stdin=file, cwd=tmp_path)
    assert (code, complaint) == (0, ""), said
    assert (tmp_path / RUN / "results.csv").read_bytes() == TABLE


def test_nothing_is_overwritten_and_nothing_half_done(tmp_path, log):
    other = blocks("0006-aaaaaaaa", "run.json", b"{}")
    assert received(tmp_path, b"".join(log))[0] == 0
    code, said, runs = received(tmp_path, b"".join([*other, *log]))
    assert code == 1 and f"{RUN}: is there already; name another directory with --out" in said
    assert list(runs) == [RUN]


# --- who sends a log does not choose what is written ---


@pytest.mark.parametrize("file", ["-rf", "report.html", "run.bak", "run.JSON", "x"])
def test_a_file_that_no_run_prints_is_named_and_left_out(tmp_path, log, file):
    """Nor a page, which would be opened: the image prints what its page is made of."""
    code, said, runs = received(tmp_path, b"".join([*log, *blocks(RUN, file, b"evil")]))
    assert (code, runs) == (1, {RUN: {"results.csv": TABLE, "run.json": b"{}"}})
    assert said.endswith(f"mlpboot receive: {RUN}/{file}: no run prints a file of that name; 2 blocks left out\n")


def test_a_log_of_such_files_alone_leaves_nothing(tmp_path):
    code, said, runs = received(tmp_path, b"".join(piece(RUN, f"f{n}", 0, b"evil") for n in range(40)))
    assert (code, runs) == (1, {})
    assert said.count(" 1 block left out\n") == 10 and "mlpboot receive: 30 more such files left out\n" in said
    assert "serial.log: no file of a run is in it; " in said


@pytest.mark.parametrize("run", ["-r", ".r", "..", "a/b", "r\u00e4"])
def test_names_that_are_no_runs_are_lost(tmp_path, log, run):
    code, said, runs = received(tmp_path, b"".join([*log, *blocks(run, "run.json", b"{}")]))
    assert (code, list(runs)) == (1, [RUN])
    assert "\n2 more blocks came damaged" in said


# --- what is refused ---


@pytest.mark.parametrize("words, code, complaint", [
    ([], 2, "LOG"), (["a", "b"], 2, "b"), (["a", "--into", "b"], 2, "--into"),
    (["/nonexistent.log"], 1, "/nonexistent.log: No such file or directory; accepted: the log of a serial port"),
    ([BUILD], 1, "is no regular file"), (["/dev/null"], 1, "receive: /dev/null: is no regular file")])
def test_what_is_refused(tmp_path, words, code, complaint):
    found, said, complaints = tool("receive", *words, *([] if code == 2 else ["--out", tmp_path / "out"]))
    assert (found, said) == (code, "") and complaint in complaints
    assert not (tmp_path / "out").exists()


def test_a_log_without_a_run_is_refused(tmp_path):
    code, said, runs = received(tmp_path, b"noise\n")
    assert (code, runs) == (1, {})
    assert said == f"mlpboot receive: {tmp_path}/serial.log: no file of a run is in it; " \
        "accepted: the log of a serial port\n"
    assert not (tmp_path / "received").exists()


def test_a_pipe_that_is_named_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert tool("receive", tmp_path / "pipe", timeout=60) == (
        1, "", f"mlpboot receive: {tmp_path / 'pipe'}: is no regular file\n")


def test_a_log_of_more_than_a_gigabyte_is_refused(tmp_path):
    with open(tmp_path / "log", "wb") as file:
        file.truncate((1 << 30) + 1)
    assert tool("receive", tmp_path / "log") == (
        1, "", f"mlpboot receive: {tmp_path / 'log'}: has more than 1 GB; cut out the runs that are wanted\n")


def test_a_log_of_too_many_runs_is_refused_before_anything_is_written(tmp_path):
    code, said, runs = received(tmp_path, LOG_BEGIN * 10000)
    assert (code, runs) == (1, {})
    assert said == f"mlpboot receive: {tmp_path}/serial.log: has more than 9999 runs; " \
        "cut out the runs that are wanted\n"


@pytest.mark.parametrize("out, reason", [
    ("file", "cannot be opened as a directory: Not a directory"), ("file/x", "cannot be created: Not a directory")])
def test_a_file_is_no_place_for_runs(tmp_path, log, out, reason):
    (tmp_path / "log").write_bytes(b"".join(log))
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
