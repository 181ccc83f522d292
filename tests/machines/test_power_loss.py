"""Power is lost at random moments: what was said to be saved is there, and the volume can be used."""

import os
import random
import re
import time

import pytest

from machine import SAVED, SHORT, TABLES, Machine, boot, parse_table
from report import PAGE, runs_of

SWEEP = SHORT.replace("0-64/32", "0-512/8").replace("1-3", "1-8").replace("= 10", "= 20")
MOMENTS = 10
OPENING = "making a directory"  # on the console, just before the firmware makes it
OPENED = r"results go to .*\n"
SEED = int(os.environ.get("SEED", time.time_ns() % 1_000_000))

# Clusters change hands at the start and at the end of a run. What may be left of that is a volume that
# asks to be checked, and space not yet counted or not yet part of a file; never a broken directory.
DIRTY = "Dirty bit is set."
LEFT_OF_THAT = [
    DIRTY + " .*",
    r" Automatically removing dirty bit\.",
    r"There are differences between boot sector and its backup\.",
    r"This is mostly harmless\. Differences: .*",
    r"  65:01/00",
    r"  Not automatically fixing this\.",
    r"fsck\.fat [\d.]+ .*",
    r"FATs differ but appear to be intact\.",
    r"  Using first FAT\.",
    r"Free cluster summary wrong .*",
    r"  Auto-correcting\.",
    r"Reclaimed \d+ unused clusters? .*",
    r"/RESULTS/\d{4}/[A-Za-z]+\.[A-Za-z]+",
    r"  File size is \d+ bytes, cluster chain length is (> )?\d+ bytes\.",
    r"  Truncating file to \d+ bytes\.",
    r"Leaving filesystem unchanged\.",
    r".*: \d+ files, \d+/\d+ clusters",
    r"",
]


def damage(complaints):
    """The lines of fsck.fat that no change of clusters explains; all, where nothing says that it was one."""
    if DIRTY not in complaints:
        return complaints.splitlines()
    return [line for line in complaints.splitlines()
            if not any(re.fullmatch(pattern, line) for pattern in LEFT_OF_THAT)]


def whole_lines(data):
    """A file without the line that a save under way had begun."""
    return data[:data.rfind(b"\n") + 1]


def check_files(results, said):
    """Whole lines of tables, and every row of the experiments that the console said were saved."""
    for name, header in TABLES.items():
        data = results.files.get(name, b"")
        rows = parse_table(data if said else whole_lines(data), header) if data else []
        assert said <= {row["experiment"] for row in rows}
    if said:
        assert results.run["status"] in ("partial", "done")
    check_report(results.files)


def check_report(files):
    """What of the page is there is the page's beginning; its files are those of the folder, or begin them."""
    whole = files.get("report.html", b"").rpartition(b"</script>")
    if len(whole[0]) < len(PAGE.read_bytes()):
        return
    for name, data in runs_of(whole[0] + whole[1])["0001"].items():
        if name != "run.json":  # which may have been written again since
            assert files[name].startswith(data)


@pytest.fixture(scope="module")
def usual_seconds(tmp_path_factory):
    """From the directory for results to the last thing saved, in a run that is left in peace."""
    with Machine(tmp_path_factory.mktemp("usual"), SWEEP) as machine:
        machine.wait_for(OPENED)
        started = time.monotonic()
        machine.wait_for("mlp: saved", 120)
        saved = time.monotonic()
        machine.wait(60)
        machine.check_done()
    return saved - started


@pytest.mark.parametrize("tenth", range(MOMENTS))
def test_power_loss(tmp_path, usual_seconds, tenth):
    # A little longer than usual, so that some moments fall behind the end of saving.
    part = (tenth + random.Random(f"{SEED} {tenth}").random()) / (MOMENTS - 2)
    print(f"SEED={SEED}: power lost after {part:.3f} of the usual {usual_seconds:.3f} s")
    with Machine(tmp_path, SWEEP) as machine:
        machine.wait_for(OPENED)
        time.sleep(usual_seconds * part)
        machine.kill()
    said = set(re.findall(SAVED, machine.console))
    print(f"said to be saved: {sorted(said)}")
    assert damage(machine.volume.fsck()) == []
    machine.volume.fsck("-a")
    assert machine.volume.runs() == ["0001"]
    check_files(machine.volume.results(), said)


def test_a_run_after_power_loss_takes_the_next_number(tmp_path):
    """Even if power was lost while the firmware made the directory, and left it half made."""
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


def test_the_pattern_for_what_was_saved_is_the_console_s(tmp_path):
    """Else the tests above would look for nothing."""
    machine = boot(tmp_path)
    assert re.findall(SAVED, machine.console) == ["floor", "mlp"]


def test_damage_is_told_from_what_a_change_of_clusters_leaves():
    shorter = "/RESULTS/0001/LOG.TXT\n  Truncating file to 90 bytes.\n"
    assert damage(shorter) != []
    assert damage(DIRTY + " Fs was not properly unmounted\n" + shorter) == []
    assert damage(DIRTY + "\n/RESULTS/0001\n  Expected a valid '.' entry in the first slot\n") != []
