"""Somebody else's disks beside the stick: nothing is written there, and nothing opened without need."""

import pytest

import watch
from foreign import Foreign, make_a_ring
from machine import IMAGE, SHORT, Machine, Volume, boot, prepare_image, tool

TINY = "experiments = mlp\npages = 4k\nmlp.loads = 1-2\nmlp.fillers = 0-64/32\nmlp.bytes = 4m\nsamples.min = 5\n" \
       "samples.max = 10\n"


@pytest.fixture
def foreign(tmp_path):
    disks = Foreign(tmp_path)
    yield disks
    disks.check_untouched()


def others_opened(volume):
    return watch.Watched(volume).after["other-volumes-opened"]


def test_a_stick_that_takes_its_results_lets_nothing_else_be_opened(tmp_path, foreign):
    """With room for a run of suite = full, which is the most that is ever written."""
    image = prepare_image(tmp_path, TINY + "suite = full\n", "shutdown")
    watch.install(Volume(image), vices=["opens-are-counted"])
    machine = boot(tmp_path, image=image, extra=foreign.options())
    machine.check_done()
    assert others_opened(machine.volume) == 0


def test_where_no_volume_takes_results_none_that_is_not_marked_is_opened(tmp_path, foreign):
    """A stick without its folder; the corrupt volume is even marked, and no firmware ever reads its folders."""
    marked = Volume(foreign.images["corrupt"], 0)
    tool("mkfs.fat", "-F", "32", "-s", "1", "-n", "CORRUPT", marked.image)
    marked.write("/mlpboot.results", b"")
    make_a_ring(marked.image)
    foreign.before = foreign.digests()
    image = prepare_image(tmp_path, TINY, "shutdown")
    tool("mrd", "-i", Volume(image).mtools, "::/results")
    watch.install(Volume(image), vices=["opens-are-counted"])
    machine = boot(tmp_path, image=image, extra=foreign.options())
    assert machine.ended_well(), machine.evidence()
    assert machine.says("the volume booted from takes no results: it has no folder \\results")
    assert machine.says("a marked volume takes no results: the clusters of a folder do not end")
    assert machine.says("mlp,4k,2,64,")
    assert others_opened(machine.volume) == 0
    assert "mlpboot.state" not in machine.volume.list() and "results" not in machine.volume.list()


def test_started_from_an_installed_systems_disk_nothing_is_written(tmp_path, foreign):
    """And killed in the midst of it."""
    image = foreign.boots(Volume(IMAGE).read("/EFI/BOOT/BOOTX64.EFI"))
    with Machine(tmp_path, image=image, extra=foreign.options("card", "corrupt")) as machine:
        machine.wait_for("making a directory for results")
        machine.wait_for("self-test")
    assert machine.says("the volume booted from takes no results: it has no folder \\results"), machine.evidence()
    assert machine.says("results go to the serial port only")


def test_a_marked_volume_that_the_firmware_has_not_connected(tmp_path, foreign):
    """Firmware that connects only what it boots, from a stick that is read-only: the marked one is found, and is the
    only one that is opened."""
    marked = tmp_path / "marked.img"
    tool("mkfs.fat", "-C", "-F", "16", "-n", "LAB", marked, "32768")
    Volume(marked, 0).write("/mlpboot.results", b"")
    image = prepare_image(tmp_path, TINY, "shutdown")
    tool("mrd", "-i", Volume(image).mtools, "::/results")
    watch.install(Volume(image), vices=["file-systems-are-late"])
    machine = boot(tmp_path, image=image, extra=[
        *foreign.options(), "-drive", f"if=none,id=marked,format=raw,file={marked}",
        "-device", "virtio-blk-pci,drive=marked"])
    assert machine.ended_well(), machine.evidence()
    assert machine.says("results go to \\results\\0001 on the marked volume LAB"), machine.evidence()
    assert others_opened(machine.volume) == 1
    assert Volume(marked, 0, marked.stat().st_size).results().log[-1] == "event=done status=done"


def test_where_opening_another_volume_hangs_later_boots_leave_it(tmp_path):
    """The stick has no number left, and the firmware never comes back from the marked volume. That is noted on the stick
    before; as if it were the second time, the next boot goes on without."""
    marked = tmp_path / "marked.img"
    tool("mkfs.fat", "-C", "-F", "16", "-n", "LAB", marked, "32768")
    Volume(marked, 0).write("/mlpboot.results", b"")
    added = ["-drive", f"if=none,id=marked,format=raw,file={marked}", "-device", "virtio-blk-pci,drive=marked"]
    image = prepare_image(tmp_path, TINY + "hang.seconds = 6\n", "shutdown")
    volume = Volume(image)
    volume.make_directory("/results/9999")
    watch.install(volume, vices=["open-hangs"])
    machine = boot(tmp_path, image=image, extra=added)
    assert not machine.says("Shutting down"), machine.evidence()
    state = volume.read("/mlpboot.state")
    assert b" step=other-volumes cut=0 in=- " in state
    volume.write("/mlpboot.state", state.replace(b"cut=0 in=-", b"cut=1 in=other-volumes"))
    machine = boot(tmp_path, image=image, extra=added)
    assert machine.says("not tried again") and machine.says("results go to the serial port only"), machine.evidence()
    assert machine.says("mlp,4k,2,64,") and machine.says("Shutting down")


def test_on_a_rack_server_that_nobody_answers_at_the_next_boot_entry_follows(tmp_path):
    """Of the stick it is the last one: the firmware then waits in its menu. A stray character is nobody's answer."""
    blade = tmp_path / "enclosure"
    blade.write_bytes(bytes([3, 0x16, 0, 3, 1, 0x80 | 0x1c]) + bytes(0x10) + b"Maker\0\0")
    with Machine(tmp_path, TINY + "finish = wait\nfinish.seconds = 2\n",
                 extra=["-smbios", f"file={blade}"]) as machine:
        machine.wait_for("Press Enter to shut down")
        machine.press("x")
        machine.wait_for("Handing over to the firmware's next boot entry.")
    assert machine.says("otherwise this rack server goes on to its next boot entry in 2 seconds")
    assert machine.volume.results().log[-1] == "event=done status=done"


@pytest.mark.parametrize("vice", ["flush-does-nothing", "flush-is-unsupported"])
def test_firmware_that_writes_a_folder_entry_only_when_its_file_is_closed(tmp_path, vice):
    image = prepare_image(tmp_path, SHORT, "shutdown")
    watch.install(Volume(image), vices=[vice])
    machine = boot(tmp_path, image=image)
    machine.check_done()
    assert machine.says("It is safe to remove the stick.")
