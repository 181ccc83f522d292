"""machine: boots the image in an emulator, here QEMU, and reads what it left on the volume."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

import schema
from monitor import Monitor
from report import runs_of, without_padding
from started import RUNS_WHEN_LOADED, failing_tpm, state_of, variables_of

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
IMAGE = BUILD / "mlpboot.img"
CODE, VARIABLES = map(Path, subprocess.run(["sh", ROOT / "images/find-ovmf.sh"], text=True, check=True,
                                           stdout=subprocess.PIPE).stdout.splitlines())
SECURE_CODE = CODE.parent / "OVMF_CODE_4M.secboot.fd"
QEMU = Path(shutil.which("qemu-system-x86_64") or "qemu-system-x86_64")

NO_VERDICT = 3  # exit status of a run that could measure nothing it was asked for, as beside a neighbour in every visit

PATIENCE = 300  # seconds, for what takes ten here; met only by what hangs

PARTITION_OFFSET = 1 << 20
PARTITION_BYTES = 62 << 20

TABLES = {
    "results.csv": "experiment,case,n,k,bytes,stage,metric,unit,samples,discarded,"
    "min,p10,median,p90,max,mean,p1,visits,center,center_error,mean_error,attempt",
    "verdicts.csv": "experiment,case,name,value,low,high,unit,status,reason,method",
}
FILES = sorted([*TABLES, "run.json", "log.txt", "report.html"])

# A sweep of 9 points for each of two page sizes: seconds, even emulated.
SHORT = """\
pages = 2m 4k
mlp.loads = 1-3
mlp.fillers = 0-64/32
mlp.bytes = 4m
samples.min = 5
samples.max = 10
"""

# What the console says when it asks for a key, and when an experiment's results are on the volume.
KEY_PROMPT = r"(?i)press (a|any) key"
SAVED = r"(?m)^(?P<experiment>\w+).*\bsaved\b"

# Values of `config` that are no text: the image's own, and none at all.
SHIPPED = object()
ABSENT = object()

# usb-storage passes no size of sectors on; what it is made of does.
USB_BOT = ["-device", "qemu-xhci", "-device", "usb-bot,id=bot"]
# The firmware waits for each of its ports, a tenth of a boot.
SATA = ["-machine", "sata=on"]
DISKS = {
    "sata": [*SATA, "-device", "ide-hd,drive=disk"],
    "sata-first": [*SATA, "-device", "ide-hd,drive=disk,bootindex=0"],
    "nvme": ["-device", "nvme,drive=disk,serial=1"],
    # The firmware polls the disk, and each look takes QEMU's lock: a thread of its own needs none.
    "virtio": ["-object", "iothread,id=io", "-device", "virtio-blk-pci,drive=disk,iothread=io"],
    "scsi": ["-device", "virtio-scsi-pci", "-device", "scsi-hd,drive=disk"],
    "usb": ["-device", "qemu-xhci", "-device", "usb-storage,drive=disk"],
    "usb-2": ["-device", "usb-ehci", "-device", "usb-storage,drive=disk,id=stick"],
    "usb-4k": [*USB_BOT, "-device", "scsi-hd,bus=bot.0,drive=disk,logical_block_size=4096,"
               "physical_block_size=4096"],
    "usb-cd": [*USB_BOT, "-device", "scsi-cd,bus=bot.0,drive=disk"],  # as a BMC's virtual media
}

ENVIRONMENT = {**os.environ, "LC_ALL": "C", "TZ": "UTC", "MTOOLSRC": "/dev/null",
               "MTOOLS_SKIP_CHECK": "1", "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
# As a fresh shell would call a command, not as a part of the build that runs the tests.
CLEAN = {name: value for name, value in ENVIRONMENT.items() if not name.startswith("MAKE")}


def tool(*command, stdin=b"", check=True):
    """Runs a command-line tool; its bytes on standard output."""
    done = subprocess.run(command, input=stdin, capture_output=True, env=ENVIRONMENT)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def command(*words, stdin="", **environment):
    """Runs a command in the project's folder: (exit code, everything it said)."""
    done = subprocess.run([str(word) for word in words], input=stdin, text=True, cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**CLEAN, **environment}, timeout=300)
    return done.returncode, done.stdout


def squeeze(text):
    """Text without any white space: a console breaks long lines wherever they reach its edge."""
    return re.sub(r"\s+", "", text)


