"""The built files: strict firmware accepts the application, every tool the image, and a rebuild is the same."""

import os
import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

import pe
import schema
from machine import BUILD, CLEAN, ENVIRONMENT, IMAGE, PARTITION_BYTES, PARTITION_OFFSET, ROOT, Volume, tool
from report import MANUAL, PAGE

EFI = BUILD / "BOOTX64.EFI"
ELF = BUILD / "mlpboot.so"
SECTOR = 512
FAT32_CLUSTERS_MIN = 65525


def changed(data, offset, format, change):
    """The bytes with one number in them passed through a function."""
    copy = bytearray(data)
    struct.pack_into(format, copy, offset, change(*struct.unpack_from(format, copy, offset)))
    return bytes(copy)


# --- The application ---


def test_application_has_no_faults():
    assert pe.faults(EFI.read_bytes()) == []


def header_change(offset, format, change):
    return lambda data: changed(data, pe.Pe(data).header + offset, format, change)


def section_change(offset, format, change):
    return lambda data: changed(data, pe.Pe(data).sections[0].header_offset + offset, format, change)


@pytest.mark.parametrize("damage, complaint", [
    (header_change(4, "<H", lambda _: 0x14C), "machine"),
    (header_change(22, "<H", lambda flags: flags | pe.RELOCATIONS_STRIPPED), "stripped"),
    (header_change(24, "<H", lambda _: 0x10B), "magic"),
    (header_change(24 + 16, "<I", lambda _: 0), "entry"),
    (header_change(24 + 32, "<I", lambda _: 512), "section alignment"),
    (header_change(24 + 36, "<I", lambda _: 4096), "file alignment"),
    (header_change(24 + 56, "<I", lambda size: size - pe.PAGE), "SizeOfImage"),
    (header_change(24 + 68, "<H", lambda _: 3), "subsystem"),
    (header_change(pe.DLL_CHARACTERISTICS_OFFSET, "<H", lambda flags: flags & ~pe.NX_COMPAT), "NX"),
    (header_change(24 + 112 + 44, "<I", lambda _: 0), "relocation directory"),
    (section_change(36, "<I", lambda flags: flags | pe.EXECUTE | pe.WRITE), "writable and exec"),
    (section_change(12, "<I", lambda address: address + 16), "start at a page"),
    (section_change(8, "<I", lambda size: size + (1 << 20)), "overlaps another"),
    (section_change(20, "<I", lambda _: 1 << 24), "beyond the file"),
    (lambda data: data + bytes(pe.BYTES_MAX), "too many"),
])
def test_each_fault_of_an_application_is_found(damage, complaint):
    assert any(complaint in fault for fault in pe.faults(damage(EFI.read_bytes())))


# --- The linked file before it became the application ---


def allocated_sections():
    """
    (name, address, size) of each section that takes memory when the program runs. What only a linker
    reads is left out of the application, though ld gives it memory.
    """
    pattern = re.compile(r"\] (\S+) +\S+ +([0-9a-f]{16}) [0-9a-f]+ ([0-9a-f]+) \S+ +(\w*A\w*) ")
    listing = tool("readelf", "-WS", ELF).decode()
    return [(name, int(address, 16), int(size, 16))
            for name, address, size, _ in pattern.findall(listing)
            if name not in (".dynamic", ".rela", ".dynsym", ".dynstr", ".hash")]


def sized_symbols():
    """(name, address, size) of each function and variable, those that start as zeros included."""
    lines = (line.split() for line in tool("nm", "-S", ELF).decode().splitlines())
    return [(line[3], int(line[0], 16), int(line[1], 16)) for line in lines if len(line) == 4]


def linked_relocations():
    """address -> what is there, counted from the image's base."""
    listing = tool("readelf", "-Wr", ELF).decode()
    return {int(address, 16): int(value, 16) for address, value in
            re.findall(r"(?m)^(\w+) +\w+ R_X86_64_RELATIVE +(\w+)$", listing)}


def base_relocations(source, folder):
    """What images/base-relocations.sh does with a C source that is linked without -Bsymbolic."""
    (folder / "a.c").write_text(source)
    tool("gcc", "-shared", "-fpic", "-nostdlib", "-o", folder / "a.so", folder / "a.c")
    return subprocess.run(["sh", ROOT / "images/base-relocations.sh", folder / "a.so"],
                          capture_output=True, text=True, errors="replace")


