"""On U-Boot's UEFI, a firmware other than edk2: no ACPI 2.0 tables, no MP services, SSE off at the start of older ones."""

import re
import subprocess
import threading
import time
from pathlib import Path

from machine import DISKS, QEMU, SHORT, Machine, Volume, prepare_image
from monitor import Monitor

NEEDS = ["u-boot-qemu"]

ROM = Path("/usr/lib/u-boot/qemu-x86_64/u-boot.rom")
SSE = 1 << 9 | 1 << 10  # CR4.OSFXSR and CR4.OSXMMEXCPT


class Boot(Machine):
    """U-Boot resets its machine but cannot switch it off: QEMU stops it there, to be looked at."""

    def __init__(self, folder, config, rom=ROM, image=None, disk=None):
        image = image or prepare_image(folder, config, "reboot")
        super(Machine, self).__init__(Volume(image))
        self.output = b""
        self.process = subprocess.Popen(
            [str(QEMU), "-accel", "tcg", "-machine", "pc", "-cpu", "max", "-m", "1024",
             "-bios", str(rom), "-nodefaults", "-display", "none", "-no-reboot", "-no-shutdown",
             "-drive", f"if={'none,id=disk' if disk else 'ide'},format=raw,file={image}", *DISKS.get(disk, []),
             "-serial", "stdio",
             *Monitor.options(folder / "monitor")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.monitor = Monitor(folder / "monitor")

    def wait_for_reset(self, timeout=300):
        deadline = time.monotonic() + timeout
        while self.monitor.do("query-status")["running"]:
            if time.monotonic() > deadline:
                self.fail(f"no reset after {timeout} s")
            time.sleep(0.05)


def complaints(volume):
    """What fsck.fat says; U-Boot's FAT driver does not keep the count of free clusters, which is a hint."""
    said = [line.partition(" (")[0] for line in volume.fsck().splitlines() if re.match("[A-Z]", line)]
    return [] if said == ["Free cluster summary wrong", "Leaving filesystem unchanged."] else said


def test_u_boot_runs_it_to_its_end_and_finds_sse_as_it_was(tmp_path):
    with Boot(tmp_path, SHORT) as machine:
        machine.wait_for("Hit any key to stop autoboot")
        found = machine.monitor.register("CR4") & SSE
        machine.wait_for_reset()
        assert machine.monitor.register("CR4") & SSE == found
    assert complaints(machine.volume) == []
    results = machine.volume.results()
    assert results.log[-1] == "event=done status=done"
    assert results.pages() == {"2m", "4k"}
    run = results.run
    assert run["status"] == "done"
    assert run["firmware"]["vendor"] == "Das U-Boot"
    # What this firmware does not have is said, in words.
    assert "the firmware has no MP services" in run["certificate"]["other_processors"]
    assert "ACPI 1.0" in run["numa"]["reason"]
    assert "event=clock status=skip reason=the RSDP is of ACPI 1.0" in results.log
    assert "set no default" in run["memory"]["type_without_range_by"]
