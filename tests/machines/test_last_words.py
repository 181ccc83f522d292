"""An exception where nobody can go on: it is told, the machine restarts, and the next boot knows where it was."""

import re

import pytest

import watch
from machine import SHORT, TWO_BY_TWO, Machine, Volume, boot, prepare_image
from monitor import Debugger

# Long enough to be met while it measures.
CONFIG = SHORT.replace("samples.min = 5", "samples.min = 3000").replace("max = 10", "max = 3000")


def faulty_firmware(vice):
    """A firmware that does so when the progress of mlp is shown."""
    def break_it(image):
        watch.install(Volume(image), hang="mlp  ", vices=[vice])
    return break_it


def go_wrong(symbol, after):
    """The first processor that gets to that function after these words goes on at an instruction that is none."""
    def break_it(machine, folder):
        machine.wait_for(after)
        debugger = Debugger(machine.monitor, folder / "debugger")
        debugger.run_to(machine.address_of(symbol))
        debugger.go_on_at(machine.address_of("native_fault"))
    return break_it


LOADED = SHORT + "experiments = loaded\nloaded.bytes = 2m\n"


INVALID, ABSENT_PAGE = "invalid opcode (vector 6", "page fault (vector 14"


@pytest.mark.parametrize("config, before, during, says, step, options", [
    pytest.param(CONFIG, faulty_firmware("service-faults"), None, INVALID, "mlp", {}, id="service"),
    pytest.param(CONFIG, faulty_firmware("timer-faults"), None, ABSENT_PAGE, "mlp", {}, id="timer"),
    pytest.param(LOADED, None, go_wrong("generator_run", "self-test"), INVALID, "loaded", TWO_BY_TWO, id="other"),
    pytest.param(CONFIG, None, go_wrong("journal_undo", r"mlp +\d+ %"), INVALID, "mlp", {}, id="quiet"),
])
def test_a_fault_without_a_way_back_is_told_and_the_next_boot_knows(
        tmp_path, config, before, during, says, step, options):
    image = prepare_image(tmp_path, config, "shutdown")
    if before:
        before(image)
    with Machine(tmp_path, image=image, monitored=True, **options) as machine:
        if during:
            during(machine, tmp_path)
        machine.wait_for("restarts in 10 seconds", 120)
        machine.wait(60)  # a reset ends QEMU
    assert machine.exit_code == 0
    words = machine.console[machine.console.index("FAULT: "):]
    assert words.startswith(f"FAULT: {says}") and f"step: {step}" in words.splitlines()[0]
    callers = re.search(r"on processor (\d+), called from image base \+([0-9a-f ]*)", words)
    assert callers[2] != "" or during
    assert (callers[1] == "0") == (step == "mlp")
    if during:
        rip = re.search(r"rip 0*(\w+)  image base", words)[1]
        assert int(rip, 16) == machine.address_of("native_fault")
    assert machine.volume.fsck() == ""
    if before:
        machine.volume.write("/watch.txt", b"")
    again = boot(tmp_path, SHORT, image=image, **options, timeout=400)
    remarks = [line for line in again.volume.results(2).log if line.startswith("event=remark ")]
    assert remarks[0].endswith(f"run 0001 was cut short in {step}")


def test_a_fault_that_the_firmware_handles_is_left_to_it(tmp_path):
    image = prepare_image(tmp_path, SHORT, "shutdown")
    watch.install(Volume(image), hang="mlp  ", vices=["fault-is-handled"])
    machine = boot(tmp_path, image=image)
    machine.check_done()
    assert machine.says("watch: the guard page is mapped")
    watch.check_restored(machine.volume)


def test_where_no_hang_is_to_end_the_last_words_stay(tmp_path):
    image = prepare_image(tmp_path, SHORT + "hang.seconds = 0\n", "shutdown")
    faulty_firmware("service-faults")(image)
    with Machine(tmp_path, image=image) as machine:
        machine.wait_for("The machine stops here: switch it off by hand")
