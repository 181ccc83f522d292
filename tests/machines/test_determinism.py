"""The same machine gives the same results, and no run touches those of an earlier one."""

from machine import COUNTED, boot


def test_two_runs_of_the_same_machine_give_the_same_bytes(tmp_path):
    """Time is a count of instructions here, so that a run differs only by what the program does."""
    tables = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        results = boot(tmp_path / name, extra=COUNTED, timeout=400).check_done()
        # The clock's rate is measured against the firmware's, which QEMU may start elsewhere.
        tables.append([row for row in results.rows if row["metric"] != "rate"])
    assert tables[0] == tables[1]


def test_a_second_boot_adds_a_run_and_leaves_the_first_alone(tmp_path):
    first = boot(tmp_path)
    before = first.check_done().files
    second = boot(tmp_path, image=first.volume.image)
    second.check_done(2)
    assert second.volume.runs() == ["0001", "0002"]
    assert second.volume.results(1).files == before
