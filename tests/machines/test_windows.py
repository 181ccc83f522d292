"""In QEMU: the page tables while it measures, read from outside. Windows of several page sizes lie over the same
frames, and over none of anything else."""

import re

from machine import SHORT, Machine
from test_hardware_errors import MEASURES

SMALL, LARGE = 1 << 12, 1 << 21
OF_ROOT = 39  # bits of an address below the root's index; each of our mappings has entries of its own there


def own_mappings(monitor):
    """What is mapped in the upper half, where nothing of the firmware's is: virtual -> (physical, size, flags)."""
    mappings = {}
    for line in monitor.say("info tlb").splitlines():
        found = re.fullmatch(r"([0-9a-f]+): ([0-9a-f]+) (\S+)", line.strip())
        if found is None or int(found[1], 16) >> 47 & 1 == 0:
            continue
        virtual, physical, flags = int(found[1], 16), int(found[2], 16), found[3]
        page = (physical, LARGE if "P" in flags else SMALL, flags)
        mappings.setdefault(virtual >> OF_ROOT, {})[virtual] = page
    return mappings.values()


def frames_of(pages):
    return {at for physical, size, _ in pages.values() for at in range(physical, physical + size, SMALL)}


def test_windows_of_two_page_sizes_lie_over_the_same_frames(tmp_path):
    config = SHORT.replace("samples.min = 5", "samples.min = 3000").replace("max = 10", "max = 3000")
    with Machine(tmp_path, config, monitored=True) as machine:
        machine.wait_for(MEASURES)
        machine.stop_inside()
        mappings = [*own_mappings(machine.monitor)]
    windows = {size: [pages for pages in mappings if {s for _, s, _ in pages.values()} == {size} and
                      all("W" in flags and "X" in flags for _, _, flags in pages.values())]
               for size in (SMALL, LARGE)}
    (large,), (small,) = windows[LARGE], windows[SMALL]
    assert len(small) * SMALL > (len(large) - 1) * LARGE >= 4 << 20
    for pages, size in ((large, LARGE), (small, SMALL)):
        assert sorted(pages) == list(range(min(pages), min(pages) + len(pages) * size, size))
        frames = [pages[virtual][0] for virtual in sorted(pages)]
        assert frames == list(range(frames[0], frames[0] + len(pages) * size, size))
    assert frames_of(small) < frames_of(large)
    (code,) = [pages for pages in mappings if pages not in (large, small)]
    assert not frames_of(code) & frames_of(large)
    views = {has: {at for at, _, flags in code.values() if ("W" in flags, "X" in flags) == (has, has)}
             for has in (True, False)}  # written but not run, run but not written
    assert views[True] == views[False] and len(code) == 2 * len(views[True])
