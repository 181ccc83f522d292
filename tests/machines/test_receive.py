"""`mlpboot-hosted receive`: blocks as the manual says they are, made here; and what the command refuses."""

import hashlib
import re

import pytest

from machine import BUILD
from received import received
from test_commands import HOSTED, command

RUN = "0007-3f2a91c4"
TABLE = "".join(f"mlp,2m,{n},label L\u00e4\\bel \n" for n in range(99)).encode()


def escape(line):
    text = "".join(chr(byte) if 32 <= byte < 127 and byte != 92 else "\\\\" if byte == 92 else f"\\x{byte:02x}"
                   for byte in line)
    return text[:-1] + "\\x20" if text.endswith(" ") else text


def block(title, data):
    lines = data.split(b"\n")
    text = "".join(f"|{escape(line)}\r\n" for line in lines[:-1])
    text += f"|{escape(lines[-1])}\\\r\n" if lines[-1] else ""
    checksum = hashlib.sha256(data + title.encode()).hexdigest()[:16]
    return f"=== mlpboot {title} ===\r\n{text}=== mlpboot end sha256 {checksum} ===\r\n".encode()


def blocks(run, file, data, size=1000):
    """All of a file."""
    title = f"{run} {file} version 1"
    parts = [block(f"{title} at {at} bytes {len(data[at:at + size])}", data[at:at + size])
             for at in range(0, len(data), size)]
    whole = hashlib.sha256(data).hexdigest() + "\n"
    return [*parts, block(f"{title} whole {len(data)}", whole.encode())]


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


def test_the_last_writing_that_is_whole_is_taken(tmp_path, log):
    again = block(f"{RUN} run.json version 2 at 0 bytes 3", b"{2}")
    code, said, runs = received(tmp_path, b"".join([*log, again]))
    assert code == 1 and "run.json: not whole: where it ends is not in the log" in said
    assert runs[RUN] == {"results.csv": TABLE, "run.json": b"{}", "run.json.2.part": b"{2}"}


def test_from_standard_input_into_the_current_folder(tmp_path, log):
    code, said = command("sh", "-c", f'cd "$1" && exec "{HOSTED}" receive -', "sh", tmp_path,
                         stdin=b"".join(log).replace(b"\xff\x00", b"").decode())
    assert code == 0, said
    assert (tmp_path / RUN / "results.csv").read_bytes() == TABLE


def test_nothing_is_overwritten_and_nothing_half_done(tmp_path, log):
    other = blocks("0006-aaaaaaaa", "run.json", b"{}")
    assert received(tmp_path, b"".join(log))[0] == 0
    code, said, runs = received(tmp_path, b"".join([*other, *log]))
    assert code == 1 and f"{RUN}: is there already; name another directory with --out" in said
    assert list(runs) == [RUN]


@pytest.mark.parametrize("words, code, complaint", [
    ([], 2, "LOG"), (["a", "b"], 2, "b"), (["a", "--into", "b"], 2, "--into"),
    (["/nonexistent.log"], 1, "/nonexistent.log: No such file or directory; accepted: the log of a serial port"),
    ([BUILD], 1, "Is a directory; accepted: the log"), (["/dev/null"], 1, "/dev/null: no file of a run is in it")])
def test_what_is_refused(tmp_path, words, code, complaint):
    found, said = command(HOSTED, "receive", *words, *([] if code == 2 else ["--out", tmp_path / "out"]))
    assert (found, complaint in said) == (code, True), said


@pytest.mark.parametrize("out, reason", [
    ("file", "cannot be opened as a directory: Not a directory"), ("file/x", "cannot be created: Not a directory")])
def test_a_file_is_no_place_for_runs(tmp_path, log, out, reason):
    (tmp_path / "log").write_bytes(b"".join(log))
    (tmp_path / "file").write_bytes(b"mine")
    code, said = command(HOSTED, "receive", tmp_path / "log", "--out", tmp_path / out)
    assert (code, said) == (1, f"mlpboot-hosted receive: {tmp_path / out}: {reason}\n")
    assert (tmp_path / "file").read_bytes() == b"mine"


def test_help():
    code, said = command(HOSTED, "receive", "--help")
    assert code == 0 and re.search("Exit status: 0 .* 1 .* 2 ", said)
