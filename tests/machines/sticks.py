"""sticks: plain files in the place of USB sticks, for `make usb`, with a folder that stands for /sys."""

from machine import command

SECTORS = 200_000  # of 512 bytes, as sysfs counts whatever the stick's own are


class FakeSystem:
    """Two disks: sdy, on USB; sdz, built in. Their device files are plain files."""

    def __init__(self, folder):
        self.folder = folder
        self.sysfs = folder / "sys"
        (self.sysfs / "block").mkdir(parents=True)
        self.add("sdy", "devices/pci/usb1/1-1/block", removable=0)
        self.add("sdz", "devices/pci/ata1/block", removable=0)
        (self.sysfs / "mounts").write_text("")

    def add(self, name, place, removable):
        disk = self.sysfs / place / name
        (disk / f"{name}1").mkdir(parents=True)
        (disk / "device").mkdir()
        (disk / "queue").mkdir()
        (disk / "device/model").write_text("Test Stick   \n")
        (disk / "removable").write_text(f"{removable}\n")
        (disk / "diskseq").write_text("7\n")
        (disk.parent.parent / "serial").write_text("S3R1AL\n")
        (self.sysfs / "block" / name).symlink_to(disk)
        self.make(name)

    def make(self, name, sectors=SECTORS, sector=512):
        """A stick of that size, empty but for what somebody left at its beginning."""
        (self.sysfs / "block" / name / "size").write_text(f"{sectors}\n")
        (self.sysfs / "block" / name / "queue/logical_block_size").write_text(f"{sector}\n")
        with open(self.device(name), "wb") as device:
            device.write(b"mine" * 100_000)
            device.truncate(sectors * 512)

    def device(self, name):
        return self.folder / name

    def usb(self, name, answer=None, **environment):
        """As `make usb` does, answered as it asks or with `answer`: (exit code, everything it said)."""
        device = str(self.device(name))
        return command("bash", "images/write-usb.sh", stdin=(device if answer is None else answer) + "\n",
                       **{"DEV": device, "MLPBOOT_SYSFS": str(self.sysfs), **environment})
