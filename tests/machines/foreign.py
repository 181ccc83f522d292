"""foreign: disks of somebody else's beside the stick, full of files, of which no byte may change."""

import hashlib
import shutil
import struct

from machine import PARTITION_BYTES, PARTITION_OFFSET, Volume, prepare_image, tool

MIB = 1 << 20
SENTINELS = {f"/EFI/DEBIAN/{name}": name.encode() * 700 for name in ("SHIMX64.EFI", "GRUBX64.EFI", "GRUB.CFG")}


def put_sentinels(volume):
    for folder in ("/EFI", "/EFI/DEBIAN", "/home", "/results.old"):
        tool("mmd", "-D", "s", "-i", volume.mtools, f"::{folder}", check=False)
    for path, data in SENTINELS.items():
        volume.write(path, data)
    for number in range(20):
        volume.write(f"/home/{number}.txt", f"file {number}\n".encode() * 999)


def make_a_ring(image, name=None, offset=0):
    """The root's chain of clusters, or that of a folder in it, leads to where it begins; its first cluster is full."""
    with open(image, "r+b") as file:
        def read(at, form):
            file.seek(offset + at)
            return struct.unpack(form, file.read(struct.calcsize(form)))

        def write(at, data):
            file.seek(offset + at)
            file.write(data)

        sector, sectors, reserved, fats = read(11, "<HBHB")
        fat_bytes, cluster = read(36, "<I")[0] * sector, read(44, "<I")[0]
        place = lambda number: reserved * sector + fats * fat_bytes + (number - 2) * sectors * sector
        entries = range(place(cluster), place(cluster) + sectors * sector, 32)
        if name is not None:
            entry = next(at for at in entries if read(at, "11s")[0] == name.ljust(11).encode())
            cluster, = read(entry + 26, "<H")
            entries = range(place(cluster), place(cluster) + sectors * sector, 32)
        for at in entries:
            if read(at, "B")[0] == 0:
                write(at, b"FULL    TXT" + bytes(21))
        for fat in range(fats):
            write(reserved * sector + fat * fat_bytes + 4 * cluster, struct.pack("<I", cluster))


class Foreign:
    """
    Three disks: `system`, an installed system's, with an EFI system partition; `card`, FAT16 without partitions;
    `corrupt`, a FAT32 whose root folder has no end: edk2's driver would read it for ever.
    """

    def __init__(self, folder):
        self.images = {name: folder / f"{name}.img" for name in ("system", "card", "corrupt")}
        (folder / "made").mkdir()
        shutil.move(prepare_image(folder / "made", "", None), self.images["system"])
        system = Volume(self.images["system"])
        for name in ("/EFI/BOOT", "/results", "/report"):
            tool("mdeltree", "-i", system.mtools, f"::{name}")
        system.remove("/mlpboot.cfg")
        put_sentinels(system)
        tool("sgdisk", "-t", "1:EF00", self.images["system"])
        tool("mkfs.fat", "-C", "-F", "16", "-n", "CARD", self.images["card"], "32768")
        put_sentinels(Volume(self.images["card"], 0))
        tool("mkfs.fat", "-C", "-F", "32", "-s", "1", "-n", "CORRUPT", self.images["corrupt"], "40000")
        put_sentinels(Volume(self.images["corrupt"], 0))
        make_a_ring(self.images["corrupt"])
        self.before = self.digests()

    def digests(self):
        return {name: hashlib.sha256(image.read_bytes()).hexdigest() for name, image in self.images.items()}

    def options(self, *names):
        """Options for QEMU that add these disks, or all of them."""
        return [option for name in names or self.images for option in (
            "-drive", f"if=none,id={name},format=raw,file={self.images[name]}",
            "-device", f"virtio-blk-pci,drive={name}")]

    def boots(self, application):
        """The installed system's disk with this application in the place of its boot loader."""
        tool("mmd", "-D", "s", "-i", Volume(self.images["system"]).mtools, "::/EFI/BOOT", check=False)
        Volume(self.images["system"]).write("/EFI/BOOT/BOOTX64.EFI", application)
        self.before = self.digests()
        return self.images["system"]

    def check_untouched(self):
        """Asserts that no byte of any of them is another."""
        assert self.digests() == self.before
