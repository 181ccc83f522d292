"""What the image is shipped on: an ISO as a disc and on a stick, and a stick with sectors of 4 KB. All boot and save."""

import os
import re
import shutil
import subprocess
import threading

import pytest

from machine import BUILD, FILES, IMAGE, QEMU, SHORT, Machine, Results, Volume, boot, command, mlp_alone, prepare_image, tool
from sticks import FakeSystem

NEEDS = ["gdisk"]

MIB = 1 << 20
DIRECTORY = object()
MKFS = shutil.which("mkfs.fat", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
SGDISK = shutil.which("sgdisk", path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def make_iso(folder, config=SHORT + "finish = shutdown\n"):
    (folder / "my.cfg").write_text(mlp_alone(config))
    code, said = command("sh", "images/make-iso.sh", IMAGE, folder / "mlpboot.iso",
                         CONFIG=str(folder / "my.cfg"))
    assert code == 0, said
    return folder / "mlpboot.iso"


def volume_in(iso):
    """Its EFI system partition."""
    start, = re.findall(r"(?m)^ +\d+ +(\d+) +\d+ .* EF00 ", tool(SGDISK, "-p", iso).decode())
    return Volume(iso, int(start) * 512, 31 * MIB)


def read_back(folder, medium, seen):
    """What read-results.sh copies off it; what the volume holds, by other tools, has to be the same."""
    code, said = command("sh", "images/read-results.sh", medium, folder / "copied")
    assert code == 0, said
    assert Results.of_folder(folder / "copied/0001").files == seen.files


# --- The ISO's form ---


@pytest.fixture(scope="module")
def iso():
    code, said = command("make", "iso")
    assert code == 0, said
    return BUILD / "mlpboot.iso"


def test_iso_is_for_discs_and_for_sticks(iso):
    reports = tool("xorriso", "-indev", iso, "-report_el_torito", "plain", "-report_system_area", "plain",
                   check=False).decode()
    image, = re.findall(r"El Torito boot img +: +(.*)", reports)
    _, platform, _, emulation, _, _, sectors, place = image.split()
    assert (platform, emulation) == ("UEFI", "none")
    # Both tables name the same volume, whole: El Torito in sectors of 2048 bytes and a 16-bit length.
    volume = volume_in(iso)
    assert int(place) * 2048 == volume.offset
    assert int(sectors) * 512 == 31 * MIB and int(sectors) < 65536
    assert "No problems found" in tool(SGDISK, "-v", iso).decode()


def test_iso_holds_what_the_image_holds_twice(iso, tmp_path):
    """In the volume that firmware boots, and where whoever opens it, or copies it to a stick, sees it."""
    volume = volume_in(iso)
    assert volume.fsck() == "" and b"Volume label is MLPBOOT " in tool("mlabel", "-s", "-i", volume.mtools, "::")
    assert volume.list("/") == Volume(IMAGE).list("/")
    names = ("EFI/BOOT/BOOTX64.EFI", "mlpboot.cfg", "manual.html", "LICENCE", "NOTICES.md", "report/page.html",
             "report/run.schema.json")
    for names_by in ("any", "norock"):  # Rock Ridge; Joliet, as Windows sees it
        for name in names:
            tool("xorriso", "-osirrox", "on", "-read_fs", names_by, "-indev", iso, "-extract", f"/{name}", tmp_path / "part")
            assert volume.read(f"/{name}") == (tmp_path / "part").read_bytes() == Volume(IMAGE).read(f"/{name}")
            (tmp_path / "part").unlink()


def test_iso_made_again_elsewhere_is_the_same(iso, tmp_path):
    old = os.umask(0o077)
    try:
        code, said = command("sh", "images/make-iso.sh", IMAGE, tmp_path / "again.iso",
                             SOURCE_DATE_EPOCH=build_time())
    finally:
        os.umask(old)
    assert code == 0, said
    assert (tmp_path / "again.iso").read_bytes() == iso.read_bytes()


def build_time():
    return command("make", "-s", "--eval", "show: ; @echo $$SOURCE_DATE_EPOCH", "show")[1].strip()


@pytest.mark.parametrize("config, complaint", [
    (None, "CONFIG={config} is not a file that can be read"), (DIRECTORY, "CONFIG={config} is not a file that can be read"),
    ("suite = quick\npages = 3m\n", "{config} would be refused when it is booted: mlpboot.cfg:2: pages")])
def test_iso_refuses_a_configuration_that_cannot_be(iso, tmp_path, config, complaint):
    if config is DIRECTORY:
        (tmp_path / "my.cfg").mkdir()
    elif config:
        (tmp_path / "my.cfg").write_text(config)
    before = iso.stat().st_mtime_ns
    code, said = command("make", "iso", f"CONFIG={tmp_path / 'my.cfg'}")
    assert code != 0 and complaint.format(config=tmp_path / "my.cfg") in said, said
    assert f"{iso.relative_to(BUILD.parent)} is still the older one" in said and "iso  " not in said
    assert iso.stat().st_mtime_ns == before and not list(BUILD.glob(".iso.*"))


def test_what_takes_no_configuration_says_so():
    code, said = command("make", "sign", "CONFIG=my.cfg")
    assert code != 0 and "CONFIG=my.cfg is not for make sign" in said


# --- Booted ---


def test_iso_as_a_disc_saves_to_a_marked_disk(tmp_path):
    """A USB drive's disc, as a BMC's virtual media is: it does not even say that it is read-only."""
    marked = tmp_path / "marked"
    with open(marked, "wb") as file:
        file.truncate(64 * MIB)
    tool(MKFS, "-n", "LAB", marked)  # without a partition table
    Volume(marked, 0).write("/mlpboot.results", b"")
    disc = make_iso(tmp_path)
    before = disc.read_bytes()
    with Machine(tmp_path, image=disc, disk="usb-cd", readonly=True, extra=[
            "-drive", f"if=none,id=marked,format=raw,file={marked}",
            "-device", "virtio-blk-pci,drive=marked"]) as machine:
        machine.wait(400)
    machine.volume = Volume(marked, 0, 64 * MIB)
    results = machine.check_done()
    assert {case.partition("-")[0] for case in results.points()} == {"2m", "4k"}
    assert machine.says("the volume booted from takes no results: it is a disc")
    assert machine.says("results go to \\results\\0001 on the marked volume LAB")
    assert disc.read_bytes() == before
    read_back(tmp_path, marked, results)


def test_iso_on_a_stick_saves_to_the_volume_in_it(tmp_path):
    """As `dd` writes it: the stick is larger, and the backup partition table is not at its end."""
    stick = make_iso(tmp_path)
    os.truncate(stick, 100 * MIB)
    with Machine(tmp_path, image=stick, disk="usb") as machine:
        machine.wait(400)
    machine.volume = volume_in(stick)
    results = machine.check_done()
    assert machine.says("results go to \\results\\0001")
    read_back(tmp_path, stick, results)


def test_a_stick_with_sectors_of_4_kb_boots_and_saves(tmp_path):
    """Written by `make usb`, and larger than the image."""
    system = FakeSystem(tmp_path)
    system.make("sdy", 600_000, sector=4096)
    image = prepare_image(tmp_path, SHORT, "shutdown")
    code, said = system.usb("sdy", IMAGE=str(image))
    assert code == 0, said
    with Machine(tmp_path, image=system.device("sdy"), disk="usb-4k") as machine:
        machine.wait(400)
    machine.volume = Volume(system.device("sdy"), length=290 * MIB)
    results = machine.check_done()
    assert sorted(results.files) == FILES
    read_back(tmp_path, system.device("sdy"), results)


@pytest.mark.parametrize("built", ["mlpboot.img", "mlpboot.iso"])
def test_a_bios_shows_why_nothing_boots(built, iso):
    """SeaBIOS, whose screen QEMU's board without a display has on its serial port."""
    with subprocess.Popen([QEMU, "-accel", "tcg", "-machine", "pc,graphics=off", "-nodefaults", "-display", "none",
                           "-serial", "stdio", "-drive", f"format=raw,snapshot=on,file={BUILD / built}"],
                          stdout=subprocess.PIPE) as bios:
        killer = threading.Timer(60, bios.kill)
        killer.start()
        said = b""
        while b"in the setup." not in said and (piece := os.read(bios.stdout.fileno(), 4096)):
            said += piece
        killer.cancel()
        bios.kill()
    assert b"mlpboot cannot start in BIOS mode: it needs 64-bit UEFI firmware." in said, said


def test_a_folder_that_qemu_shows_as_a_disk_takes_no_results(tmp_path):
    """What is written there looks right to the guest, and is lost on the host."""
    folder = tmp_path / "disk"
    (folder / "results").mkdir(parents=True)
    (folder / "EFI/BOOT").mkdir(parents=True)
    shutil.copy(BUILD / "BOOTX64.EFI", folder / "EFI/BOOT")
    (folder / "mlpboot.cfg").write_text("experiments = none\nfinish = shutdown\n")  # refused at once
    machine = boot(tmp_path, image=folder, disk="nvme", backend="file=fat:rw:{}")
    assert machine.says("takes no results: QEMU makes it of a folder, and loses what is written: use an image")
    assert not machine.says("It is safe to remove the stick.")
    assert list((folder / "results").iterdir()) == []
