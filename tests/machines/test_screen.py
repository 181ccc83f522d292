"""What a run leaves on the console: files in a serial log, and a last page that fits the screen."""

import contextlib
import json
import os
import pty
import re
import subprocess
import time

import pytest

from machine import KEY_PROMPT, ROOT, SHORT, Machine, boot
from received import received

CLEAR = b"\x1b[2J"
ANSWERS = ["ROB", "MLP", "fill buffers", "caches", "memory", "TLB", "page walk", "core shared", "longest gap"]


def page_of(console):
    """The last page's lines, and what follows it."""
    return console[console.rindex("\nmlpboot "):].strip("\n").splitlines()


def test_a_serial_log_gives_the_files_back(tmp_path):
    machine = boot(tmp_path, SHORT + "label = " + "long " * 40 + "\n")
    results = machine.check_done()
    code, said, runs = received(tmp_path, machine.output)
    assert code == 0, said
    assert runs == {"run-1": {"log.txt": results.files["log.txt"]}}
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


# --- the photograph ---

CELL = 8, 19  # pixels of a character, in edk2's font


def photograph(machine, path):
    """The size of the display, and its rows of text: `x` where a character is, else a blank."""
    machine.monitor.do("screendump", filename=str(path))
    _, size, _, pixels = path.read_bytes().split(b"\n", 3)
    width, height = map(int, size.split())
    assert len(pixels) == 3 * width * height
    columns, rows = width // CELL[0], height // CELL[1]
    left, top = (width - columns * CELL[0]) // 2, (height - rows * CELL[1]) // 2

    def is_lit(row, column):
        start = 3 * (left + column * CELL[0])
        lines = range(top + row * CELL[1], top + (row + 1) * CELL[1])
        return any(any(pixels[3 * width * y + start:3 * width * y + start + 3 * CELL[0]])
                   for y in lines)

    text = ["".join("x" if is_lit(row, column) else " " for column in range(columns)).rstrip()
            for row in range(rows)]
    while text and not text[-1]:
        text.pop()
    return (width, height), text


def test_the_display_shows_the_whole_page(tmp_path):
    """The smallest that a firmware has: 80 columns and 25 lines."""
    size = (640, 480)
    display = ["-device", "VGA,xres={},yres={}".format(*size)]
    with Machine(tmp_path, SHORT, finish="wait", extra=display, monitored=True) as machine:
        machine.wait_for(KEY_PROMPT)
        time.sleep(0.5)  # the display is drawn after the serial line
        shown_size, shown = photograph(machine, tmp_path / "screen.ppm")
        page = page_of(machine.console)
        machine.press()
        machine.wait()
    assert shown_size == size
    assert [line.split()[0] for line in page if line.startswith(("ROB", "longest"))] == ["ROB", "longest"]
    assert shown[-len(page):] == [re.sub(r"\S", "x", line).rstrip() for line in page]


# --- the command ---

HOSTED = ROOT / "build/mlpboot-hosted"
ANSWERED = {"ROB": "192", "MLP": "10", "fill buffers": "10", "memory": "230", "page walk": "60"}


def test_the_command_ends_in_the_same_page(tmp_path):
    done = subprocess.run([HOSTED, "run", "--platform", "model", "--set", "experiments=mlp tlb",
                           "--set", "tlb.pages=2-8*2", "--set", "tlb.loads=1-6", "--set", "mlp.loads=1-14", "--set", "mlp.fillers=0-256/32",
                           "--out", tmp_path / "run"], capture_output=True, text=True, check=True)
    page = page_of(done.stdout)
    assert len(page) <= 22 and max(map(len, page)) <= 79
    for name, value in ANSWERED.items():
        line = next(line for line in page if line.startswith(name))
        assert line[14:].split()[:2] == ["ok", value]
    assert "".join(page[-2:]).replace(" ", "").endswith(f"results:{tmp_path / 'run'}")
    assert "\r" not in done.stdout and "===" not in done.stdout  # files are where they belong


def test_the_shared_core_has_one_figure_and_no_approval(tmp_path):
    """The whole run's share, which run.json has, and not the share that one experiment saw."""
    done = subprocess.run([HOSTED, "run", "--platform", "model:sibling=0.35", "--set", "experiments=noise mlp", "--set", "pages=2m",
                           "--set", "mlp.loads=1-14", "--set", "mlp.fillers=0-256/32", "--set", "samples.max=60",
                           "--out", tmp_path / "run"], capture_output=True, text=True, check=True)
    share = json.loads((tmp_path / "run/run.json").read_text())["certificate"]["core_shared_percent"]
    (line,) = [line for line in page_of(done.stdout) if line.startswith("core shared")]
    assert share > 0 and line.split() == ["core", "shared", "seen", f"{share:g}", *"% of the visits to the core".split()]


def test_a_terminal_sees_progress_in_one_line(tmp_path):
    ours, theirs = pty.openpty()
    process = subprocess.Popen([HOSTED, "run", "--platform", "model", "--set", "experiments=mlp", "--set", "pages=2m",
                                "--out", tmp_path / "run"], stdout=theirs)
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):  # the end of a terminal is an error
        while piece := os.read(ours, 65536):
            said += piece
    os.close(ours)
    assert process.wait() == 0
    seconds = json.loads((tmp_path / "run/run.json").read_text())["seconds"]
    lines = re.findall(rb"\rmlp  \d+ %  (?:left \d+:\d\d|refining)  experiment 1 of 1, \d+:\d\d of about ", said)
    assert 1 <= len(lines) <= seconds + 3  # one a second, the first, the one at 100 %, and the first that refines
