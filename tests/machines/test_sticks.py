"""`make usb` on plain files in the place of sticks, and read-results.sh: what is written and read is whole."""

import mmap
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from machine import ABSENT, CLEAN, ENVIRONMENT, IMAGE, PARTITION_OFFSET, ROOT, Volume, command, prepare_image, tool
from sticks import SECTORS, FakeSystem

NEEDS = ["gdisk"]

SGDISK = shutil.which("sgdisk", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
FDISK = shutil.which("fdisk", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
MIB = 1 << 20


@pytest.fixture
def system(tmp_path):
    return FakeSystem(tmp_path)


# --- make usb: what it refuses ---


def mounted(name):
    return lambda system: (system.sysfs / "mounts").write_text(f"{name} /media/stick vfat rw 0 0\n")


def mounted_by_label(system):
    """Of /dev, what is there everywhere."""
    system.add("null", "devices/pci/usb1/1-2/block", removable=1)
    (system.folder / "by-label").symlink_to("/dev/null")
    mounted(system.folder / "by-label")(system)


def holds(part):
    return lambda system: (system.sysfs / f"block/sdy/{part}holders/dm-0").mkdir(parents=True)


def made_of(**size):
    return lambda system: system.make("sdy", **size)


def file(name, data):
    return lambda system: (system.folder / name).write_bytes(data)


# The disk, what is changed before, what is answered and set, and what is said of it; @ is the folder of the disk.
REFUSED = [
    ("sdz", None, {}, "not removable"),
    *(("sdy", None, {"answer": answer}, "nothing was written") for answer in ("yes", "")),
    ("sdy1", file("sdy1", bytes(1024)), {}, "not a whole disk"),
    *(("sdy", mounted(f"/dev/{part}"), {}, "/media/stick") for part in ("sdy", "sdy1")),
    ("null", mounted_by_label, {}, "/dev/null is mounted on /media/stick"),
    *(("sdy", holds(part), {}, "dm-0") for part in ("", "sdy1/")),
    ("sdy", made_of(sectors=60_000), {}, "too small: FAT32 needs 33 MiB"),
    ("sdy", made_of(sectors=500_000, sector=4096), {}, "too small: FAT32 needs 257 MiB"),
    ("sdy", made_of(sector=2048), {}, "sectors of 2048 bytes; accepted: 512, 4096"),
    *(("sdy", None, {"SIZE": size}, complaint) for size, complaint in (
        ("1G", "the disk has room for 95 MiB"), ("96M", "room for 95"), ("lots", "SIZE=lots is not a size"), ("0M", "not a size"),
        ("16M", "a volume of 16 MiB with sectors of 512 bytes is too small: FAT32 needs 33 MiB"),
        ("64", "accepted: a number with M or G"))),
    ("sdy", file("other", bytes(2 * MIB)), {"IMAGE": "@/other"}, "@/other is not an image of ours"),
    ("sdy", file("my.cfg", b"suite = quick\npages = 3m\n"), {"CONFIG": "@/my.cfg"},
     "@/my.cfg would be refused when it is booted: mlpboot.cfg:2: pages"),
]


@pytest.mark.parametrize("name, change, given, complaint", REFUSED, ids=range(len(REFUSED)))
def test_usb_refuses(system, name, change, given, complaint):
    if change:
        change(system)
    before = system.device(name).stat().st_mtime_ns
    code, said = system.usb(name, **{word: value.replace("@", str(system.folder)) for word, value in given.items()})
    assert code != 0 and complaint.replace("@", str(system.folder)) in said, said
    assert system.device(name).stat().st_mtime_ns == before


def test_usb_without_a_device_lists_the_candidates(system):
    system.add("sdx", "devices/pci/usb1/1-2/block", removable=1)
    system.make("sdx", sectors=0)  # a card reader without a card
    code, said = command("make", "usb", MLPBOOT_SYSFS=str(system.sysfs))
    assert code != 0
    assert "/dev/sdy" in said and "/dev/sdz" not in said and "/dev/sdx" not in said


def test_usb_never_takes_what_is_no_disk():
    code, said = command("make", "usb", "DEV=/dev/null")
    assert code != 0 and "not a whole disk" in said


@pytest.mark.parametrize("setting", ["DEV", "SIZE", "IMAGE"])
def test_usb_takes_a_quote_for_a_name(system, tmp_path, setting):
    """It is handed over by the environment: in the text of a recipe the shell would run what follows."""
    code, said = command("make", "usb", *(f"{name}={value}" for name, value in {
        "DEV": system.device("sdy"), setting: f'";touch {tmp_path}/ran;"'}.items()),
        MLPBOOT_SYSFS=str(system.sysfs))
    assert code != 0 and not (tmp_path / "ran").exists()
    assert f'";touch {tmp_path}/ran;"' in said  # told as a name or a size that is none


def while_it_asks(system, change):
    """What it says when the disk is changed between the question and the right answer, and its exit code."""
    device = system.device("sdy")
    usb = subprocess.Popen(["bash", "images/write-usb.sh"], cwd=ROOT, text=True, stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           env={**CLEAN, "DEV": str(device), "MLPBOOT_SYSFS": str(system.sysfs)})
    said = ""
    while not said.endswith("(%s): " % device) and (sign := usb.stdout.read(1)):
        said += sign
    change()
    rest, _ = usb.communicate(f"{device}\n", timeout=60)
    return usb.returncode, said + rest


def replace_disk(system):
    """Another disk takes its name, as another file."""
    system.device("sdy").unlink()
    system.make("sdy")


@pytest.mark.parametrize("change, complaint", [
    (lambda system: system.device("sdy").unlink(), "sdy is no longer the disk that was shown"),
    (replace_disk, "sdy is no longer the disk that was shown"),
    (lambda system: (system.sysfs / "mounts").write_text("/dev/sdy1 /media/stick vfat rw 0 0\n"), "mounted on /media/stick"),
    *((lambda system, name=name: (system.sysfs / "block/sdy" / name).write_text("8\n"), "sdy is another disk now")
      for name in ("size", "diskseq", "device/model", "device/../../../serial"))])
def test_usb_looks_again_after_the_question(system, change, complaint):
    code, said = while_it_asks(system, lambda: change(system))
    assert code == 1 and complaint in said, said
    assert not system.device("sdy").exists() or system.device("sdy").read_bytes()[:400] == b"mine" * 100


HOLD = """. images/write-usb.sh; hold $0; copy=$1 pieces="0 4096" progress=none; write_pieces $0; compare_pieces $0
echo held; perl -MFcntl -e 'sysopen my $disk, $ARGV[0], O_RDWR | O_EXCL or die $!' $0; echo had by another"""


@pytest.mark.skipif(os.getuid() != 0, reason="a block device of its own needs root")
def test_usb_has_the_disk_for_itself(tmp_path):
    """On a loop device: what is held nobody else gets; swap, which no table of mounts shows, is refused."""
    (tmp_path / "disk").write_bytes(bytes(MIB))
    (tmp_path / "copy").write_bytes(b"ours" * 1024)
    done = subprocess.run(["losetup", "--find", "--show", tmp_path / "disk"], capture_output=True, text=True,
                          env=ENVIRONMENT)
    if done.returncode != 0:
        pytest.skip(f"no loop device can be made here: {done.stderr.strip()}")
    device = done.stdout.strip()
    try:
        code, said = command("bash", "-c", HOLD, device, tmp_path / "copy")
        assert code != 0 and "held" in said and "Device or resource busy" in said and "another" not in said, said
        assert Path(device).read_bytes() == b"ours" * 1024 + bytes(MIB - 4096)
        tool("mkswap", device)
        tool("swapon", device)
        code, said = command("bash", "-c", HOLD, device, tmp_path / "copy")
        tool("swapoff", device)
        assert code == 1 and "for this program alone (Device or resource busy)" in said and "held" not in said, said
    finally:
        tool("losetup", "--detach", device)


# --- make usb: what it makes ---


def identifiers(device):
    """Of disk, partition and volume."""
    table = tool(SGDISK, "-p", "-i", "1", device).decode()
    disk, = re.findall(r"Disk identifier \(GUID\): (\S+)", table)
    partition, = re.findall(r"Partition unique GUID: (\S+)", table)
    with open(device, "rb") as disk_file:
        disk_file.seek(PARTITION_OFFSET + 67)
        return disk, partition, disk_file.read(4)


def files_of(volume):
    """What each file holds, in all folders; None: a folder."""
    with tempfile.TemporaryDirectory() as folder:
        tool("mcopy", "-s", "-i", volume.mtools, "::/*", folder)
        return {path.relative_to(folder): None if path.is_dir() else path.read_bytes()
                for path in Path(folder).rglob("*")}


def same_files(one, other):
    files = files_of(one)
    return Path("EFI/BOOT/BOOTX64.EFI") in files and files == files_of(other)


def test_usb_makes_a_volume_as_large_as_the_stick(system):
    code, said = command("make", "usb", f"DEV={system.device('sdy')}", MLPBOOT_SYSFS=str(system.sysfs),
                         stdin=f"{system.device('sdy')}\n")
    assert code == 0, said
    for words in ("Test Stick", "102 MB", "S3R1AL", "safe to remove"):
        assert words in said
    device = system.device("sdy")
    assert device.stat().st_size == 200_000 * 512
    assert "No problems found" in tool(SGDISK, "-v", device).decode()
    assert "95.0 MiB" in tool(SGDISK, "-p", device).decode()
    assert Volume(device, length=95 * MIB).fsck() == ""
    assert same_files(Volume(device), Volume(IMAGE))


def test_usb_gives_every_stick_identifiers_of_its_own(system):
    (system.sysfs / "block/sdz/removable").write_text("1\n")  # marked so, it is taken, too
    assert system.usb("sdy")[0] == system.usb("sdz")[0] == 0
    each = [identifiers(path) for path in (system.device("sdy"), system.device("sdz"), IMAGE)]
    assert all(len(set(kind)) == 3 for kind in zip(*each)), each


def test_usb_takes_another_image(system, tmp_path):
    """Such as one that was signed, whose files are others."""
    tool("cp", "--sparse=always", IMAGE, tmp_path / "other")
    other = Volume(tmp_path / "other")
    other.write("/mlpboot.cer", b"certificate")
    other.write("/EFI/BOOT/grubx64.efi", b"application")
    code, said = command("make", "usb", f"DEV={system.device('sdy')}", f"IMAGE={other.image}",
                         MLPBOOT_SYSFS=str(system.sysfs), stdin=f"{system.device('sdy')}\n")
    assert code == 0, said
    assert "mlpboot.cer" in other.list("/") and same_files(Volume(system.device("sdy")), other)


def test_usb_puts_another_configuration_on_the_stick(system, tmp_path):
    (tmp_path / "my.cfg").write_text("pages = 4k\n")
    code, said = system.usb("sdy", CONFIG=str(tmp_path / "my.cfg"))
    assert code == 0, said
    assert Volume(system.device("sdy")).read("/mlpboot.cfg") == b"pages = 4k\n"


def test_usb_takes_an_image_without_a_configuration(system, tmp_path):
    code, said = system.usb("sdy", IMAGE=str(prepare_image(tmp_path, ABSENT, None)))
    assert code == 0 and "mlpboot.cfg" not in Volume(system.device("sdy")).list("/"), said


def test_usb_makes_a_smaller_volume(system):
    code, said = system.usb("sdy", SIZE="40M")
    assert code == 0, said
    assert "40.0 MiB" in tool(SGDISK, "-p", system.device("sdy")).decode()
    assert "No problems found" in tool(SGDISK, "-v", system.device("sdy")).decode()
    assert Volume(system.device("sdy"), length=40 * MIB).fsck() == ""


def make_file(folder, **environment):
    return command("bash", "images/write-usb.sh", "--file", folder / "stick.img", **environment)


def test_a_stick_can_be_a_file(tmp_path):
    (tmp_path / "my.cfg").write_text("pages = 4k\n")
    code, said = make_file(tmp_path, SIZE="40M", CONFIG=str(tmp_path / "my.cfg"))
    assert code == 0 and f"{tmp_path}/stick.img" in said, said
    stick = Volume(tmp_path / "stick.img", length=40 * MIB)
    assert stick.fsck() == "" and stick.read("/mlpboot.cfg") == b"pages = 4k\n"
    assert "No problems found" in tool(SGDISK, "-v", tmp_path / "stick.img").decode()
    before = (tmp_path / "stick.img").read_bytes()
    code, said = make_file(tmp_path)
    assert code == 1 and "is there already" in said and (tmp_path / "stick.img").read_bytes() == before


@pytest.mark.parametrize("environment,complaint", [
    ({"SIZE": "20M"}, "too small"), ({"SIZE": "much"}, "accepted: a number with M or G"),
    ({"SIZE": "3000G"}, "FAT32 takes 2097151 MiB"), ({"CONFIG": "/nonexistent.cfg"}, "/nonexistent.cfg"), ({"IMAGE": "README.md"}, "not an image of ours")])
def test_a_stick_as_a_file_is_whole_or_not_there(tmp_path, environment, complaint):
    code, said = make_file(tmp_path, **environment)
    assert code == 1 and complaint in said and not list(tmp_path.iterdir())


def test_usb_leaves_nothing_of_what_was_on_the_stick_before(system):
    """Between the partition table and the volume another file system's signature may be."""
    assert system.usb("sdy")[0] == 0
    assert b"minemine" not in system.device("sdy").read_bytes()[:8 * MIB]


def test_usb_writes_little_to_a_large_stick(system):
    """128 GiB: tables and files, in clusters of 32 KB."""
    system.make("sdy", sectors=1 << 28)
    code, said = system.usb("sdy")
    assert code == 0, said
    assert Path(system.device("sdy")).stat().st_blocks * 512 < 50 * MIB
    assert same_files(Volume(system.device("sdy")), Volume(IMAGE))
    with open(system.device("sdy"), "rb") as device:
        device.seek(PARTITION_OFFSET + 13)
        assert device.read(1) == bytes([64])


def test_usb_makes_a_stick_of_sectors_of_4_kb(system):
    system.make("sdy", 600_000, sector=4096)
    code, said = system.usb("sdy")
    assert code == 0, said
    listing = tool(FDISK, "-b", "4096", "-l", "-o", "Start,Sectors,Type", system.device("sdy")).decode()
    assert re.search(r"Disklabel type: gpt\n", listing)
    assert listing.splitlines()[-1].split() == ["256", str(290 * 256), "Microsoft", "basic", "data"]
    assert Volume(system.device("sdy"), length=290 * MIB).fsck() == ""
    assert same_files(Volume(system.device("sdy")), Volume(IMAGE))


@pytest.fixture(scope="module")
def false_stick(tmp_path_factory):
    """A library that makes a file a stick that holds less than it says."""
    library = tmp_path_factory.mktemp("false") / "false_stick.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O", "-o", library,
                    Path(__file__).with_name("false_stick.c"), "-ldl"], check=True)
    return library


