"""bochs: boots the image in Bochs, which has a counter unit and faults on MSRs it does not know."""

import os
import pty
import re
import subprocess
import threading
from dataclasses import dataclass

from machine import ENVIRONMENT, SHORT, Emulator, Volume, prepare_image

ALL = (1 << 64) - 1

# The firmware itself reads this one (platform id) and would not start without.
FIRMWARE_MSR = 0x17

# Emulated time is a function of the instructions done, not of the host's clock or speed: where few of them are a
# second (`ips`), little is done while somebody waits, for the serial line above all.
# MWAIT is a NOP: a processor that wakes up at once, which it may.
HASWELL = "model=corei7_haswell_4770, mwait_is_nop=1, ips=3000000"
# Two processors to which MWAIT is no instruction. Both together do these in a second: with fewer the second one, where
# it measures, counts as lost.
VENICE = "model=athlon64_venice, count=2, ips=10000000"
CONFIGURATION = """\
cpu: {cpu}, reset_on_triple_fault=0, ignore_bad_msrs=0, msrs=msrs.txt
clock: sync=none, time0=1767225600
memory: guest=512, host=512
romimage: file=/usr/share/ovmf/OVMF.fd
vgaromimage: file=/usr/share/vgabios/vgabios.bin
display_library: term, options="hideIPS"
pci: enabled=1, chipset=i440fx
ata0-master: type=disk, path={image}, mode=flat
boot: disk
com1: enabled=1, mode=file, dev=serial.txt
log: bochs.log
panic: action=fatal
error: action=report
info: action=ignore
debug: action=ignore
"""


@dataclass
class Msr:
    """Plain storage. A write that changes a reserved bit faults, ignored bits stay as they are."""
    first: int = 0
    reserved: int = 0
    ignored: int = 0

    def line(self, index):
        assert all(0 <= value <= ALL for value in (self.first, self.reserved, self.ignored))
        halves = (f"{value >> 32:08x} {value & 0xffffffff:08x}"
                  for value in (self.first, self.reserved, self.ignored))
        return f"{index:#x} 0 {' '.join(halves)}\n"


def from_bit(low):
    """The bits from this one to the highest."""
    return ALL >> low << low


def read_only(value):
    return Msr(value, reserved=ALL)


class Bochs(Emulator):
    """
    The machine that Bochs makes. `msrs` (index -> Msr) are there besides those that Bochs knows
    itself. Several may run at once: each has its files, and a terminal for its display, since the
    display that needs none opens a port.
    """

    def __init__(self, folder, config=SHORT, *, finish="shutdown", image=None, msrs=None, cpu=HASWELL):
        super().__init__(Volume(image or prepare_image(folder, config, finish)))
        self.folder = folder
        msrs = {FIRMWARE_MSR: Msr(), **(msrs or {})}
        (folder / "msrs.txt").write_text("".join(msr.line(index) for index, msr in msrs.items()))
        (folder / "bochs.txt").write_text(
            CONFIGURATION.format(image=self.volume.image, cpu=cpu))
        (folder / "debugger.txt").write_text("c\n")  # it starts in its debugger: go on
        self.shown = b""
        self.screen, terminal = pty.openpty()
        self.process = subprocess.Popen(
            ["bochs-bin", "-q", "-unlock", "-f", "bochs.txt", "-rc", "debugger.txt"], cwd=folder,
            stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True,
            env={**ENVIRONMENT, "TERM": "xterm"})
        os.close(terminal)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        """A terminal that nobody reads stops who writes to it."""
        try:
            while piece := os.read(self.screen, 65536):
                self.shown += piece
        except OSError:  # the other end is closed
            pass
        os.close(self.screen)

    def _file(self, name):
        path = self.folder / name
        return path.read_bytes() if path.exists() else b""

    @property
    def output(self):
        return self._file("serial.txt")

    @property
    def log(self):
        """What the emulator had to say; its end is why it ended."""
        return self._file("bochs.log").decode(errors="replace")

    def ended_well(self):
        return re.findall(r">>PANIC<< (.*)", self.log) == ["ACPI control: soft power off"]

    def evidence(self):
        shown = self.shown.decode(errors="replace")
        return f"{super().evidence()}\nBochs says:\n{self.log[-1000:]}\n{shown[-1000:]}"

    def refused(self):
        """The accesses to MSRs that faulted: ("RDMSR" or "WRMSR", index) each."""
        found = re.findall(
            r"(RDMSR|WRMSR): (?:Unknown register|Write failed to MSR) (0x[0-9a-f]+)", self.log)
        return {(instruction, int(index, 16)) for instruction, index in found}


def boot(folder, config=SHORT, *, timeout=900, **options):
    """Boots, and waits for the end; the machine."""
    with Bochs(folder, config, **options) as machine:
        return machine.wait(timeout)
