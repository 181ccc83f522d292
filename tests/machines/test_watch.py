"""In QEMU: what the image found on the processor is there again at its end, seen from outside."""

import pytest

import watch
from machine import SHORT, Volume, boot, prepare_image

# They fault on no processor of QEMU's emulator; most of them are plain storage there.
MSRS = [*watch.MTRRS, 0x17, 0x1A0, 0x174, 0x175, 0x176, 0x186, 0x38D, 0x38F, 0xC0000081,
        0xC0000082, 0xC0000084, 0xC0000100, 0xC0000101, 0xC0000102, 0xC0000103, 0xC0011029]


def boot_watched(folder, config, protects=None, **options):
    image = prepare_image(folder, config, "shutdown")
    watch.install(Volume(image), MSRS, {0x1A0: 0x85_0089}, protects=protects)
    return boot(folder, image=image, **options)


def check_chains(results):
    """Pages side by side and far apart, by our own tables."""
    rows = [row for row in results.rows if row["experiment"] == "tlb" and row["metric"] == "chain"]
    for case, page in (("chain-4k", 1 << 12), ("chain-2m", 1 << 21)):
        assert {page, 1 << 39} <= {int(row["bytes"]) for row in rows if row["case"] == case and row["samples"] != "0"}


@pytest.mark.parametrize("protects, more", [
    ("all", "experiments = tlb\ntlb.pages = 4 32\ntlb.loads = 1 2\n"), ("image", "prefetch = both\nturbo = off\n")])
def test_a_run_leaves_all_as_it_was_and_never_runs_what_can_be_written(tmp_path, protects, more):
    """What breaks the rule faults: the firmware's tables keep it, for the image or for all memory."""
    machine = boot_watched(tmp_path, SHORT + more, protects)
    results = machine.check_done()
    if "tlb" in more:
        check_chains(results)
    watched = watch.check_restored(machine.volume, MSRS)
    assert watched.before["lvt-timer"] & 1 << 16 == 0  # else masking it would change nothing
    assert (watched.before["pages-not-run"] > 50000) == (protects == "all")


def test_a_fault_leaves_all_as_it_was(tmp_path):
    machine = boot_watched(tmp_path, SHORT + "selftest = fault\n")
    assert machine.volume.results().log[-1] == "event=done status=error"
    watch.check_restored(machine.volume, MSRS)


def test_a_difference_is_found():
    class Written:
        def read(self, _):
            return (b"before cr3 1000\nbefore tr 0\nbefore cr0 7\n"
                    b"after cr3 2000\nafter tr 48\nafter cr0 7\nended reset 2\n")

    assert watch.Watched(Written()).changed() == ["cr3 was 1000, is 2000"]
    with pytest.raises(AssertionError, match="cr3"):
        watch.check_restored(Written())
