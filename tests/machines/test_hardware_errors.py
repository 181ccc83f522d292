"""What hardware brings by itself, injected from outside while the image measures: machine checks and NMIs."""

import re
import time

import pytest

from machine import FILES, SHORT, Machine
from monitor import Debugger

# Long enough to be met while it measures.
CONFIG = SHORT.replace("samples.min = 5", "samples.min = 3000").replace("max = 10", "max = 3000")
MEASURES = r"mlp +\d+ %"

VALID, UNCORRECTED, ENABLED, HAS_ADDRESS, CORRUPT, STOP = (1 << bit for bit in (63, 61, 60, 58, 57, 55))
RESTART_POSSIBLE, IN_PROGRESS = 1, 4  # MCG_STATUS: RIPV and MCIP
CACHE, MEMORY, BUS = 0x0135, 0x009F, 0x0E0B


def mce(bank, status, restart=True):
    """The monitor's command for an error; an uncorrected one comes with an exception."""
    status |= VALID | ENABLED | HAS_ADDRESS
    return f"mce 0 {bank} {status:#x} {IN_PROGRESS | restart:#x} 0x12345000 0"


def inject(machine, *commands):
    """Gives the monitor commands in the midst of a measurement; how many writes the disk had seen."""
    machine.wait_for(MEASURES)
    machine.stop_inside()
    writes = machine.monitor.writes()
    for command in commands:
        said = machine.monitor.say(command)
        assert said == "", said
    machine.monitor.do("cont")
    return writes


def reported(lines):
    return [line.partition("message=")[2] for line in lines if line.startswith("event=hardware")]


def test_what_need_not_end_the_run_is_reported_and_counted(tmp_path):
    longer = CONFIG.replace("3000", "10000")  # both have to meet the same experiment
    with Machine(tmp_path, longer, monitored=True) as machine:
        inject(machine, mce(3, CACHE), "nmi")
        time.sleep(0.3)  # a look or two later
        inject(machine, mce(4, UNCORRECTED | MEMORY))
        machine.wait()
    results = machine.check_done()
    told = reported(results.log)
    assert len(told) == 3
    assert any(re.fullmatch(r"machine check \((exception|without an exception).*\): bank 3, corrected, "
                            r"cache; status 0x9400000000000135, address 0x12345000", line)
               for line in told)
    assert ("machine check (exception, MCG_STATUS 0x5, restart possible): bank 4, uncorrected, memory "
            "controller; status 0xb40000000000009f, address 0x12345000") in told
    assert "non-maskable interrupts: 1 during mlp; the run went on" in told
    for line in told:
        assert machine.says(f"warning: {line}")
    assert results.run["changed_and_restored"]["nmi"] == 1
    errors = results.run["hardware_errors"]
    assert errors["machine_check_banks"] >= 5
    assert errors["machine_check_exceptions"] + errors["machine_checks_noticed"] == 2


def test_an_error_that_only_ends_the_work_is_saved(tmp_path):
    with Machine(tmp_path, CONFIG, monitored=True) as machine:
        inject(machine, mce(5, UNCORRECTED | STOP | BUS))
        machine.wait()
    assert machine.exit_code == 0
    assert machine.volume.fsck() == ""
    results = machine.volume.results()
    assert sorted(results.files) == FILES
    assert any("bank 5, uncorrected, the work cannot go on, bus or interconnect" in line
               for line in reported(results.log))
    assert any(line.startswith("event=fault message=machine check (vector 18") for line in results.log)
    assert results.log[-1] == "event=done status=error"


def test_an_error_in_work_that_nobody_minds_ends_the_run_too(tmp_path):
    """Switching a prefetcher may fail. The run goes on, but not after such an error."""
    with Machine(tmp_path, CONFIG, monitored=True) as machine:
        machine.wait_for(MEASURES)
        debugger = Debugger(machine.monitor, tmp_path / "debugger")
        debugger.run_to(machine.address_of("nothing"))  # the work while settings are made
        assert machine.monitor.say(mce(5, UNCORRECTED | STOP | BUS)) == ""
        debugger.go_on()
        machine.wait()
    log = machine.volume.results().log
    assert any(line.startswith("event=fault message=machine check (vector 18") for line in log)
    assert log[-1] == "event=done status=error"


@pytest.mark.parametrize("status, restart", [(UNCORRECTED | CORRUPT | CACHE, True),
                                             (UNCORRECTED | CACHE, False),
                                             (CORRUPT | CACHE, True)])  # without an exception
def test_after_a_corrupt_context_nothing_is_written(tmp_path, status, restart):
    with Machine(tmp_path, CONFIG + "finish = wait\n", monitored=True) as machine:
        writes = inject(machine, mce(2, status, restart))
        machine.wait_for("(?i)press a key")
        assert machine.monitor.writes() == writes
    assert machine.volume.fsck() == ""
    log = machine.volume.results().log
    assert log[-1] == "event=experiment name=mlp"  # as it was; no line of it is cut
    assert machine.volume.results().run["status"] == "partial"
    assert machine.says("a machine check left the processor in an unknown state")
    assert machine.says("bank 2, uncorrected, processor context corrupt" if status & CORRUPT else "bank 2, uncorrected")
    assert re.search(r"(?m)^event=done status=error$", machine.console)
