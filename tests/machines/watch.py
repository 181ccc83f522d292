"""watch: puts the watcher (watch/*.c) before the image, and says what the image left changed."""

from machine import BUILD

APPLICATION = BUILD / "watch.efi"

# Memory types, which every processor has whose CPUID announces MTRRs (SDM volume 3A, 12.11).
MTRRS = [0xFE, 0x250, 0x258, 0x259, *range(0x268, 0x270), 0x2FF,
         *(0x200 + i for i in range(16))]

# No instruction loads a null selector into the task register: one that was null may stay loaded.
MAY_STAY = {"tr": 0}

# edk2 starts every processor with our own timer's count of the moment (MpLib.c, SyncLocalApicTimer); MPERF and APERF
# count by themselves.
MOVES = ("-apic-timer-initial", "msr-e7", "msr-e8")


def vice_lines(vices):
    return "".join(f"vice {name} {number or 0}\n" for name, _, number in (vice.partition(" ") for vice in vices))


def install(image_volume, read=(), given=None, hang=None, vices=(), protects=None):
    """
    The watcher starts first and starts the image, which lies beside it. It looks at the registers
    that every processor has, at the MSRs in `read`, and at those in `given` (index -> value), which
    it gives these values before. All of them must exist: the watcher survives no fault. When the
    console says `hang`, writing to the volume never returns from then on. `vices`: what the firmware
    does badly until the image has ended, each a name of the table in watch/vices.c, for some with a
    number behind it: the processors from that one on. `protects`: the firmware's tables let no page of
    the image ("image"), or none at all ("all"), be both written and run.
    """
    lines = [f"read {index:x}\n" for index in read]
    lines += [f"set {index:x} {value:x}\n" for index, value in (given or {}).items()]
    lines += [f"hang {hang}\n"] if hang else []
    lines += [vice_lines(vices)]
    lines += [f"protect {protects}\n"] if protects else []
    image_volume.write("/EFI/BOOT/MLPBOOT.EFI", image_volume.read("/EFI/BOOT/BOOTX64.EFI"))
    image_volume.write("/EFI/BOOT/BOOTX64.EFI", APPLICATION.read_bytes())
    image_volume.write("/watch.txt", "".join(lines).encode())


def install_again(image_volume, vices):
    """Before a boot in which calls are counted, and end as these vices say: nothing is watched yet."""
    image_volume.remove_if_there("/watched.txt")
    image_volume.write("/watch.txt", vice_lines(["calls-are-counted", *vices]).encode())


class Watched:
    """The watcher's two looks, each as register -> value; an MSR is named "msr-" and its index."""

    def __init__(self, volume):
        self.before, self.after = {}, {}
        for line in volume.read("/watched.txt").decode("ascii").splitlines():
            moment, name, value = line.split()
            if moment == "ended":
                self.ended = name, int(value, 16)
            else:
                getattr(self, moment)[name] = int(value, 16)

    def changed(self):
        """One line for each register that differs and must not."""
        return [f"{name} was {value:x}, is {self.after[name]:x}"
                for name, value in self.before.items()
                if value not in (self.after[name], MAY_STAY.get(name)) and not name.endswith(MOVES)]


def check_restored(volume, msrs=(), ended="reset"):
    """Asserts that the image ended that way and left all as it was, these MSRs among it."""
    watched = Watched(volume)
    missing = {f"msr-{index:x}" for index in msrs} - watched.before.keys()
    changed = watched.changed()
    assert watched.ended[0] == ended, f"the image ended by {watched.ended}"
    assert not missing, f"not watched: {missing}"
    assert not changed, "the image left changed: " + "; ".join(changed)
    return watched
