"""Memory that is uncacheable to the processor that measures is not measured."""

import re

import watch
from machine import SHORT, Volume, boot, prepare_image

UNCACHEABLE, VALID = 0, 1 << 11
MEGABYTE = 1 << 20

# Small windows lie at the top of QEMU's 512 MB, this one reaches down to what is made uncacheable.
CONFIG = SHORT.replace("mlp.bytes = 4m", "mlp.bytes = 256m")


def test_an_uncacheable_window_is_refused_in_words(tmp_path):
    image = prepare_image(tmp_path, CONFIG, "shutdown")
    # From 128 to 256 MB, in the last pair of registers.
    watch.install(Volume(image), watch.MTRRS, {
        0x20E: 128 * MEGABYTE | UNCACHEABLE, 0x20F: ~(128 * MEGABYTE - 1) & (1 << 40) - 1 | VALID})
    machine = boot(tmp_path, image=image)
    assert machine.ended_well(), machine.evidence()
    results = machine.volume.results()
    assert results.log[-1] == "event=done status=nothing"
    watch.check_restored(Volume(image), watch.MTRRS)
    assert {verdict["status"] for verdict in results.own_verdicts} == {"skip"}
    ((reason, method),) = {(verdict["reason"], verdict["method"]) for verdict in results.own_verdicts}
    assert reason == "unavailable"
    skipped = re.search("memory at 0x[0-9a-f]+ to 0xfffffff is uncacheable by the MTRRs$", method)[0]
    memory = results.run["memory"]
    assert memory["type"] == "write-back"
    assert memory["type_refused"] == skipped
    assert int(memory["array_at"], 16) >= 256 * MEGABYTE  # of the last one that was not refused


def test_memory_types_are_those_of_the_processor_that_measures(tmp_path):
    """Entry 0 of the other processor's PAT is uncacheable while it works for the image."""
    image = prepare_image(tmp_path, SHORT + "core = 1\n", "shutdown")
    watch.install(Volume(image), vices=["is-uncached"])
    machine = boot(tmp_path, image=image, smp=2, timeout=400)
    assert machine.ended_well(), machine.evidence()
    results = machine.volume.results()
    watch.check_restored(Volume(image))
    assert "event=core apic_id=1" in results.log, results.log
    (failure,) = results.run["failures"].values()
    assert failure["step"] == "self-test"
    assert failure["words"].endswith(" is uncacheable by the PAT")
