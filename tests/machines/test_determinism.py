"""The same machine gives the same results, and no run touches those of an earlier one."""

from machine import COUNTED, boot


def points(results):
    """The clock's rate is measured against the firmware's, which QEMU may start elsewhere."""
    return [row for row in results.rows if row["metric"] != "rate"]


def test_a_second_boot_gives_the_same_bytes_and_leaves_the_first_run_alone(tmp_path):
    """Time is a count of instructions here, so that a run differs only by what the program does."""
    first = boot(tmp_path, extra=COUNTED, timeout=400)
    before = first.check_done()
    second = boot(tmp_path, image=first.volume.image, extra=COUNTED, timeout=400)
    assert points(second.check_done(2)) == points(before)
    assert second.volume.runs() == ["0001", "0002"]
    assert second.volume.results(1).files == before.files
