"""What a run leaves on the console: files in a serial log, and a last page that fits the screen."""

import re
import socket
import sys
import time
from pathlib import Path

import pytest

from machine import ROOT, SHORT, Machine, boot

sys.path.insert(0, str(ROOT / "tests"))
from serial_log import recover  # noqa: E402

CLEAR = b"\x1b[2J"
ANSWERS = ["ROB", "MLP", "fill buffers", "caches", "memory", "TLB", "core shared", "noise"]


def page_of(console):
    """The last page's lines, and what follows it."""
    return console[console.rindex("\nmlpboot "):].strip("\n").splitlines()


def test_a_serial_log_gives_the_files_back(tmp_path):
    machine = boot(tmp_path, SHORT + "label = " + "long " * 40 + "\n")
    results = machine.check_done()
    for file in ("verdicts.csv", "log.txt"):
        assert recover(machine.output, file) == results.files[file]
    assert CLEAR in machine.output[:machine.output.index(b"mlpboot ")]
    page = page_of(machine.console)
    assert len(page) <= 24 and max(map(len, page)) <= 79
    for name in ANSWERS:
        assert len([line for line in page if line.startswith(name)]) == 1, name
    assert "status: done" in page[0]
    assert any(re.fullmatch(r"results: +\\results\\0001", line) for line in page)
    assert "It is safe to remove the stick." in page
    assert page[-1] == "Shutting down."
    # Once a second, and once when an experiment ends.
    assert machine.output.count(b"% ") <= machine.seconds + 10