def as_false(system, library, how, holds):
    return {"LD_PRELOAD": str(library), "FALSE_STICK": str(system.device("sdy")),
            "FALSE_STICK_HOW": how, "FALSE_STICK_HOLDS": str(holds)}


@pytest.mark.parametrize("how, holds, complaint, sectors", [
    ("drops", 1 * MIB, "at byte 0: do not use it", SECTORS),
    ("drops", 50 * MIB, f"at byte {64 * MIB}: do not use it", SECTORS),
    ("drops", 80 * MIB, f"at byte {SECTORS * 512 - MIB}: do not use it", SECTORS),
    ("drops", 5 << 30, f"at byte {8 << 30}: do not use it", 1 << 28),
    ("wraps", 64 * MIB, "at byte 0: do not use it", SECTORS),
    ("fails", MIB + 5000, "writing", SECTORS),
])
def test_usb_refuses_a_stick_that_does_not_read_back(system, false_stick, how, holds, complaint, sectors):
    system.make("sdy", sectors)
    code, said = system.usb("sdy", **as_false(system, false_stick, how, holds))
    assert code != 0 and complaint in said, said
    assert "safe to remove" not in said


# --- read-results.sh ---

RUN = {"run.json": b'{\n  "machine": {\n    "id": "%s"\n  }\n}\n', "results.csv": b"a,b\n1,2\n" * 40_000}


