"""started: a machine as its firmware leaves it at its console, kept in a file, and the firmware's variables. QEMU
takes a second until then, and 0.1 to load that machine, whatever is on the disk by then."""

import fcntl
import hashlib
import json
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

# Without it a machine that was stopped when it was kept would be stopped when it is loaded.
RUNS_WHEN_LOADED = ["-global", "migration.store-global-state=off"]

TRIES = 5
TIMEOUT = 300


def failing_tpm(folder):
    """
    Options for a TPM that fails, which every machine has that is loaded, and the file that it is. edk2 looks for one
    that is not there for 1.6 seconds, half of its start, and for this one no time at all. QEMU passes commands on to
    the file, and reads the answers behind them: the first says that it is a TPM 2.0 (response code 0, 10 bytes; TPM
    2.0 part 1, 18), and the others are not there.
    """
    path = folder / "tpm"
    path.write_bytes(bytes(10) + bytes.fromhex("8001 0000000a 00000000"))
    return ["-tpmdev", f"passthrough,id=tpm,path={path},cancel-path=/dev/null", "-device", "tpm-tis,tpmdev=tpm"]


class Keeper:
    """A machine that is powered on only to be kept, with files in that folder. A context manager: leaving kills it."""

    def __init__(self, command, folder):
        self.serial = folder / "serial.txt"
        self.serial.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [*command, *RUNS_WHEN_LOADED, *failing_tpm(folder), "-serial", f"file:{self.serial}", "-qmp", "stdio"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
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

    def keep(self, path):
        self.do("migrate", uri=f"exec:cat > {path}.part && mv {path}.part {path}")
        self.wait(path.exists)


@contextmanager
def made_once(folder, suffix, *what):
    """
    The path in the folder of what is made of `what`, QEMU's command or files: where nothing is there yet, to be made
    by whoever has it, while all others wait.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stamps = [(str(word), word.stat().st_mtime_ns if isinstance(word, Path) else 0) for word in what]
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder / (hashlib.sha256(repr(stamps).encode()).hexdigest()[:16] + suffix)


def variables_of(folder, command_with, first, files):
    """
    The file of the firmware's variables when a machine has come to its console, which had those of `first` when it
    was powered on. `command_with` makes the command of it, without a serial port; files as for state_of(), `first`
    among them.
    """
    with made_once(folder, ".fd", *files) as path:
        if not path.exists():
            part = path.with_suffix(".part")
            shutil.copy(first, part)
            with Keeper(command_with(part), folder) as keeper:
                keeper.stops_at_console()
            part.rename(path)
    return path


def state_of(folder, command, files):
    """
    The file that holds the machine this command makes; it is made if it is not in the folder yet. The command names
    no serial port; the files are those of emulator and firmware.
    """
    with made_once(folder, ".state", *command, *files) as path:
        for _ in range(TRIES):
            if path.exists():
                return path
            with Keeper(command, folder) as keeper:
                if keeper.stops_at_console():
                    keeper.keep(path)
    assert path.exists(), f"{TRIES} machines had read their disk before they could be stopped"
    return path
