"""firmware_calls: each firmware call of a boot ends badly once, and what becomes of the run. `make faults` is all of it.

The watcher (watch/calls.c) counts the calls of a boot by place. Then, one boot each, one call returns an error, or
gives back zeros or wild values with success, or never returns. QEMU counts instructions and skips idle time, so that
each boot makes the same calls, and a hang of five minutes takes seconds."""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import machine
import watch
from machine import BUILD, ENVIRONMENT, IMAGE, Machine, Volume, prepare_image

OUTCOMES = BUILD / "faults"
MEMORY = "/dev/shm"
COUNTED = ["-icount", "shift=4,sleep=off", "-rtc", "base=2026-01-01,clock=vm"]
machine.KEPT.append(({}, COUNTED))

# Each call that a default boot makes, in few points; it ends as by default, and soon.
CONFIG = """\
pages = 2m
mlp.loads = 1
mlp.fillers = 0
mlp.bytes = 4m
samples.min = 5
samples.max = 5
experiments = mlp
hang.seconds = 5
finish = wait
finish.seconds = 1
"""

PATIENCE = 60  # seconds of processor time for a boot that takes six: others' work does not count
# Files that a run may write.
OWN = re.compile(r"(results/.*|mlpboot\.state|watch(ed)?\.txt)", re.I)
# These switch interrupts off or the machine: no watchdog sees what hangs there. It rests while they are to be off, because
# some firmwares' would count that time at once afterwards; and no other one sees that the call which sets it again hangs.
UNSEEN = {("RaiseTPL", "hangs"), ("RestoreTPL", "hangs"), ("SetWatchdogTimer", "hangs"), ("ResetSystem", "hangs"), ("ResetSystem", "fails")}
VICES = {"e": ["fails"], "g": ["gives-zero", "gives-wild"], "h": ["hangs"]}


class Place(NamedTuple):
    service: str
    endings: str
    at: str
    calls: int


class Trial(NamedTuple):
    service: str
    at: str
    number: int
    ending: str

    @property
    def key(self):
        return f"{self.service}-{self.at}-{self.number}-{self.ending}"

    @property
    def vice(self):
        return f"call-{self.ending} {int(self.at, 16) << 32 | self.number:x}"


def used(process):
    """Seconds of processor time that a process has used."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has just ended
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# --- one boot -----------------------------------------------------------------------------------------


class Boot:
    """A boot of that image, from power-on until it has ended, or until nothing can come any more."""

    def __init__(self, folder, image, vices):
        watch.install_again(Volume(image), vices)
        with Machine(folder, image=image, extra=COUNTED) as qemu:
            while qemu.process.poll() is None and used(qemu.process) < PATIENCE and not self.is_dead(qemu.console):
                time.sleep(0.05)
            self.has_ended = qemu.process.poll() is not None
        self.console = qemu.console
        self.volume = qemu.volume
        self.complaints = self.volume.fsck() and self.volume.fsck("-a") and self.volume.fsck()
        # The next boot changes all of it.
        self.files, self.lost, self.status = self.read_files(), self.find_lost(), self.read_status()
        try:
            self.watched = watch.Watched(self.volume)
        except AssertionError:  # there is no file
            self.watched = None
        if self.watched and not hasattr(self.watched, "ended"):
            self.watched = None

    @staticmethod
    def is_dead(console):
        return "X64 Exception Type" in console or "switch the machine off by hand" in console

    @property
    def how(self):
        if self.watched:
            return "ended"
        if self.has_ended:
            return "cut"
        return "exception" if "X64 Exception Type" in self.console else "stands still"

    @property
    def last_line(self):
        lines = [line.strip() for line in self.console.splitlines() if line.strip()]
        return lines[-1][-120:] if lines else ""

    def read(self, path):
        try:
            return self.volume.read(path).decode(errors="replace")
        except AssertionError:
            return ""

    def read_status(self):
        """The last line of the newest run's log: its status, or the step that it was at."""
        runs = self.read_runs()
        lines = self.read(f"/results/{runs[-1]}/log.txt").replace("\0", "").split("\n") if runs else []
        lines = [line for line in lines if line]
        return lines[-1] if lines else ""

    def read_runs(self):
        try:
            return self.volume.runs()
        except AssertionError:
            return []

    def read_files(self):
        """Each file that a run may not write, with a digest of what it holds."""
        with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
            subprocess.run(["mcopy", "-n", "-s", "-i", self.volume.mtools, "::/", folder], capture_output=True,
                           env=ENVIRONMENT)
            found = {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
                     for path in Path(folder).rglob("*") if path.is_file()}
        return {name: digest for name, digest in found.items() if not OWN.fullmatch(name)}

    def find_lost(self):
        """What the console called saved, and no run on the volume has."""
        kept = "\n".join(self.read(f"/results/{number}/results.csv") for number in self.read_runs())
        return [name for name in re.findall(r"(?m)^(\w+): saved, [1-9]", self.console)
                if not re.search(f"(?m)^{name},", kept)]