def put_run(volume, number, machine=b"0123456789abcdef"):
    folder = f"/results/{number}"
    volume.make_directory(folder)
    for name, data in RUN.items():
        volume.write(f"{folder}/{name}", data % machine if b"%" in data else data)


def stick_of(path, *numbers, machine=b"0123456789abcdef"):
    """A copy of the image that holds these runs."""
    tool("cp", "--sparse=always", IMAGE, path)
    for number in numbers:
        put_run(Volume(path), number, machine)
    return path


def read_results(*words, **environment):
    return command("sh", "images/read-results.sh", *words, **environment)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_results_are_copied_and_then_found_to_be_there(tmp_path):
    stick, to = stick_of(tmp_path / "stick", "0001", "0002"), tmp_path / "to"
    code, said = read_results(stick, to)
    assert (code, names(to)) == (0, ["0001", "0002"]), said
    assert (to / "0002/results.csv").read_bytes() == RUN["results.csv"]
    before = (to / "0001").stat().st_ino
    code, said = read_results(stick, to)
    assert code == 0 and said.count("already there, the same") == 2
    assert names(to) == ["0001", "0002"] and (to / "0001").stat().st_ino == before


def test_results_of_another_machine_get_a_name_of_their_own(tmp_path):
    to = tmp_path / "to"
    sticks = [stick_of(tmp_path / machine.decode(), "0001", machine=machine)
              for machine in (b"aaaa000000000001", b"bbbb000000000002")]
    for stick in (*sticks, *sticks):
        code, said = read_results(stick, to)
        assert code == 0, said
    assert names(to) == ["0001", "0001-bbbb000000000002"]
    assert b"aaaa" in (to / "0001/run.json").read_bytes()
    assert b"bbbb" in (to / "0001-bbbb000000000002/run.json").read_bytes()


