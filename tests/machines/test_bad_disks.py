"""Disks that fail: pulled out, deaf to writes, slow, or smaller than they say. It is told in words, the run goes on,
and its results go to the next place: a marked volume, else the console."""

import re
import subprocess
import time
from contextlib import contextmanager

import pytest

from foreign import Foreign
from machine import PARTITION_BYTES, PARTITION_OFFSET, SHORT, Machine, Volume, prepare_image, tool
from received import given_back, received

NEEDS = ["nbdkit"]

LOST = "it does not read back as written: the medium lost what was written"
ERROR = "the device reported an error"
SOME = 600_000  # bytes that a disk can still hold, and says that it can hold 60 MB: some files of its first run
FULL = "the firmware finds no room, though there is: the medium may have failed"


def failing_once(number):
    """Events of QEMU's blkdebug: each write leads to the next state, and in the last one a write fails."""
    return ("file.driver=blkdebug,file.image.driver=file,file.image.filename={}" + "".join(
        f",file.set-state.{i}.event=write_aio,file.set-state.{i}.state={i + 1},file.set-state.{i}.new_state={i + 2}"
        for i in range(number - 1)) +
        f",file.inject-error.0.event=write_aio,file.inject-error.0.iotype=write,file.inject-error.0.state={number}"
        ",file.inject-error.0.errno=5,file.inject-error.0.once=on")


OVER_NBD = "file.driver=nbd,file.server.type=unix,file.server.path={}"


@contextmanager
def served(folder, *how):
    """An image behind nbdkit, which does with writes what it is told; options of a drive."""
    socket = folder / "nbd"
    with subprocess.Popen(["nbdkit", "--foreground", "--unix", socket, *how]) as server:
        try:
            while not socket.exists():
                assert server.poll() is None, "nbdkit has ended"
                time.sleep(0.01)
            yield OVER_NBD.format(socket)
        finally:
            server.terminate()


def forgets_behind(image, end):
    """What becomes of a write: from there on nothing, and it is said to be written; $4 is where it goes."""
    return ["eval", f"get_size=stat -c %s {image}", "flush=exit 0",
            f"pread=dd if={image} iflag=skip_bytes,count_bytes skip=$4 count=$3 bs=64k status=none",
            f"pwrite=if [ $4 -ge {end} ]; then cat >/dev/null; "
            f"else dd of={image} conv=notrunc oflag=seek_bytes seek=$4 bs=64k status=none; fi"]


def check_page_is_last(machine):
    """Behind the blocks, so that a console of 25 lines still shows it; it tells where the files are."""
    page = machine.console[machine.console.rindex("=== mlpboot end"):].partition("\ntrouble: ")[2].splitlines()
    assert page[-2:] == ["results:      on the serial port alone; mlpboot.pyz receive makes files of it", "Shutting down."]
    assert len(page) < 25


def check_told_on_console(machine, folder, reason):
    """The run was done to its end, and its files are on the console, with what had been saved before."""
    assert machine.ended_well(), machine.evidence()
    assert machine.says(f"takes no more results: {reason}") or machine.says(f"takes no results: {reason}")
    assert machine.says(f"results.csv could not be saved: {reason}")
    assert not machine.says("safe to remove")
    check_page_is_last(machine)
    assert {(1, 0), (3, 64)} < set(given_back(folder, machine.output).points()["2m"])


def test_a_disk_that_forgets_what_is_written_behind_its_real_end(tmp_path):
    image = prepare_image(tmp_path, SHORT, "shutdown")
    real = PARTITION_OFFSET + PARTITION_BYTES - Volume(image).free() + SOME
    with served(tmp_path, *forgets_behind(image, real)) as backend, \
            Machine(tmp_path, image=image, backend=backend) as machine:
        machine.wait(400)
    assert machine.says("results go to \\results\\0001")
    check_told_on_console(machine, tmp_path, LOST)


def test_a_disk_that_fails_when_it_has_saved_something(tmp_path):
    image = prepare_image(tmp_path, SHORT, "shutdown")
    failing = ["--filter=error", "file", image, "error-pwrite-rate=100%", f"error-file={tmp_path}/worn"]
    with served(tmp_path, *failing) as backend, \
            Machine(tmp_path, image=image, backend=backend, disk="sata") as machine:
        machine.wait_for("floor: saved")
        (tmp_path / "worn").touch()
        machine.wait(400)
    assert machine.says("takes no more results: ")
    # The firmware's driver says that all was well, or a newer one that it was not.
    check_told_on_console(machine, tmp_path, LOST if machine.says(LOST) else ERROR)


