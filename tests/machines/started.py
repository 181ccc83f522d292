"""started: a machine as its firmware leaves it at some moment, kept in a file. QEMU takes 4 seconds until the
firmware has a console, and 0.1 to load that machine, whatever is on the disk by then. When it has unpacked itself,
3 of them are over, and it has not looked yet which devices there are: they may be others when that is loaded."""

import fcntl
import hashlib
import json
import re
import subprocess
import time

# Without it a machine that was stopped when it was kept would be stopped when it is loaded.
RUNS_WHEN_LOADED = ["-global", "migration.store-global-state=off"]

LONG_MODE_ACTIVE = 1 << 10  # of EFER (Intel SDM volume 3A, 2.2.1)
TRIES = 5
TIMEOUT = 300


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

    def stops_at_console(self):
        """Stops it there; whether it came in time, before the disk was read."""
        self.wait(lambda: self.serial.exists() and self.serial.stat().st_size > 0)
        self.do("stop")
        reads = {drive["device"]: drive["stats"]["rd_operations"]
                 for drive in self.do("query-blockstats")}
        return reads["disk"] == 0

    def stops_unpacked(self):
        """Stops it where edk2 has just come to 64-bit code."""
        self.wait(self.is_in_long_mode)
        return True

    def is_in_long_mode(self):
        self.do("stop")
        registers = self.do("human-monitor-command", **{"command-line": "info registers"})
        if int(re.search(r"EFER=(\w+)", registers)[1], 16) & LONG_MODE_ACTIVE:
            return True
        self.do("cont")
        return False

    def keep(self, path):
        self.do("migrate", uri=f"exec:cat > {path}.part && mv {path}.part {path}")
        self.wait(path.exists)


def key_of(command, files):
    """What tells whether a kept machine is still the one that this command makes of these files."""
    stamps = [(str(path), path.stat().st_mtime_ns) for path in files]
    return hashlib.sha256(repr((command, stamps)).encode()).hexdigest()[:16]


def started(folder, command, files, moment):
    """
    The file that holds the machine this command makes; it is made if it is not in the folder yet. The command names
    no serial port; the files are those of emulator and firmware. `moment`: what stops it (of Keeper).
    """
    folder.mkdir(parents=True, exist_ok=True)
    state, serial = folder / key_of(command, files), folder / "serial.txt"
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for _ in range(TRIES):
            if state.exists():
                return state
            serial.unlink(missing_ok=True)
            with Keeper(command, serial) as keeper:
                if moment(keeper):
                    keeper.keep(state)
    assert state.exists(), f"{TRIES} machines had read their disk before they could be stopped"
    return state
