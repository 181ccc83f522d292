"""
replay: power cuts as a disk sees them. One run is recorded write by write; then the disk is made as it may
be when power is lost at any moment: a disk has all that was written before the last flush, and of what
was written since, any sectors or none. Of each such state it is asked what `fsck.fat` says, and whether
all that the console had called saved by then is there.
"""

import argparse
import collections
import hashlib
import itertools
import json
import math
import mmap
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import write_log
from machine import ENVIRONMENT, PARTITION_BYTES, PARTITION_OFFSET, SAVED, Machine, prepare_image
from write_log import Write

# Four experiments, each of a few points.
CONFIG = """\
experiments = noise mlp tlb structures
pages = 4k
noise.seconds = 1
mlp.loads = 1-2
mlp.fillers = 0-64/32
mlp.bytes = 4m
tlb.loads = 1-2
tlb.pages = 2-16*2
structures.fillers = 0-64/32
samples.min = 5
samples.max = 10
"""
SPARE = "run.bak"  # where what is written over an older text is written first
END = "safe to remove"  # on the console, when all that will ever be there is there
SECTOR = 512
FLUSHED = ("nvme", "virtio")  # disks whose cache edk2 has emptied
TRIES = 100  # to find losses that leave another volume
MEMORY = Path("/dev/shm")


# --- the run --------------------------------------------------------------------------------------


class Recorded(Machine):
    """A machine whose writes are kept; `said`: what was called saved -> how long the log was by then."""

    def __init__(self, folder, config, **options):
        self.log = folder / "writes"
        self.said = {}
        super().__init__(folder, config, backend=write_log.backend(self.log), **options)

    def _read(self):
        while piece := os.read(self.process.stdout.fileno(), 65536):
            length = self.log.stat().st_size
            self.output += piece
            for name in [*re.findall(SAVED, self.console), *re.findall(END, self.console)]:
                self.said.setdefault(name, length)


class Recording:
    """A run that ended: the volume before it, its writes, what was called saved behind how many of them, and
    the files that it left."""

    def __init__(self, before, writes, said, final):
        self.before, self.writes, self.said, self.final = before, writes, said, final

    def said_before(self, count):
        """What was called saved when so many requests were done."""
        return frozenset(name for name, at in self.said.items() if at <= count)


def record(folder, config=CONFIG, disk="nvme"):
    """A disk that the firmware never asks to empty its cache counts as one without: what was written is there."""
    before = prepare_image(folder, config, "shutdown")
    with open(before, "rb") as image:
        image.seek(PARTITION_OFFSET)
        volume = image.read(PARTITION_BYTES)
    with Recorded(folder, image=before, config=config, disk=disk) as machine:
        machine.wait(300)
    final = machine.check_done().files
    writes = [write._replace(at=write.at - PARTITION_OFFSET) for write in write_log.read_log(machine.log)]
    assert all(0 <= write.at <= PARTITION_BYTES - len(write.data) for write in writes if write.data)
    if disk not in FLUSHED:
        writes = [each for write in writes for each in (write, Write(0, b"", True, write.end))]
    # A line is read after it was printed: the log may hold more by then, never less.
    said = {name: sum(write.end <= length for write in writes) for name, length in machine.said.items()}
    return Recording(volume, writes, said, final)


# --- states ---------------------------------------------------------------------------------------


