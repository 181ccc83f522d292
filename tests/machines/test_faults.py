"""What can go wrong on a real machine: faults, volumes that take no files, no configuration."""

import re

import pytest

import pe
from machine import ABSENT, BUILD, KEY_PROMPT, SHORT, Machine, boot
from received import given_back, received

BLOCK = re.compile(rb"=== mlpboot [0-9a-f-]+ [a-z.]+ version .*?=== mlpboot end .*?\n", re.S)


def plain(folder, output):
    """The files that the console always has, as lines; without them there is nothing to tell."""
    folder.mkdir()
    code, said, runs = received(folder, BLOCK.sub(b"", output))
    assert code == 0, said
    return runs["run-1"]


def check_results_are_printed(machine, folder, last=64):
    """The console's log gives back what no volume took."""
    assert machine.exit_code == 0
    results = given_back(folder, machine.output)
    assert {(3, last)} < set(results.points()["2m"]) == set(results.points()["4k"])
    for file, data in plain(folder / "plain", machine.output).items():
        assert results.files[file] == data
    # A reason is told once for each file.
    assert machine.console.count(" could not be saved: ") == len(results.files)


def test_a_fault_is_told_and_survived(tmp_path):
    machine = boot(tmp_path, SHORT + "selftest = fault\n")
    assert machine.exit_code == 0  # switched off in order, not reset
    console = machine.console.lower()
    for word in ("rip", "rsp", "cr2", "step", "image base"):
        assert word in console
    assert "x64 exception type" not in console  # which is how firmware tells one, and stops
    rsp, base = (int(re.search(name + " ([0-9a-f]{16})", console)[1], 16) for name in ("rsp", "image base"))
    assert pe.Pe((BUILD / "BOOTX64.EFI").read_bytes()).section(".bss").covers(rsp - base, 8)  # the image's own stack
    log = machine.volume.results().log
    assert log[-1] == "event=done status=error"
    assert any("fault" in line for line in log[:-1])
    assert machine.volume.fsck() == ""


def test_a_full_volume_costs_no_results(tmp_path):
    with Machine(tmp_path) as machine:  # only for its image; it has not begun to boot
        machine.kill()
    machine.volume.fill()
    machine = boot(tmp_path, image=machine.volume.image)
    check_results_are_printed(machine, tmp_path)
    assert machine.volume.fsck() == ""


def test_a_volume_without_room_for_all_costs_no_results(tmp_path):
    """There is room for the directory and the first files, but not for all rows: none is begun there."""
    many = SHORT.replace("0-64/32", "0-1000/25")
    with Machine(tmp_path, many) as machine:
        machine.kill()
    machine.volume.fill(left=50 << 10)
    machine = boot(tmp_path, image=machine.volume.image, timeout=120)
    check_results_are_printed(machine, tmp_path, last=1000)
    assert machine.volume.fsck() == ""
    assert machine.says("the volume is full: 50 KB are free, and this run may need")
    assert machine.volume.runs() == []


def test_a_volume_without_room_for_the_page_takes_all_else(tmp_path):
    with Machine(tmp_path) as machine:
        machine.kill()
    machine.volume.fill(left=4 << 20)
    machine = boot(tmp_path, image=machine.volume.image)
    assert machine.volume.fsck() == ""
    assert machine.says("report.html is not written: less than 8 MB would be left")
    results = machine.volume.results()
    assert {row["experiment"] for row in results.rows} == {"floor", "mlp"}
    assert results.log[-1] == "event=done status=done"
    assert [line for line in results.log if line.startswith("event=report reason=less than 8 MB")]
    assert "report.html" not in results.files


@pytest.mark.parametrize("disk", ["virtio", "usb"])  # SATA and NVMe cannot be read-only here
def test_a_read_only_volume_costs_no_results(tmp_path, disk):
    machine = boot(tmp_path, disk=disk, readonly=True)
    check_results_are_printed(machine, tmp_path)
    assert machine.volume.runs() == []


def test_without_configuration_the_defaults_are_measured_and_a_key_ends_it(tmp_path):
    with Machine(tmp_path, ABSENT) as machine:
        machine.wait_for(KEY_PROMPT, 240)
        assert machine.process.poll() is None
        machine.press()
        machine.wait(30)
    results = machine.check_done()
    assert {row["experiment"] for row in results.rows} == {"floor", "noise", "tlb", "mlp", "structures", "array"}
    assert {"2m", "4k"} <= {row["case"] for row in results.rows}


def test_an_empty_configuration_is_no_error(tmp_path):
    with Machine(tmp_path, b"", finish=None) as machine:
        machine.wait_for("(?i)mlp")
        machine.kill()
    assert not machine.says("accepted:")