def test_a_machine_is_known_though_power_was_cut_while_its_run_was_described(tmp_path):
    stick, to = stick_of(tmp_path / "stick", "0001"), tmp_path / "to"
    Volume(stick).write("/results/0001/run.bak", RUN["run.json"] % b"0123456789abcdef")
    Volume(stick).write("/results/0001/run.json", RUN["run.json"][:10])
    (to / "0001").mkdir(parents=True)
    code, said = read_results(stick, to)
    assert (code, names(to)) == (0, ["0001", "0001-0123456789abcdef"]), said


def test_results_of_one_machine_that_differ_are_all_kept(tmp_path):
    to = tmp_path / "to"
    stick = stick_of(tmp_path / "stick", "0001")
    for change in range(3):
        Volume(stick).write("/results/0001/log.txt", b"%d\n" % change)
        code, said = read_results(stick, to)
        assert code == 0, said
    assert names(to) == ["0001", "0001-0123456789abcdef", "0001-0123456789abcdef-2"]


def test_a_folder_that_was_half_copied_once_does_not_count_as_the_run(tmp_path):
    stick, to = stick_of(tmp_path / "stick", "0001"), tmp_path / "to"
    (to / "0001").mkdir(parents=True)
    (to / "0001/results.csv").write_bytes(RUN["results.csv"][:1000])
    code, said = read_results(stick, to)
    assert code == 0 and "is another run" in said
    assert (to / "0001-0123456789abcdef/results.csv").read_bytes() == RUN["results.csv"]