def without_fill(data):
    """A file without the line ends that it is filled with until its run has ended."""
    return data.rstrip(b"\n") + b"\n" if data.endswith(b"\n") else data


def parse_table(data, header):
    """The rows of a CSV file, each as a dictionary; the file must be whole and well formed."""
    text = without_fill(data).decode("ascii")
    assert text.endswith("\n"), "the last line was cut short"
    lines = list(csv.reader(text.splitlines(), strict=True))
    assert lines[0] == header.split(",")
    assert all(len(line) == len(lines[0]) for line in lines), "a row of another length"
    return [dict(zip(lines[0], line)) for line in lines[1:]]


class Results:
    """The files of one run; each is parsed when it is asked for. Every run.json is by its schema."""

    def __init__(self, files):
        self.files = files
        try:
            conditions = self.run
        except (KeyError, ValueError):  # power was lost; whoever asks for it will see
            return
        assert schema.complaints(conditions) == []

    @property
    def rows(self):
        return parse_table(self.files["results.csv"], TABLES["results.csv"])

    @property
    def verdicts(self):
        return parse_table(self.files["verdicts.csv"], TABLES["verdicts.csv"])

    @property
    def own_rows(self):
        """Of what was asked for; the floor is measured in every run."""
        return [row for row in self.rows if row["experiment"] != "floor"]

    @property
    def own_verdicts(self):
        return [verdict for verdict in self.verdicts
                if verdict["experiment"] != "floor" and verdict["name"] != "above_floor"]

    @property
    def run(self):
        return json.loads(self.files["run.json"])

    @property
    def log(self):
        return without_fill(self.files["log.txt"]).decode().splitlines()

    def points(self):
        """case -> the (n, k) of its rows that hold ticks, in the file's order."""
        points = {}
        for row in self.rows:
            if row["metric"] == "tsc" and row["experiment"] != "floor":
                points.setdefault(row["case"], []).append((int(row["n"]), int(row["k"])))
        return points

    def pages(self):
        """The page sizes that any of the cases were measured with."""
        return {case.partition("-")[0] for case in self.points()}

    @classmethod
    def of_folder(cls, folder):
        return cls({path.name: path.read_bytes() for path in Path(folder).iterdir()})


class Volume:
    """The FAT volume of an image, by tools that know nothing of this project."""

    def __init__(self, image, offset=PARTITION_OFFSET, length=PARTITION_BYTES):
        self.image, self.offset, self.length = Path(image), offset, length
        self.mtools = f"{image}@@{offset}"

    def list(self, path="/"):
        lines = tool("mdir", "-b", "-i", self.mtools, f"::{path}").decode().split()
        return sorted(line.rstrip("/").rpartition("/")[2] for line in lines)

    def read(self, path):
        return tool("mtype", "-i", self.mtools, f"::{path}")

    def write(self, path, data):
        tool("mcopy", "-o", "-i", self.mtools, "-", f"::{path}", stdin=data)

    def make_directory(self, path):
        tool("mmd", "-i", self.mtools, f"::{path}")

    def remove(self, path):
        tool("mdel", "-i", self.mtools, f"::{path}")

    def remove_if_there(self, path):
        tool("mdel", "-i", self.mtools, f"::{path}", check=False)

    def free(self):
        """Bytes that are free."""
        found = re.search(rb"([\d ]+) bytes free", tool("mdir", "-i", self.mtools, "::/"))
        return int(found[1].replace(b" ", b""))

    def fill(self, left=0):
        """Leaves that many bytes free."""
        self.write("/filler", bytes(self.free() - left))

    def fsck(self, option="-n"):
        """What fsck.fat complains of; empty when it accepts the volume. With -a it is repaired."""
        alone = self.image.with_suffix(".volume")
        tool("dd", f"if={self.image}", f"of={alone}", "bs=1M", "conv=sparse", "iflag=skip_bytes,count_bytes",
             f"skip={self.offset}", f"count={self.length}")
        with open(self.image, "r+b") as image:
            done = subprocess.run(["fsck.fat", option, alone], capture_output=True, text=True,
                                  env=ENVIRONMENT)
            if option != "-n":
                image.seek(self.offset)
                image.write(alone.read_bytes())
        alone.unlink()
        return "" if done.returncode == 0 else done.stdout + done.stderr

    def runs(self):
        return self.list("/results")

    def results(self, number=1):
        folder = f"/results/{number:04}"
        return Results({name: self.read(f"{folder}/{name}") for name in self.list(folder)})


