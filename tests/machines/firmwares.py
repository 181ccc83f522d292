"""
firmwares: the image on the firmwares of Debian's newer suites, in QEMU: a line for each says whether the run was
done, the processor is as it was, and the volume is whole. `make firmwares` runs it. Packages are fetched by apt
from the mirror that this machine uses, with lists of their own, and unpacked in build/firmware: nothing is installed.
"""

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

import test_u_boot
import watch
from machine import BUILD, ENVIRONMENT, SHORT, Machine, Volume, prepare_image, tool
from test_watch import MSRS

FETCHED = BUILD / "firmware"
INSTALLED = "installed"
# A package of sid holds what ovmf holds in trixie.
SUITES = {"trixie": ["ovmf", "u-boot-qemu"], "sid": ["ovmf", "ovmf-generic", "u-boot-qemu"]}
KINDS = {"plain": "OVMF_CODE_4M.fd", "secboot": "OVMF_CODE_4M.secboot.fd", "strictnx": "OVMF_CODE_4M.secboot.strictnx.fd"}
PROCESSORS = {"1": 1, "4": "4,sockets=1,cores=2,threads=2"}
# Microsoft Basic Data, which Windows gives a letter, in the place of the EFI system partition.
BASIC_DATA = "EBD0A0A2-B9E5-4433-87C0-68B6B72699C7"
PATIENCE = 400  # seconds


def apt(folder, *arguments):
    own = {"Dir::Etc::SourceList": folder / "sources.list", "Dir::Etc::SourceParts": "/dev/null",
           "Dir::State": folder / "state", "Dir::Cache": folder / "cache", "APT::Sandbox::User": "root", "Acquire::Languages": "none"}
    options = [word for name, value in own.items() for word in ("-o", f"{name}={value}")]
    subprocess.run(["apt-get", "-qq", *options, *arguments], cwd=folder, env=ENVIRONMENT, check=True)


def mirror():
    """Debian's, as this machine's apt has it."""
    said = tool("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages").decode()
    for address in said.splitlines():
        if address.rstrip("/").endswith("/debian"):
            return address
    sys.exit("firmwares: apt has no mirror of Debian's here")


def fetch(suite):
    """The folder that these packages are unpacked in; what was fetched once is taken again."""
    folder = FETCHED / suite
    if not (folder / "root").exists():
        for name in ("state/lists/partial", "cache/archives/partial"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "sources.list").write_text(
            f"deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {mirror()} {suite} main\n")
        apt(folder, "update")
        apt(folder, "download", *SUITES[suite])
        for package in sorted(folder.glob("*.deb")):
            tool("dpkg", "-x", package, folder / "unpacking")
        (folder / "unpacking").rename(folder / "root")
    return folder / "root"


@dataclass
class Try:
    firmware: str
    code: Path
    variables: Path = None  # None: it is U-Boot
    processors: str = "1"
    stick: bool = False  # on USB, of xHCI, which U-Boot has no driver for, or of EHCI; and of the type Basic Data

    @property
    def levels(self):
        """Of page tables: edk2 has four, unless the watcher adds one, which only a lone processor survives."""
        return 5 if self.variables and self.processors == "1" and not self.stick else 4

    def image(self, folder):
        image = prepare_image(folder, SHORT, "shutdown" if self.variables else "reboot")
        watch.install(Volume(image), MSRS, vices=["five-levels"] if self.levels == 5 else [])
        if self.stick:
            tool("sgdisk", "-t", f"1:{BASIC_DATA}", image)
        return image

    def boot(self, folder):
        """The machine, at its end."""
        image = self.image(folder)
        if not self.variables:
            with test_u_boot.Boot(folder, SHORT, self.code, image, disk="usb-2" if self.stick else None) as machine:
                machine.wait_for_reset(PATIENCE)
                return machine
        with Machine(folder, image=image, code=self.code, first_variables=self.variables, cpu="max,la57=on",
                     smp=PROCESSORS[self.processors], secure="secboot" in self.code.name,
                     disk="usb" if self.stick else "virtio",
                     extra=["-global", "usb-storage.removable=on"] if self.stick else []) as machine:
            return machine.wait(PATIENCE)

    def line(self, folder):
        """Whether all is right, and the line's cells."""
        volume = self.boot(folder).volume
        ended = volume.results().log[-1]
        wrong = [ended if ended != "event=done status=done" else "", "; ".join(watch.Watched(volume).changed()),
                 "; ".join(test_u_boot.complaints(volume))]
        return not any(wrong), [one or right for one, right in zip(wrong, ("done", "as before", "whole"))]


def version(package, suite):
    if suite == INSTALLED:
        return tool("dpkg-query", "-W", "-f", "${Version}", package).decode()
    return next((FETCHED / suite).glob(f"{package}_*.deb")).name.split("_")[1]


def tries(suites):
    for suite in suites:
        root = Path("/") if suite == INSTALLED else fetch(suite)
        ovmf, edk2 = root / "usr/share/OVMF", f"edk2 {version('ovmf', suite)}"
        for kind, name in KINDS.items():
            if (ovmf / name).exists():
                for processors in PROCESSORS:
                    yield Try(f"{edk2} {kind}", ovmf / name, ovmf / "OVMF_VARS_4M.fd", processors)
                yield Try(f"{edk2} {kind}", ovmf / name, ovmf / "OVMF_VARS_4M.fd", stick=True)
        rom, u_boot = root / "usr/lib/u-boot/qemu-x86_64/u-boot.rom", f"U-Boot {version('u-boot-qemu', suite)}"
        yield Try(u_boot, rom)
        yield Try(u_boot, rom, stick=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suites", default=" ".join([INSTALLED, *SUITES]))
    parser.add_argument("--only", default="", help="lines that have this text")
    options = parser.parse_args()
    failed = 0
    for one in tries(options.suites.split()):
        name = f"{one.firmware:38} {one.processors:>2} {one.levels} levels {'Basic Data' if one.stick else 'EFI system':10} "
        if options.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                right, cells = one.line(Path(folder))
            except (AssertionError, KeyError, pytest.fail.Exception) as error:  # it left no such file, or hangs
                right, cells = False, [" ".join(str(error).split())[-300:]]
        failed += not right
        print(name + "  ".join(f"{cell:10}" for cell in cells), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
