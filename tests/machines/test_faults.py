"""What can go wrong on a real machine: faults, volumes that take no files, no configuration."""

import re

import pytest

from machine import ABSENT, KEY_PROMPT, SHORT, Machine, boot


def check_results_are_printed(machine):
    """The console holds what no file could: rows, verdicts and the log's last line."""
    assert machine.exit_code == 0
    assert machine.says("mlp,2m,3,64,")
    assert machine.says("mlp,4k,3,64,")
    assert re.search(r"event=done status=(partial|error)", machine.console)


def test_a_fault_is_told_and_survived(tmp_path):
    machine = boot(tmp_path, SHORT + "selftest = fault\n")
    assert machine.exit_code == 0  # switched off in order, not reset
    console = machine.console.lower()
    for word in ("rip", "rsp", "cr2", "step", "image base"):
        assert word in console
    assert "x64 exception type" not in console  # which is how firmware tells one, and stops
    log = machine.volume.results().log
    assert log[-1] == "event=done status=error"
    assert any("fault" in line for line in log[:-1])
    assert machine.volume.fsck() == ""


def test_a_full_volume_costs_no_results(tmp_path):
    with Machine(tmp_path) as machine:  # only for its image; it has not begun to boot
        machine.kill()
    machine.volume.fill()
    machine = boot(tmp_path, image=machine.volume.image)
    assert re.search(r"the volume is full: \d+ KB are free, and this run may need \d+ KB", machine.console)
    check_results_are_printed(machine)
    assert machine.volume.fsck() == ""


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


@pytest.mark.parametrize("disk", ["virtio", "scsi", "usb"])  # SATA and NVMe cannot be read-only here
def test_a_read_only_volume_costs_no_results(tmp_path, disk):
    machine = boot(tmp_path, disk=disk, readonly=True)
    check_results_are_printed(machine)
    assert machine.volume.runs() == []


def test_without_configuration_the_defaults_are_measured_and_a_key_ends_it(tmp_path):
    with Machine(tmp_path, ABSENT) as machine:
        machine.wait_for(KEY_PROMPT, 240)
        assert machine.process.poll() is None
        machine.press()
        machine.wait(30)
    results = machine.check_done()
    assert results.pages() == {"2m", "4k"}


def test_an_empty_configuration_is_no_error(tmp_path):
    with Machine(tmp_path, b"", finish=None) as machine:
        machine.wait_for("(?i)mlp")
        machine.kill()
    assert not machine.says("accepted:")
