"""Power is lost at random moments: the volume stays sound, and what was said to be saved is there."""

import os
import random
import re
import time

import pytest

from machine import SAVED, SHORT, TABLES, Machine, boot, parse_table

SWEEP = SHORT.replace("0-64/32", "0-256/16").replace("1-3", "1-8")
MOMENTS = 10
STARTED = "BdsDxe: starting"
SEED = int(os.environ.get("SEED", time.time_ns() % 1_000_000))


def run_folders(volume):
    return [volume.results(int(name)) for name in volume.runs()]


@pytest.fixture(scope="module")
def usual_seconds(tmp_path_factory):
    """From the application's start to the end of a run that is left in peace."""
    with Machine(tmp_path_factory.mktemp("usual"), SWEEP) as machine:
        machine.wait_for(STARTED)
        started = time.monotonic()
        machine.wait(120)
        machine.check_done()
        return time.monotonic() - started


@pytest.mark.parametrize("tenth", range(MOMENTS))
def test_power_loss(tmp_path, usual_seconds, tenth):
    moment = usual_seconds * (tenth + random.Random(f"{SEED} {tenth}").random()) / MOMENTS
    print(f"SEED={SEED}: power lost {moment:.3f} s after the start")
    with Machine(tmp_path, SWEEP) as machine:
        machine.wait_for(STARTED)
        time.sleep(moment)
        machine.kill()
    assert machine.volume.fsck() == ""
    for results in run_folders(machine.volume):
        for name, header in TABLES.items():
            if results.files.get(name):
                parse_table(results.files[name], header)
        if results.files.get("run.json"):
            assert results.run["status"] in ("partial", "done")
    check_what_was_saved(machine)


def check_what_was_saved(machine):
    said = set(re.findall(SAVED, machine.console))
    print(f"said to be saved: {sorted(said)}")
    if said:
        rows = machine.volume.results().rows
        assert said <= {row["experiment"] for row in rows}


def test_the_pattern_for_what_was_saved_is_the_console_s(tmp_path):
    """Else the test above would look for nothing."""
    machine = boot(tmp_path)
    assert re.findall(SAVED, machine.console) == ["mlp"]