class Moment:
    """Writes between two flushes: of what was not flushed, anything may be lost."""

    def __init__(self, first, writes):
        self.first, self.writes = first, writes
        self.lengths = [len(write.data) // SECTOR for write in writes]
        self.whole = [range(length) for length in self.lengths]

    # A loss: how many of the writes were done, and for each of them the sectors that arrived.

    def plain_losses(self):
        """All until any of them; part of the last; one lost; one alone."""
        whole, nothing, last = self.whole, [range(0)] * len(self.whole), len(self.whole)
        for done in range(last + 1):
            yield done, whole[:done]
        for done, length in enumerate(self.lengths):
            for part in (range(length)[:1], range(length // 2), range(length - 1), range(length // 2, length)):
                yield done + 1, [*whole[:done], part]
        for one in range(last):
            yield last, [*whole[:one], range(0), *whole[one + 1:]]
            yield last, [*nothing[:one], whole[one], *nothing[one + 1:]]

    def any_losses(self, rng):
        """Without end."""
        while True:
            done = rng.randrange(len(self.lengths) + 1)
            yield done, [some(rng, length) for length in self.lengths[:done]]

    def losses(self, rng):
        plain = list(self.plain_losses())
        rng.shuffle(plain)
        return itertools.chain(plain, self.any_losses(rng))


def some(rng, length):
    """Of so many sectors all, none, those to or from one on, or any."""
    cut = rng.randrange(length + 1)
    return rng.choice([range(length), range(0), range(cut), range(cut, length),
                       sorted(rng.sample(range(length), cut))])


def moments(writes):
    """The requests, cut at each flush, which is in none."""
    first, moment = 0, []
    for number, write in enumerate(writes, 1):
        if not write.flushes:
            moment.append(write)
            continue
        yield Moment(first, moment)
        first, moment = number, []
    yield Moment(first, moment)


class Disk:
    """A volume in a file of memory, to which writes are done and undone."""

    def __init__(self, path, data):
        self.path = path
        with open(path, "wb") as file:
            file.truncate(len(data))
            for at in range(0, len(data), 1 << 16):  # with holes, where there are zeros
                if any(piece := data[at:at + (1 << 16)]):
                    file.seek(at)
                    file.write(piece)
        with open(path, "r+b") as file:
            self.bytes = mmap.mmap(file.fileno(), len(data))

    def write(self, writes, arrived):
        """Writes those sectors of each; what was there before in each that is another now."""
        was = {}
        for write, sectors in zip(writes, arrived):
            for sector in sectors:
                at = write.at + sector * SECTOR
                new = write.data[sector * SECTOR:(sector + 1) * SECTOR]
                if (old := self.bytes[at:at + SECTOR]) != new:
                    was.setdefault(at, old)
                    self.bytes[at:at + SECTOR] = new
        return was

    def undo(self, was):
        for at, old in was.items():
            self.bytes[at:at + SECTOR] = old

    def digest(self, base, was):
        """Tells volumes apart: of this one, when it was `base` before it was changed."""
        changed = [at for at in sorted(was) if self.bytes[at:at + SECTOR] != was[at]]
        if not changed:
            return base
        digest = hashlib.blake2b(base, digest_size=16)
        for at in changed:
            digest.update(at.to_bytes(8, "little") + self.bytes[at:at + SECTOR])
        return digest.digest()


# --- what is asked of a state -----------------------------------------------------------------------


def fsck(path, how):
    """What fsck.fat says; empty when it accepts the volume."""
    done = subprocess.run(["fsck.fat", how, path], capture_output=True, text=True, errors="replace",
                          env=ENVIRONMENT)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def run_files(path):
    """The files of the first run, by mtools; what cannot be read is not there."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        subprocess.run(["mcopy", "-n", "-s", "-i", path, "::/results/0001", folder], capture_output=True,
                       env=ENVIRONMENT)
        return {file.name: file.read_bytes() for file in Path(folder).rglob("*") if file.is_file()}


def told_of(data):
    """What a file tells: without the room behind it that is still empty."""
    return data.rstrip(b"\0 \n")


class Promise:
    """What has to be there from a moment on, when something was called saved: what the disk had for good then."""

    def __init__(self, name, files, final):
        self.grown = {}  # files that only grow: at least this is there
        self.others = []
        for file in files.keys() & final.keys():
            if final[file].startswith(told := told_of(files[file])):
                self.grown[file] = told
            else:
                self.others.append(file)
        self.is_early = self.grown != {file: told_of(data) for file, data in final.items()} if name == END else (
            f"\n{name},".encode() not in self.grown.get("results.csv", b""))

    def broken(self, files, versions):
        """What of it is not so, in words; versions: what each file ever was."""
        if self.is_early:
            yield "was called saved before it was"
        for file, told in self.grown.items():
            if not files.get(file, b"").startswith(told):
                yield f"{file} has not what was saved"
        for file in self.others:
            there = [told_of(files.get(name, b"")) for name in (file, SPARE)]
            if not any(told in versions[file] and is_json(told) for told in there):
                yield f"{file} is torn, and so is {SPARE}"


def is_json(told):
    try:
        return isinstance(json.loads(told), dict)
    except ValueError:
        return False


class Judge:
    """Looks at states, and counts them."""

    def __init__(self, final, disk, names):
        self.disk, self.final, self.names = disk, final, names
        self.promises = {}
        self.versions = collections.defaultdict(set)
        self.counts = collections.Counter()
        self.faults = collections.Counter()
        self.first = {}  # of each fault the state that has it

    def learn(self, names):
        """The disk has what was flushed by now; these were called saved before the next flush."""
        files = run_files(self.disk.path)
        for file, data in files.items():
            self.versions[file].add(told_of(data))
        for name in names:
            self.promises[name] = Promise(name, files, self.final)

    def fault(self, kind, where):
        self.faults[kind] += 1
        self.first.setdefault(kind, where)

    def look(self, said, where):
        complaints = fsck(self.disk.path, "-n")
        self.counts["states"] += 1
        if complaints != "":
            self.mend(complaints, said, where)
            return
        self.counts["clean"] += 1
        self.check_files(self.disk.path, said, where)

    def check_files(self, path, said, where):
        files = run_files(path)
        for name in sorted(said):
            for broken in self.promises[name].broken(files, self.versions):
                self.fault(f"{name}: {broken}", where)

    def mend(self, complaints, said, where):
        """While files get their room and lose it, before the first is saved and after the last was, a volume may be
        damaged, if `fsck.fat -a` makes it sound and loses nothing that was saved. It is run twice where it has to be: it
        does not look again at what it has changed."""
        if said and not said & set(self.names[-2:]):
            self.fault(f"fsck.fat: {squeezed(complaints)}", where)
            return
        mended = self.disk.path.with_suffix(".mended")
        subprocess.run(["cp", "--sparse=always", self.disk.path, mended], check=True)
        fsck(mended, "-a")
        left = fsck(mended, "-a")
        if left and (left := fsck(mended, "-n")):
            self.fault(f"fsck.fat -a leaves: {squeezed(left)}", where)
        self.check_files(mended, said, where + ", mended")
        self.counts["mended"] += 1


def squeezed(complaints):
    """What was complained of, without numbers and names."""
    return "; ".join(re.sub(r"\d+", "N", line.strip()) for line in complaints.splitlines()[1:-1] if line.strip())


class Replay:
    """The states of a recording, in a folder that is in memory."""

    def __init__(self, recording, folder):
        self.recording = recording
        self.disk = Disk(folder / "volume", recording.before)
        self.judge = Judge(recording.final, self.disk, list(recording.said))
        self.base = b""  # digest of the volume without what is not yet flushed
        self.seen = set()

    def run(self, states, seed, progress=lambda judge: None):
        """Looks at that many states, no two alike; the judge."""
        parts = list(moments(self.recording.writes))
        shares = [len(list(part.plain_losses())) for part in parts]
        self.rehearse(parts)
        wanted = 0.0
        for part, share in zip(parts, shares):
            wanted += states * share / sum(shares)
            self.look_at(part, random.Random(f"{seed} {part.first}"), wanted)
            self.base = self.disk.digest(self.base, self.disk.write(part.writes, part.whole))
            progress(self.judge)
        return self.judge

    def rehearse(self, parts):
        """All as it was, once, for the judge."""
        was = {}
        for part, end in zip(parts, [part.first for part in parts[1:]] + [math.inf]):
            self.judge.learn([name for name, at in self.recording.said.items() if part.first <= at < end])
            was = {**self.disk.write(part.writes, part.whole), **was}
        self.judge.learn([])
        self.disk.undo(was)

    def look_at(self, part, rng, wanted):
        """Until that many were looked at in all, or no further are found."""
        tries = 0
        for done, arrived in part.losses(rng):
            tries += 1
            if self.judge.counts["states"] >= wanted or tries > 20 * len(part.writes) + 10 * TRIES:
                break
            was = self.disk.write(part.writes, arrived)
            said = self.recording.said_before(part.first + done)
            key = self.disk.digest(self.base, was), said
            if key not in self.seen:
                self.seen.add(key)
                self.judge.look(said, f"after request {part.first + done}")
            self.disk.undo(was)


# --- the campaign -------------------------------------------------------------------------------------


def told(judge):
    counts = judge.counts
    lines = [f"{counts['states']} states, no two alike: fsck.fat accepts {counts['clean']} and mends {counts['mended']}"]
    lines += [f"{count} times {kind}; the first: {judge.first[kind]}" for kind, count in judge.faults.items()]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=12000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--disk", default="nvme",
                        help="nvme (usual), virtio; usb and sata, which count as disks without a cache")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        recording = record(Path(folder), CONFIG, options.disk)
        print(f"one run on a disk of {options.disk}: {len(recording.writes)} requests, "
              f"{sum(write.flushes for write in recording.writes)} flushes; called saved: {', '.join(recording.said)}")
        judge = Replay(recording, Path(folder)).run(options.states, options.seed, show)
    print("\r" + told(judge))
    return 1 if judge.faults else 0


def show(judge):
    if sys.stdout.isatty():
        print(f"\r{judge.counts['states']} states, {sum(judge.faults.values())} faults", end="", flush=True)


if __name__ == "__main__":
    sys.exit(main())