def place_of(stick, text):
    return stick.read_bytes().index(text)


def test_a_run_that_cannot_be_read_is_not_copied_in_part(tmp_path, false_stick):
    """A read error in one run: the other is copied whole, and the exit code tells."""
    stick, to = stick_of(tmp_path / "stick", "0001", "0002"), tmp_path / "to"
    environment = {"LD_PRELOAD": str(false_stick), "FALSE_STICK": str(stick), "FALSE_STICK_HOW": "fails",
                   "FALSE_STICK_HOLDS": str(place_of(stick, b"a,b\n1,2\n") + 20_000)}
    code, said = read_results(stick, to, **environment)
    assert code != 0 and "copying 0001" in said and "1 of the runs" in said
    assert names(to) == ["0002"]


def test_an_image_that_was_cut_short_is_refused(tmp_path):
    stick, to = stick_of(tmp_path / "stick", "0001"), tmp_path / "to"
    os.truncate(stick, place_of(stick, b"a,b\n1,2\n") + 20_000)
    code, said = read_results(stick, to)
    assert code != 0 and "cut short" in said and not to.exists()


def test_results_are_found_without_a_partition_table_and_behind_other_partitions(tmp_path):
    plain = tmp_path / "plain"
    with open(plain, "wb") as file:
        file.truncate(20 * MIB)
    tool("/usr/sbin/mkfs.fat", plain)
    volume = Volume(plain, 0)
    volume.make_directory("/results")
    put_run(volume, "0001")
    empty = tmp_path / "empty"
    tool("/usr/sbin/mkfs.fat", "-C", empty, "1024")
    old = tmp_path / "old"  # an MBR, as sticks are sold, with two partitions: a volume without results is the first
    with open(old, "wb") as file:
        file.truncate(30 * MIB)
    tool(FDISK, old, stdin=b"o\nn\np\n1\n2048\n4095\nn\np\n2\n4096\n45055\nt\n2\nc\nw\n")
    with open(old, "r+b") as file:
        for start, volume in ((2048, empty), (4096, plain)):
            file.seek(start * 512)
            file.write(volume.read_bytes())
    for stick in (plain, old):
        code, said = read_results(stick, tmp_path / f"to-{stick.name}")
        assert code == 0, said
        assert names(tmp_path / f"to-{stick.name}") == ["0001"]