def with_finish(config, finish):
    """A configuration that ends as `finish` says, unless it says itself how it ends."""
    data = config.encode() if isinstance(config, str) else config
    if finish is None or re.search(rb"(?m)^[ \t]*finish[ \t]*=", data):
        return data
    return data + (b"" if data.endswith(b"\n") else b"\n") + b"finish = %s\n" % finish.encode()


def mlp_alone(config):
    """The configuration, of one experiment where it says nothing of experiments: what is quick."""
    is_said = "experiments" in config or "suite" in config
    return config if is_said else config.rstrip("\n") + "\nexperiments = mlp\n"


def prepare_image(folder, config, finish, built=IMAGE):
    """A private copy of a built image that holds this configuration."""
    if not built.exists():
        pytest.fail(f"{built} is not there: run make first")
    copy = folder / "mlpboot.img"
    subprocess.run(["cp", "--sparse=always", built, copy], check=True)
    volume = Volume(copy)
    if config is ABSENT:
        volume.remove("/mlpboot.cfg")
    else:
        if config is SHIPPED:
            config = volume.read("/mlpboot.cfg")
        elif isinstance(config, str):
            config = mlp_alone(config)
        volume.write("/mlpboot.cfg", with_finish(config, finish))
    return copy


class Emulator:
    """
    One machine with the image in it, from power-on to its end. A context manager: leaving kills it.
    Who inherits starts `process`, keeps what the serial port says in `output`, and has a thread
    `reader` that ends with the process.
    """

    def __init__(self, volume):
        self.volume = volume
        self.started = time.monotonic()
        self.seconds = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    @property
    def console(self):
        """What was printed so far, without the terminal's control sequences."""
        text = self.output.decode("ascii", "replace")
        return re.sub(r"\x1b\[[0-9;=?]*[A-Za-z]|\r", "", text)

    @property
    def exit_code(self):
        return self.process.returncode

    def says(self, text):
        return squeeze(text) in squeeze(self.console)

    def evidence(self):
        """What tells a person why a test failed."""
        return f"the console's end:\n{self.console[-3000:]}"

    def fail(self, why):
        pytest.fail(f"{why}; {self.evidence()}", pytrace=False)

    def wait_for(self, pattern, timeout=PATIENCE):
        """Waits until the console shows a pattern."""
        deadline = time.monotonic() + timeout
        while not (found := re.search(pattern, self.console)):
            if time.monotonic() > deadline or not self.reader.is_alive():
                self.fail(f"the console never said {pattern!r}")
            time.sleep(0.01)
        return found

    def wait(self, timeout=PATIENCE):
        """Waits until the emulator has ended by itself."""
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            self.fail(f"still running after {timeout} s")
        self._ended()
        return self

    def ended_well(self):
        """Whether the machine was switched off in order."""
        return self.exit_code == 0

    def kill(self):
        """Pulls the plug."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        self._ended()

    def _ended(self):
        self.seconds = self.seconds or time.monotonic() - self.started
        self.reader.join(5)

    def check_done(self, number=1):
        """Asserts that a whole run was done and left everything as it should be; its results."""
        assert self.ended_well(), self.evidence()
        assert self.volume.fsck() == ""
        results = self.volume.results(number)
        assert sorted(results.files) == FILES
        assert all(data == without_fill(data) for data in results.files.values())
        assert results.log[-1] == "event=done status=done"
        assert results.run["status"] == "done"
        assert results.rows and results.verdicts
        assert runs_of(results.files["report.html"]) == {f"{number:04}": without_padding(results.files)}
        return results


def board(variables, *, machine="q35,sata=off", cpu="max", memory=512, smp=1, secure=False, code=None):
    """
    The command that makes a machine without disk and serial port. Secure Boot needs memory of its own for its
    firmware (SMM), and is on if the variables hold keys. `code` is another firmware's than the installed one's.
    """
    code = code or (SECURE_CODE if secure else CODE)
    smm = [",smm=on", "-global", "driver=cfi.pflash01,property=secure,value=on"] if secure else [""]
    return [str(QEMU), "-accel", "tcg", "-machine", machine + smm[0], *smm[1:], "-cpu", cpu,
            "-m", str(memory),
            "-smp", str(smp), "-nodefaults", "-display", "none", "-no-reboot",
            "-drive", f"if=pflash,format=raw,readonly=on,file={code}",
            "-drive", f"if=pflash,format=raw,file={variables}"]


def qemu(image, variables, *, disk="virtio", vga=False, image_options="", backend="file={}", **options):
    """
    The command that makes a machine, but for its serial port. `backend` says how QEMU comes to the image,
    whose path it is given: as options of a drive.
    """
    return [*board(variables, **options),
            "-drive", f"if=none,id=disk,format=raw,{backend.format(image)}{image_options}",
            *DISKS[disk], *(["-vga", "std"] if vga else [])]


STARTED = BUILD / "started"
FIRMWARE = [QEMU, CODE, VARIABLES]


def known_variables():
    """The firmware's variables as a first boot leaves them: to write them takes a fifth of that boot."""
    return variables_of(
        STARTED, lambda variables: qemu(IMAGE, variables, image_options=",snapshot=on"), VARIABLES, FIRMWARE)