def uncovered(ranges):
    application = pe.Pe(EFI.read_bytes())
    return [name for name, address, size in ranges if not application.covers(address, size)]


def test_all_that_takes_memory_is_in_a_section_of_the_application():
    assert allocated_sections() and sized_symbols()
    assert uncovered(allocated_sections()) == []
    assert uncovered(sized_symbols()) == []


def test_memory_outside_the_application_is_found():
    end = pe.Pe(EFI.read_bytes()).image_size
    assert uncovered([("last", end - 1, 2), ("beyond", end, 1), ("before", 0, 1)]) == [
        "last", "beyond", "before"]


def test_each_address_in_the_application_is_relocated_by_the_loader():
    application, linked = pe.Pe(EFI.read_bytes()), linked_relocations()
    assert len(linked) > 1000
    assert list(application.base_relocations()) == [(pe.DIR64, address) for address in sorted(linked)]
    assert {address: application.word(address) for address in linked} == linked


def test_constants_with_addresses_are_read_only():
    rodata = pe.Pe(EFI.read_bytes()).section(".rodata")
    assert not rodata.flags & pe.WRITE
    assert sum(rodata.covers(address, 8) for address in linked_relocations()) > 1000


def test_it_says_who_it_is_in_the_words_that_shim_reads():
    """https://github.com/rhboot/shim/blob/main/SBAT.md: names, and generations that are numbers."""
    section = pe.Pe(EFI.read_bytes()).section(".sbat")
    text = EFI.read_bytes()[section.file_offset:section.file_offset + section.size].decode("ascii")
    version, = re.findall(r'mlpboot_version\[\] = "(.*)"', (BUILD / "version.c").read_text())
    assert section.file_size >= section.size
    assert [line.split(",")[:2] for line in text.splitlines()] == [["sbat", "1"], ["mlpboot", "1"]]
    assert [line.count(",") for line in text.splitlines()] == [5, 5] and text.endswith("\n")
    assert text.splitlines()[1].split(",")[4] == version


@pytest.mark.parametrize("source, complaint", [
    ("int x; int *p = &x;", "is none that a PE file can have"),
    ("int x;", "has no relocations")])
def test_what_cannot_be_a_base_relocation_ends_the_build(tmp_path, source, complaint):
    done = base_relocations(source, tmp_path)
    assert done.returncode == 1 and done.stdout == ""
    assert complaint in done.stderr


def test_no_undefined_symbols():
    assert tool("nm", "-u", ELF) == b""


# --- The disk image ---