def change_entry(stick, name, change):
    """The directory entry of a short name, 32 bytes (fatgen103), as `change` makes it."""
    with open(stick, "r+b") as file, mmap.mmap(file.fileno(), 0) as data:
        at = data.find(name.ljust(11) + b"\x10")
        data[at:at + 32] = change(data[at:at + 32])


# 11 bytes of a short name; a shell, a terminal or a path would make something of each.
CRAFTED = [b"A*", b"[A]", b"A\nB", b"A\n", b"\nA", b".A", b"-RF", b"A\x1b[2J", b"A\x9b2J", b"$(ID)", b"`ID`", b"A;ID", b"A\\B", b"A/B",
           b"'A", b'"A', b"A\x7f", b"A\tB", b"0001"]


def test_folders_of_names_that_no_run_has_are_counted_and_neither_copied_nor_printed(tmp_path):
    stick, to = stick_of(tmp_path / "stick", "0001", "0002"), tmp_path / "to"
    for number, name in enumerate(CRAFTED):
        Volume(stick).make_directory(f"/results/OTHER{number}")
        change_entry(stick, b"OTHER%d" % number, lambda entry: name.ljust(11) + entry[11:])
    code, said = read_results(stick, to)
    assert code == 1 and "has folders of names that no run has, or that two have" in said
    missing, = re.findall(r": (\d+) of the runs on .* could not be copied\n$", said)
    assert len(CRAFTED) <= int(missing) <= len(CRAFTED) + 1  # a name that is two lines
    assert names(to) == ["0001", "0002"] and said.isascii() and said.replace("\n", "").isprintable()
    assert (to / "0002/results.csv").read_bytes() == RUN["results.csv"]


@pytest.mark.parametrize("inside", ["0001", "RESULTS"])
def test_a_folder_that_contains_its_parent_is_not_gone_into(tmp_path, inside):
    stick, to = stick_of(tmp_path / "stick", "0001"), tmp_path / "to"
    Volume(stick).make_directory("/results/0001/LOOP")
    cluster = {}
    change_entry(stick, inside.encode(), lambda entry: cluster.update(high=entry[20:22], low=entry[26:28]) or entry)
    change_entry(stick, b"LOOP", lambda entry: entry[:20] + cluster["high"] + entry[22:26] + cluster["low"] + entry[28:])
    code, said = read_results(stick, to)
    assert code == 0 and sorted(path.name for path in (to / "0001").iterdir()) == sorted(RUN), said


def test_a_file_that_is_there_twice_is_not_copied(tmp_path):
    stick, to = stick_of(tmp_path / "stick", "0001", "0002"), tmp_path / "to"
    for name in ("LOG.TXT", "LOG.TXU"):
        Volume(stick).write(f"/results/0002/{name}", name.encode())
    stick.write_bytes(stick.read_bytes().replace(b"LOG     TXU", b"LOG     TXT"))
    code, said = read_results(stick, to)
    assert code == 1 and "copying 0002" in said and names(to) == ["0001"]


@pytest.mark.parametrize("make, complaint", [
    (lambda path: path.write_bytes(b"no disk"), "has no FAT volume"),
    (lambda path: shutil.copy(IMAGE, path), "holds no results yet"),
    (lambda path: None, "does not exist")])
def test_what_holds_no_results_is_said(tmp_path, make, complaint):
    make(tmp_path / "stick")
    code, said = read_results(tmp_path / "stick", tmp_path / "to")
    assert code != 0 and complaint in said and not (tmp_path / "to").exists()