# Two cores of two threads: APIC ids 0 and 1, 2 and 3. Emulated, they have MWAIT, and no MPERF.
TWO_BY_TWO = {"smp": "4,sockets=1,cores=2,threads=2", "cpu": "EPYC"}
# QEMU counts instructions, 16 ns each: what the host does meanwhile is not seen.
COUNTED = ["-icount", "shift=4", "-rtc", "base=2026-01-01,clock=vm"]
# What several tests boot: options of a board, and what QEMU is given besides.
KEPT = [({}, []), (TWO_BY_TWO, []), ({}, COUNTED)]


def beginning(disk="virtio", serial=True, readonly=False, extra=(), **options):
    """Options that load a machine which its firmware has started already, if it is one that is kept; or nothing."""
    if disk != "virtio" or not serial or readonly or (options, list(extra)) not in KEPT:
        return []
    command = [*qemu(IMAGE, known_variables(), **options), *extra, "-snapshot"]
    return [*RUNS_WHEN_LOADED, "-incoming", f"exec:cat {state_of(STARTED, command, FIRMWARE)}"]


class Machine(Emulator):
    """
    The machine that QEMU makes. Who wants the usual one, or another that is kept, gets it as its firmware has
    started it, which saves half of a boot; any other is powered on. A monitored one has a `monitor`.
    """

    def __init__(self, folder, config=SHORT, *, finish="shutdown", image=None, serial=True,
                 readonly=False, extra=(), monitored=False, backend="file={}", first_variables=None, **options):
        super().__init__(Volume(image or prepare_image(folder, config, finish)))
        variables = folder / "vars.fd"
        shutil.copy(first_variables or known_variables(), variables)
        begun = beginning(serial=serial, readonly=readonly, extra=extra, **options)
        monitor = folder / "monitor"
        self.output = b""
        self.process = subprocess.Popen(
            [*qemu(self.volume.image, variables, backend=backend, **options,
                   image_options=",readonly=on" if readonly else ""),
             "-serial", "stdio" if serial else "none", *extra, *begun,
             *([] if "code" in options else failing_tpm(folder)),  # others' firmware starts as it does
             *(Monitor.options(monitor) if monitored else [])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.monitor = Monitor(monitor) if monitored else None

    def address_of(self, symbol):
        """Where it is in the image that was loaded."""
        base = re.search(r"image base (\w+)", self.console)[1]
        for line in tool("nm", BUILD / "mlpboot.so").decode().splitlines():
            if line.split()[-1] == symbol:
                return int(base, 16) + int(line.split()[0], 16)
        raise AssertionError(f"there is no {symbol}")

    def stop_inside(self, timeout=120):
        """Stops the machine in the midst of guarded work, its own interrupt table loaded; for monitored ones."""
        is_guarded = self.address_of("guard")  # its first member
        deadline = time.monotonic() + timeout
        while True:
            self.monitor.do("stop")
            if self.monitor.byte(is_guarded) == 1:
                return
            self.monitor.do("cont")
            if time.monotonic() > deadline:
                self.fail("the image never took the processor over")

    def _read(self):
        while piece := os.read(self.process.stdout.fileno(), 65536):
            self.output += piece

    def press(self, keys="\r"):
        self.process.stdin.write(keys.encode())
        self.process.stdin.flush()


def boot(folder, config=SHORT, *, timeout=PATIENCE, key_at_prompt=False, **options):
    """Boots, waits for the end (pressing a key if told to when the console asks); the machine."""
    with Machine(folder, config, **options) as machine:
        if key_at_prompt:
            machine.wait_for(KEY_PROMPT, timeout)
            machine.press()
        return machine.wait(timeout)