def count_calls(folder):
    """The places of a boot in which all calls end well; and the files that it leaves alone."""
    image = prepared(folder)
    boot = Boot(folder, image, [])
    assert boot.how == "ended" and boot.status == "event=done status=done", boot.console[-2000:]
    assert not boot.watched.changed()
    places = []
    for name, calls in sorted(boot.watched.after.items()):
        if name.startswith("call-"):
            _, service, endings, at = name.split("-")
            places.append(Place(service, endings, at, calls))
    return places, boot.files


def prepared(folder):
    image = prepare_image(folder, CONFIG, None)
    watch.install(Volume(image))
    return image


def trials_of(places, seed):
    """Of each place the first call, and one of the others, each with every ending that its service may have."""
    trials = []
    for place in places:
        rng = random.Random(f"{seed} {place.service} {place.at}")
        numbers = [1] + ([rng.randint(2, place.calls)] if place.calls > 1 else [])
        trials += [Trial(place.service, place.at, number, ending)
                   for number in numbers for kind in place.endings for ending in VICES[kind]]
    return trials


def complaints_of(trial, boot, after, files):
    """What a boot, and the one after it, must not do."""
    if boot.how in ("exception", "stands still") and (trial.service, trial.ending) not in UNSEEN:
        yield f"{boot.how}: {boot.last_line}"
    if boot.watched and (changed := boot.watched.changed()):
        yield f"left changed: {'; '.join(changed)}"
    if boot.complaints:
        yield f"fsck.fat: {boot.complaints}"
    if boot.lost:
        yield f"called saved and lost: {' '.join(boot.lost)}"
    if (now := boot.files) != files:
        yield f"other files changed: {sorted(set(now.items()) ^ set(files.items()))}"
    if after is None:
        return
    if after.how != "ended" or not re.fullmatch("event=done status=(done|partial)", after.status):
        yield f"the next boot: {after.how}, {after.status or after.last_line}"
    step = re.search(r"event=(?:step|experiment) name=(\S+)", boot.status)
    if step and "was cut short in" not in after.console:
        yield f"the next boot does not know that this one was cut short in {step[1]}"
    if not step and not boot.last_line:
        yield "nothing names the step"


def try_one(trial, files):
    """Boots with one call that ends badly, and again where that did not end by itself; the outcome."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        folder = Path(name)
        image = prepared(folder)
        boot = Boot(folder, image, [trial.vice])
        after = Boot(folder, image, []) if boot.how != "ended" else None
        return {**trial._asdict(), "how": boot.how, "status": boot.status, "last_line": boot.last_line,
                "complaints": list(complaints_of(trial, boot, after, files)), "console": boot.console[-3000:]}


# --- the campaign -------------------------------------------------------------------------------------


def outcome_of(trial, files, folder):
    """The kept outcome, or a new one, which is kept."""
    path = folder / f"{trial.key}.json"
    if not path.exists():
        path.write_text(json.dumps(try_one(trial, files), indent=1))
    return json.loads(path.read_text())


def told(outcome):
    status = re.search(r"status=(\w+)", outcome["status"])
    return status[1] if outcome["how"] == "ended" and status else outcome["how"]


def table(outcomes):
    """How many boots came to which end, by service and ending of the call; then what was not expected."""
    kinds = sorted({told(outcome) for outcome in outcomes})
    counts = collections.Counter((o["service"], o["ending"], told(o)) for o in outcomes)
    lines = [f"{'service':24} {'the call':11}" + "".join(f"{kind:>14}" for kind in kinds)]
    for service, ending in sorted({key[:2] for key in counts}):
        lines.append(f"{service:24} {ending:11}" + "".join(f"{counts[service, ending, kind] or '':>14}" for kind in kinds))
    for o in outcomes:
        lines += [f"{o['service']} at {o['at']}, call {o['number']} {o['ending']}: {complaint}"
                  for complaint in o["complaints"]]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="a regular expression: trials whose names it matches")
    options = parser.parse_args()
    folder = OUTCOMES / hashlib.sha256(IMAGE.read_bytes()).hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        places, files = count_calls(Path(name))
    trials = [trial for trial in trials_of(places, options.seed) if re.search(options.only, trial.key)]
    print(f"{sum(place.calls for place in places)} calls at {len(places)} places, {len(trials)} boots", flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = []
        for outcome in pool.map(lambda trial: outcome_of(trial, files, folder), trials):
            outcomes.append(outcome)
            if len(outcomes) % 20 == 0:
                print(f"{len(outcomes)} of {len(trials)} boots", flush=True)
    print(table(outcomes))
    return 1 if any(outcome["complaints"] for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
