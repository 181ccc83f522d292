"""Power is lost while the firmware makes a run's folder, and may have left it half made: the next run takes the next
number. What is left of a run at each moment is in test_replay.py."""

import os
import random
import time

from machine import Machine, boot

OPENING = "making a directory"  # on the console, just before the firmware makes it
SEED = int(os.environ.get("SEED", 1))


def test_a_run_after_power_loss_takes_the_next_number(tmp_path):
    moment = random.Random(SEED).random() / 100
    print(f"SEED={SEED}: power lost {moment:.4f} s after '{OPENING}'")
    with Machine(tmp_path) as machine:
        machine.wait_for(OPENING)
        time.sleep(moment)
        machine.kill()
    begun = machine.volume.runs()
    machine = boot(tmp_path, image=machine.volume.image)
    assert machine.exit_code == 0
    assert machine.volume.runs()[:-1] == begun
    results = machine.volume.results(len(begun) + 1)
    assert results.log[-1] == "event=done status=done"
    assert results.rows
