"""started: a machine as its firmware leaves it when it has a console and has read no disk yet, kept in
a file. QEMU takes 4 seconds to get there and 0.1 to load it, whatever is on the disk by then."""

import fcntl
import hashlib
import json
import subprocess
import time
from pathlib import Path

# Without it a machine that was stopped when it was kept would be stopped when it is loaded.
RUNS_WHEN_LOADED = ["-global", "migration.store-global-state=off"]

TRIES = 5
TIMEOUT = 60


class Keeper:
    """A machine that is powered on only to be kept. A context manager: leaving kills it."""

    def __init__(self, command, serial):
        self.serial = serial
        self.process = subprocess.Popen(
            [*command, *RUNS_WHEN_LOADED, "-serial", f"file:{serial}", "-qmp", "stdio"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.do("qmp_capabilities")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def do(self, what, **arguments):
        """Has QEMU do something (its machine protocol, QMP); the answer."""
        self.process.stdin.write(json.dumps({"execute": what, "arguments": arguments}) + "\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            assert "error" not in answer, answer
            if "return" in answer:
                return answer["return"]

    def wait(self, reached):
        deadline = time.monotonic() + TIMEOUT
        while not reached():
            assert time.monotonic() < deadline, "the firmware never came to its console"
            time.sleep(0.005)

    def keep(self, path):
        """Keeps the machine in that file; whether it came in time, before the disk was read."""
        self.wait(lambda: self.serial.exists() and self.serial.stat().st_size > 0)
        self.do("stop")
        reads = {drive["device"]: drive["stats"]["rd_operations"]
                 for drive in self.do("query-blockstats")}
        if reads["disk"] > 0:
            return False
        self.do("migrate", uri=f"exec:cat > {path}.part && mv {path}.part {path}")
        self.wait(path.exists)
        return True


def key_of(command, files):
    """What tells whether a kept machine is still the one that this command makes of these files."""
    stamps = [(str(path), path.stat().st_mtime_ns) for path in files]
    return hashlib.sha256(repr((command, stamps)).encode()).hexdigest()[:16]


def started(folder, command, files):
    """
    The file that holds the machine this command makes; it is made if it is not in the folder yet. The
    command names a drive `disk` and no serial port; the files are those of emulator and firmware.
    """
    folder.mkdir(parents=True, exist_ok=True)
    state = folder / key_of(command, files)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if state.exists():
            return state
        for _ in range(TRIES):
            for old in set(folder.iterdir()) - {Path(lock.name)}:
                old.unlink()
            with Keeper(command, folder / "serial.txt") as keeper:
                if keeper.keep(state):
                    return state
    raise AssertionError(f"{TRIES} machines had read their disk before they could be stopped")