def volume_faults(image):
    """What is wrong with the FAT volume's boot sector."""
    boot = image[PARTITION_OFFSET:PARTITION_OFFSET + SECTOR]
    sector, per_cluster, reserved, fats = struct.unpack_from("<HBHB", boot, 11)
    hidden, total, fat_sectors = struct.unpack_from("<III", boot, 28)
    clusters = (total - reserved - fats * fat_sectors) // per_cluster
    return [text for wrong, text in (
        (sector != SECTOR, f"sectors of {sector} bytes"),
        (hidden != PARTITION_OFFSET // SECTOR, f"{hidden} hidden sectors"),
        (total * SECTOR != PARTITION_BYTES, f"{total} sectors"),
        (boot[82:90] != b"FAT32   ", f"type {boot[82:90]}"),
        (clusters < FAT32_CLUSTERS_MIN, f"{clusters} clusters are too few for FAT32"),
    ) if wrong]


def partition_faults(path):
    """What is wrong with the partition tables."""
    with open(path, "rb") as image:
        first = image.read(SECTOR)
    sgdisk = shutil.which("sgdisk", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    checked = subprocess.run([sgdisk, "-v", path], capture_output=True, text=True)
    entries = re.findall(r"(?m)^ +\d+ +\d+ +\d+ .* ([0-9A-F]{4}) ",
                         tool(sgdisk, "-p", path, check=False).decode())
    return [text for wrong, text in (
        (first[510:] != b"\x55\xaa" or first[450] != 0xEE, "no protective MBR"),
        ("No problems found" not in checked.stdout or checked.stderr, f"sgdisk: {checked}"),
        (entries != ["0700"], f"partitions {entries}"),
    ) if wrong]


@pytest.fixture
def copy(tmp_path):
    """A copy of the image, to be damaged."""
    return shutil.copy(IMAGE, tmp_path / "mlpboot.img")


def damage(path, offset, data):
    with open(path, "r+b") as image:
        image.seek(offset)
        image.write(data)


def test_image_has_no_faults(copy):
    assert os.path.getsize(copy) == 64 << 20
    assert partition_faults(copy) == []
    assert volume_faults(copy.read_bytes()) == []
    assert Volume(copy).fsck() == ""


@pytest.mark.parametrize("offset, complaint", [(450, "MBR"), (SECTOR + 16, "sgdisk"),
                                               ((64 << 20) - SECTOR, "sgdisk")])
def test_damaged_partition_tables_are_found(copy, offset, complaint):
    damage(copy, offset, b"\x01\x02\x03\x04")
    assert any(complaint in fault for fault in partition_faults(copy))


@pytest.mark.parametrize("offset, format, value, complaint", [
    (28, "<I", 0, "hidden"), (13, "<B", 8, "clusters"), (32, "<I", 100000, "sectors")])
def test_damaged_boot_sector_is_found(offset, format, value, complaint):
    image = changed(IMAGE.read_bytes(), PARTITION_OFFSET + offset, format, lambda _: value)
    assert any(complaint in fault for fault in volume_faults(image))


def test_damaged_volume_is_found(copy):
    first_fat = PARTITION_OFFSET + 32 * SECTOR
    damage(copy, first_fat + 4 * 100, b"\x07\x00\x00\x00" * 8)
    assert Volume(copy).fsck() != ""


def test_image_holds_the_application_the_default_configuration_the_manual_and_the_page(copy):
    volume = Volume(copy)
    assert volume.read("/EFI/BOOT/BOOTX64.EFI") == EFI.read_bytes()
    assert b"finish" in volume.read("/mlpboot.cfg")
    assert volume.read("/manual.html") == MANUAL.read_bytes()
    assert volume.read("/report/page.html") == PAGE.read_bytes()
    assert volume.read("/report/run.schema.json") == schema.PATH.read_bytes()
    assert volume.list("/") == ["EFI", "LICENCE", "NOTICES.md", "manual.html", "mlpboot.cfg", "mlpboot.pyz", "report", "results"]
    assert volume.list("/results") == []


# --- The build ---


def copy_sources(folder):
    """All that is here, but for what is made: a release is no repository."""
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(
        "build", ".git", "__pycache__", ".pytest_cache", ".hypothesis"))


ANEW = 6  # each sixth object; `make dist-check` compiles all three times


def copy_objects(folder):
    """Of all but those that are to be made anew. No object names the place where it was made."""
    objects = sorted((BUILD / "efi").rglob("*.o"))
    assert not any(str(ROOT).encode() in made.read_bytes() for made in objects)
    for made in set(objects) - set(objects[::ANEW]):
        for path in filter(Path.exists, (made, made.with_suffix(".d"))):
            copy = folder / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)


def make(folder, *arguments):
    """As a fresh shell would call it, not as a part of the build that runs this test; what it says."""
    return subprocess.run(["make", "-s", "-C", folder, *arguments], env=CLEAN, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def build_image(folder):
    """In another place and without git, told the version and the time that the build here knows."""
    copy_sources(folder)
    copy_objects(folder)
    version, = re.findall(r'mlpboot_version\[\] = "(.*)"', (BUILD / "version.c").read_text())
    time = make(ROOT, "--eval", "show: ; @echo $$SOURCE_DATE_EPOCH", "show").strip()
    make(folder, "build/mlpboot.img", f"VERSION={version}", f"SOURCE_DATE_EPOCH={time}")
    return folder / "build/mlpboot.img"


def test_the_image_built_in_another_place_is_the_same(tmp_path):
    assert build_image(tmp_path / ("b" * 40) / "c").read_bytes() == IMAGE.read_bytes()
