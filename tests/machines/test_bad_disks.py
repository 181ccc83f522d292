"""Disks that fail: pulled out, deaf to writes, slow, or smaller than they say. It is told in words, the run goes on,
and its results go to the next place: a marked volume, else the console."""

import subprocess
import time
from contextlib import contextmanager

import pytest

from machine import PARTITION_BYTES, PARTITION_OFFSET, SHORT, Machine, Volume, prepare_image, tool
from received import given_back

LOST = "it does not read back as written: the medium lost what was written"
SOME = 600_000  # bytes that a disk can still hold, and says that it can hold 60 MB: some files of its first run
FAILING = 10  # the write that fails, and all behind it
FULL = "the firmware finds no room, though there is: the medium may have failed"

# Events of QEMU's blkdebug: each write leads to the next state, and in the last one all writes fail.
COUNTED = ("file.driver=blkdebug,file.image.driver=file,file.image.filename={}" + "".join(
    f",file.set-state.{i}.event=write_aio,file.set-state.{i}.state={i + 1},file.set-state.{i}.new_state={i + 2}"
    for i in range(FAILING - 1)) +
    f",file.inject-error.0.event=write_aio,file.inject-error.0.iotype=write,file.inject-error.0.state={FAILING}"
    ",file.inject-error.0.errno=5")
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


def smaller(image, bytes):
    """What is written behind those bytes is said to be done, and forgotten."""
    return ["eval", f"get_size=stat -c %s {image}", "flush=exit 0",
            f"pread=dd if={image} iflag=skip_bytes,count_bytes skip=$4 count=$3 bs=64k status=none",
            f"pwrite=if [ $4 -lt {bytes} ]; then dd of={image} conv=notrunc oflag=seek_bytes seek=$4 bs=64k status=none;"
            " else cat >/dev/null; fi"]


def check_told_on_console(machine, folder, reason):
    """The run was done to its end, and its files are on the console, with what had been saved before."""
    assert machine.ended_well(), machine.evidence()
    assert machine.says(f"takes no more results: {reason}") or machine.says(f"takes no results: {reason}")
    assert machine.says(f"results.csv could not be saved: {reason}")
    assert not machine.says("safe to remove")
    assert {(1, 0), (3, 64)} < set(given_back(folder, machine.output).points()["2m"])


def test_a_disk_that_forgets_what_is_written_behind_its_real_end(tmp_path):
    image = prepare_image(tmp_path, SHORT, "shutdown")
    real = PARTITION_OFFSET + PARTITION_BYTES - Volume(image).free() + SOME
    with served(tmp_path, *smaller(image, real)) as backend, \
            Machine(tmp_path, image=image, backend=backend) as machine:
        machine.wait(120)
    assert machine.says("results go to \\results\\0001")
    check_told_on_console(machine, tmp_path, LOST)


def test_a_disk_that_fails_from_the_tenth_write_on(tmp_path):
    with Machine(tmp_path, backend=COUNTED) as machine:
        machine.wait(120)
    check_told_on_console(machine, tmp_path, LOST)  # the firmware's driver says that all was well


def test_a_disk_whose_tenth_write_fails(tmp_path):
    with Machine(tmp_path, disk="virtio", backend=COUNTED + ",file.inject-error.0.once=on") as machine:
        machine.wait(120)
    check_told_on_console(machine, tmp_path, FULL)


def test_a_disk_that_takes_seconds_for_each_write(tmp_path):
    image = prepare_image(tmp_path, SHORT, "shutdown")
    with served(tmp_path, "--filter=delay", "file", image, "wdelay=3") as backend, \
            Machine(tmp_path, image=image, backend=backend) as machine:
        machine.wait(150)
    assert machine.says("the medium is too slow: ")
    given_back(tmp_path, machine.output)


@pytest.fixture
def marked(tmp_path):
    """A second disk that results may go to; a FAT volume without a partition."""
    disk = tmp_path / "marked.img"
    tool("mkfs.fat", "-C", "-F", "32", "-s", "1", "-n", "LAB", disk, "40000")
    tool("mcopy", "-i", disk, "-", "::/mlpboot.results")
    return disk


def test_results_go_to_a_marked_disk_when_the_stick_is_pulled(tmp_path, marked):
    second = ["-drive", f"if=none,id=marked,format=raw,file={marked}", "-device", "virtio-blk-pci,drive=marked"]
    longer = SHORT.replace("0-64/32", "0-512/8")
    with Machine(tmp_path, longer, disk="usb", monitored=True, extra=second) as machine:
        machine.wait_for(r"mlp +\d+ %")  # while it measures: in a transfer edk2 waits for a minute
        machine.monitor.do("device_del", id="stick")
        machine.wait(150)
    assert machine.ended_well()
    assert machine.says("\\results\\0001 takes no more results: ")
    assert machine.says("\\results\\0001 on the marked volume LAB takes them from now on, "
                        "and has all that were saved before")
    results = Volume(marked, 0, marked.stat().st_size).results()
    assert results.log[-1] == "event=done status=done"
    assert {row["experiment"] for row in results.rows} == {"floor", "mlp"}
    assert results.run["status"] == "done"
