"""In QEMU under a firmware with vices (watch/vices.c): what it does badly costs that, and nothing hangs twice."""

import watch
from machine import SHORT, TWO_BY_TWO, Volume, boot, prepare_image

CR4_LA57 = 1 << 12  # five levels of page tables
TINY = SHORT.replace("2m 4k", "2m").replace("1-3", "1-2")


def prepare_bad(folder, config, *vices):
    image = prepare_image(folder, config, "shutdown")
    watch.install(Volume(image), vices=vices)
    return image


def boot_bad(folder, config, *vices, **options):
    return boot(folder, image=prepare_bad(folder, config, *vices), **options)


def test_a_processor_that_hangs_who_starts_it_is_left_alone_from_the_second_run_on(tmp_path):
    """The sibling of the core that measures. The first run is cut short before it measures anything."""
    image = prepare_bad(tmp_path, TINY + "hang.seconds = 5\n", "start-hangs 1")
    machine = boot(tmp_path, image=image, **TWO_BY_TWO)  # a reset ends this emulator
    assert not machine.says("Shutting down"), machine.evidence()
    machine = boot(tmp_path, image=image, **TWO_BY_TWO)
    results = machine.check_done(2)
    assert [line for line in results.log if line.startswith("event=remark ")] == [
        "event=remark message=mlpboot.cfg: run 0001 was cut short in processors",
        "event=remark message=mlpboot.cfg: not tried again, until mlpboot.state is deleted or the configuration "
        "changed: processors"]
    left = "is left alone, as this run does with all others"
    assert results.run["certificate"]["siblings"] == f"1, of which 0 asleep in MWAIT; one: {left}"
    assert {results.run["processors"][f"apic_{i}"]["not_started"] for i in (1, 2, 3)} == {left}
    watch.check_restored(machine.volume)


def test_only_siblings_are_started_where_nothing_needs_others(tmp_path):
    """Who starts another one hangs, and one of them is not even described."""
    machine = boot_bad(tmp_path, TINY, "start-hangs 2", "information-fails 3", **TWO_BY_TWO)
    run = machine.check_done().run
    assert run["certificate"]["siblings"] == "1, of which 1 asleep in MWAIT"
    assert run["certificate"]["other_processors"] == (
        "2 of 3 by the firmware's MP services: 0 asleep by MPERF, 0 running, 2 of which that is not known; "
        "1 not described")
    assert not run["processors"]["apic_1"]["not_started"] and "apic_3" not in run["processors"]
    watch.check_restored(machine.volume)


def test_after_three_that_do_not_answer_no_other_is_tried(tmp_path):
    """What needs them is skipped, with the reason."""
    config = TINY + "experiments = mlp smt loaded\nloaded.bytes = 4m\n"
    machine = boot_bad(tmp_path, config, "start-times-out 1", smp="6,cores=3,threads=2", cpu="EPYC")
    results = machine.check_done()
    told = [results.run["processors"][f"apic_{i}"]["not_started"] for i in range(1, 6)]
    assert told == ["does not answer"] * 3 + ["is left alone, since others did not answer"] * 2
    skipped = {row["experiment"]: row["unit"] for row in results.rows if row["metric"] == "skipped"}
    assert skipped["smt"] == "does not answer"
    assert skipped["loaded"] == "is left alone, since others did not answer"
    watch.check_restored(machine.volume)


def test_page_tables_of_five_levels(tmp_path):
    """With the second level's 2 MB and 4 KB pages, which the self-test proves in the image's own tables."""
    machine = boot_bad(tmp_path, SHORT, "five-levels")
    results = machine.check_done()
    assert results.pages() == {"2m", "4k"}
    assert watch.check_restored(machine.volume).after["cr4"] & CR4_LA57


def test_memory_that_the_firmware_does_not_map_a_short_wait_and_no_watchdog(tmp_path):
    """Pieces of 32 MB and more cannot be touched; and no other processor is described, nor known to be a sibling."""
    config = TINY.replace("4m", "64m") + "experiments = array mlp\narray.bytes = 4k\narray.loads = 1\n"
    machine = boot_bad(tmp_path, config, "memory-is-unmapped 2000", "information-fails 1", "stall-is-short",
                       "watchdog-is-refused", **TWO_BY_TWO)
    results = machine.check_done()
    said = {row["unit"] for row in results.rows if row["experiment"] == "mlp" and row["metric"] == "skipped"}
    assert len(said) == 1 and said.pop().endswith("free in all, not all mapped"), said
    assert any(row["experiment"] == "array" and row["samples"] == "10" for row in results.rows)
    assert results.run["certificate"]["siblings"] == "not known: the firmware does not describe each processor"
    assert results.run["certificate"]["other_processors"].endswith("; 3 not described")
    assert "event=remark message=the firmware has no watchdog: the firmware does not support it" in results.log
    # No third clock agrees with the power-management timer here: the wait is warned of.
    assert machine.says("by the ACPI PM timer the time-stamp counter's rate is wrong")


def test_memory_that_cannot_be_written(tmp_path):
    """Pieces of 32 MB and more; smaller ones are as they should be."""
    config = TINY.replace("4m", "64m") + "experiments = array mlp\narray.bytes = 4k\narray.loads = 1\n"
    machine = boot_bad(tmp_path, config, "memory-is-read-only 2000")
    results = machine.check_done()
    said = {row["unit"] for row in results.rows if row["experiment"] == "mlp" and row["metric"] == "skipped"}
    assert len(said) == 1 and said.pop().endswith("free in all, not all mapped"), said
    assert any(row["experiment"] == "array" and row["samples"] == "10" for row in results.rows)
