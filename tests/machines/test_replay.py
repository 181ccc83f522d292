"""Power cuts, replayed: in each state that a disk may be in, what was called saved is there and the volume can
be used. Hundreds of states of one run; `make replay` looks at thousands."""

import subprocess
import tempfile
from pathlib import Path

import pytest

import replay
from machine import ENVIRONMENT, tool
from replay import END, MEMORY, Recording, Replay, record
from write_log import Write

STATES = 150
FEW = 40
ROW = b"\nfloor,1\n"
FILES = {"results.csv": b"\xa1" * 2048, "run.json": b"\xa2" * 1024}
TEXT = {"results.csv": b"experiment" + ROW, "run.json": b'{"a": "' + b"1" * 900 + b'"}'}
LATER = b'{"a": "' + b"2" * 900 + b'"}'


@pytest.fixture
def memory():
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


def test_nothing_that_was_called_saved_is_lost(memory):
    recording = record(memory, disk="virtio")  # of a kept board; the campaign takes NVMe
    assert list(recording.said) == ["floor", "noise", "mlp", "tlb", "structures", END]
    judge = Replay(recording, memory).run(STATES, seed=1)
    print(replay.told(judge))
    assert judge.counts["states"] > 0.9 * STATES
    assert not judge.faults


# --- that the replay finds what it is to find ---------------------------------------------------------


class Script:
    """Writes made up: a volume that a tool changes, or a person who knows where its bytes are."""

    def __init__(self, folder):
        self.path = folder / "script"
        tool("mkfs.fat", "-C", "-F", "32", "-s", "1", self.path, "34000")
        tool("mmd", "-i", self.path, "::/results", "::/results/0001")
        self.before = self.now = self.path.read_bytes()
        self.writes, self.said = [], {}

    def change(self, data):
        """Sectors that are others in it, each a write."""
        for at in range(0, len(data), 512):
            if data[at:at + 512] != self.now[at:at + 512]:
                self.writes.append(Write(at, data[at:at + 512], False, 0))
        self.now = data
        self.path.write_bytes(data)
        return self

    def copy(self, files=FILES):
        for name, data in files.items():
            tool("mcopy", "-o", "-i", self.path, "-", f"::/results/0001/{name}", stdin=data)
        return self.change(self.path.read_bytes())

    def write(self, old, new):
        return self.change(self.now.replace(old, new.ljust(len(old), b"\0")))

    def flush(self):
        self.writes.append(Write(0, b"", True, 0))
        return self

    def say(self, name):
        self.said[name] = len(self.writes)
        return self

    def allocated(self):
        return self.copy().flush()

    def faults(self, memory):
        final = replay.run_files(self.path)
        self.judge = Replay(Recording(self.before, self.writes, self.said, final), memory).run(FEW, seed=1)
        return sorted(self.judge.faults)


@pytest.fixture
def script(memory):
    return Script(memory)


def test_a_run_that_keeps_the_rules_is_found_sound(memory, script):
    script.allocated()
    for name, text in TEXT.items():
        script.write(FILES[name], text).flush()
    assert script.say("floor").say(END).faults(memory) == []
    counts = script.judge.counts
    assert counts["states"] == counts["clean"] + counts["mended"]
    assert min(counts.values()) > 0


def test_saved_before_it_is_flushed_is_found(memory, script):
    script.allocated().write(FILES["results.csv"], TEXT["results.csv"]).say("floor").flush()
    assert "floor: was called saved before it was" in script.faults(memory)


def test_what_is_lost_later_is_found(memory, script):
    script.allocated().write(FILES["results.csv"], TEXT["results.csv"]).flush().say("floor")
    script.copy({"results.csv": TEXT["results.csv"] + b"mlp,1\n"}).flush()
    assert "floor: results.csv has not what was saved" in script.faults(memory)


def test_a_file_that_is_torn_while_it_is_written_anew_is_found(memory, script):
    script.allocated()
    for name, text in TEXT.items():
        script.write(FILES[name], text).flush()
    script.say("floor").write(TEXT["run.json"], LATER).flush()
    assert script.faults(memory) == ["floor: run.json is torn, and so is run.bak"]


def test_a_volume_that_is_damaged_while_data_alone_changes_is_found(memory, script):
    script.allocated().say("floor").copy({"results.csv": b"\xa3" * 9000}).flush().say("noise").say(END)
    assert any(fault.startswith("fsck.fat: ") for fault in script.faults(memory))