def boot_from_disk_failing_once(folder, number):
    """For that write the firmware's driver has an error. The disk's image, when the run has ended."""
    image = prepare_image(folder, SHORT, "shutdown")
    with Machine(folder, image=image, backend=failing_once(number)) as machine:
        machine.wait(400)
    return machine, Volume(image)


def test_a_disk_that_fails_once_while_the_folder_is_made(tmp_path):
    machine, volume = boot_from_disk_failing_once(tmp_path, 8)
    check_told_on_console(machine, tmp_path, FULL)
    assert volume.runs() == ["0001"]  # the firmware leaves half a folder, and does not take it away


def test_a_disk_that_fails_once_while_the_first_file_is_made(tmp_path):
    machine, volume = boot_from_disk_failing_once(tmp_path, 15)
    check_told_on_console(machine, tmp_path, ERROR)
    assert volume.runs() == []  # an empty folder would look like a run
    assert volume.fsck() == ""


def number_of_last_cut(folder):
    """Which write tells last how many clusters are free, of all to a disk that does not fail: firmwares differ."""
    image = prepare_image(folder, SHORT, "shutdown")
    with served(folder, "--filter=log", "file", image, f"logfile={folder}/log") as backend, \
            Machine(folder, image=image, backend=backend) as machine:
        machine.wait(400)
    writes = [int(offset, 16) for offset in re.findall(r" Write id=\d+ offset=(\w+)", (folder / "log").read_text())]
    return len(writes) - writes[::-1].index(PARTITION_OFFSET + 512)


def test_a_disk_that_fails_once_when_all_is_saved_and_files_are_cut(tmp_path):
    """At the very end, when the log has said already that the run is done."""
    machine, _ = boot_from_disk_failing_once(tmp_path, number_of_last_cut(tmp_path))
    check_page_is_last(machine)
    assert machine.says(f"trouble: the files were lost at the end: {ERROR}"), machine.evidence()
    code, said, runs = received(tmp_path, machine.output)
    assert code == 0, said
    [name] = runs.keys() - {"run-1"}  # which has the plain lines of the log, behind whose end the blocks are
    assert sorted(runs[name]) == ["log.txt", "results.csv", "run.json", "verdicts.csv"]
    assert runs[name]["log.txt"].endswith(b"event=done status=done\n")


def test_a_disk_of_one_kb_per_second(tmp_path):
    """Of the machine's seconds: an instruction takes a microsecond, so that twenty to two hundred of them pass in one
    of the clock by which QEMU slows the disk down. For the first 8 KB edk2 writes five times or, since it writes no
    whole blocks of its cache any more, eight."""
    with Machine(tmp_path, backend="file={},throttling.iops-write=4",
                 extra=["-icount", "shift=10,sleep=off"]) as machine:
        machine.wait(400)
    reason, seconds = re.search(r"(the medium is too slow: 8 KB took (\d+) seconds)", machine.console).groups()
    assert 10 <= int(seconds) < 300  # less is fast enough, and with more the firmware would reset the machine
    check_told_on_console(machine, tmp_path, reason)


@pytest.fixture
def marked(tmp_path):
    """A second disk that results may go to; a FAT volume without a partition."""
    disk = tmp_path / "marked.img"
    tool("mkfs.fat", "-C", "-F", "32", "-s", "1", "-n", "LAB", disk, "40000")
    tool("mcopy", "-i", disk, "-", "::/mlpboot.results")
    return disk


def test_results_go_to_a_marked_disk_and_no_other_when_the_stick_is_pulled(tmp_path, marked):
    """While it measures for some seconds, of which edk2 takes one to notice: a transfer to a stick that is not there it
    tries for a minute, polling. At USB 3 it always takes two."""
    foreign = Foreign(tmp_path)
    second = [*foreign.options(), "-drive", f"if=none,id=marked,format=raw,file={marked}", "-device", "virtio-blk-pci,drive=marked"]
    longer = SHORT + "experiments = noise mlp\nnoise.seconds = 3\n"
    with Machine(tmp_path, longer, disk="usb-2", monitored=True, extra=second) as machine:
        machine.wait_for(r"noise +\d+ %")
        machine.monitor.do("device_del", id="stick")
        machine.wait(400)
    assert machine.ended_well()
    assert machine.says("\\results\\0001 takes no more results: ")
    assert machine.says("\\results\\0001 on the marked volume LAB takes them from now on, "
                        "and has all that were saved before")
    results = Volume(marked, 0, marked.stat().st_size).results()
    assert results.log[-1] == "event=done status=done"
    assert {row["experiment"] for row in results.rows} == {"floor", "noise", "mlp"}
    assert results.run["status"] == "done"
    foreign.check_untouched()
