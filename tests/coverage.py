"""
coverage: draws cores of the modelled kind, measures them, and compares verdicts with what was drawn.

usage: coverage.py [--cores N] [--seed N] [--vices all|mild|none] [--set KEY=VALUE]...
                   [--rows DIR] [--most-wrong N] [--least-held PERCENT]

For each verdict: how many cores, on how many of those another structure hides what it is of, how many of each
status on the others, how many are `ok` and wrong, and how many intervals of `ok` verdicts hold the truth. The last
lines are shares of that by verdict, and of all. With --rows, the rows of each core are kept in DIR, and those kept
there before are judged again in place of a measurement. Exit status 1: something could not run, or a bar was missed.
"""

import argparse
import csv
import functools
import hashlib
import heapq
import math
import os
import random
import re
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOSTED = ROOT / "build" / "mlpboot-hosted"

# What is run on each core, and whether with the drawn TLBs: some need settings of their own to be quick, and
# only `tlb` knows what a miss of the TLB takes from a load. A core whose large pages lie on small ones has
# its TLBs in every run: without a first level that pieces of a page overflow, nothing tells them.
Run = namedtuple("Run", "has_tlbs settings")
RUNS = [
    Run(False, ["experiments=mlp structures", "pages=2m"]),
    Run(False, ["experiments=mlp", "pages=2m", "mlp.access=prefetch store nt"]),
    Run(False, ["experiments=array", "pages=2m", "array.loads=1", "array.bytes=1k-128m*2"]),
    Run(True, ["experiments=tlb", "pages=4k 2m"]),
]

TIMER = 30       # cycles of an empty timed interval: the model's standard
ROUNDING = 5e-4  # verdicts.csv has three decimals

# --- the cores ----------------------------------------------------------------------------------

# How a value is drawn: any number as likely as any other, or any factor, whole or not.
SCALES = {
    "number": lambda rng, least, most: rng.randint(least, most),
    "size": lambda rng, least, most: round(even_by_factor(rng, least, most)),
    "share": lambda rng, least, most: float(f"{even_by_factor(rng, least, most):.4g}"),
}


def even_by_factor(rng, least, most):
    return least * (most / least) ** rng.random()


# What a core has.
Range = namedtuple("Range", "key least most scale")

SIZES = [
    Range("rob", 32, 1000, "size"), Range("fill_buffers", 4, 128, "size"),
    Range("walkers", 1, 6, "number"), Range("memory", 80, 700, "size"), Range("walk", 20, 120, "size"),
    Range("noise", 0.005, 0.1, "share"), Range("l2_latency", 12, 16, "number"),
    Range("l3_latency", 40, 70, "number"), Range("seed", 1, 10**6, "number"),
]
CHOICES = {
    "width": [4, 6, 8],
    "l1_bytes": [kb << 10 for kb in (24, 32, 48, 64)],
    "l2_bytes": [kb << 10 for kb in (256, 512, 1024, 1280, 2048)],
    "l3_bytes": [mb << 20 for mb in (6, 8, 12, 16)],
}
# Structures, as shares of the reorder buffer. A core has all of them, or none that limits anything. Loads
# and waiting additions write integer registers, of which there may be fewer.
SHARES = {"int_regs": (0.3, 0.9), "vec_regs": (0.5, 0.9), "load_queue": (0.3, 0.6),
          "store_queue": (0.2, 0.45), "scheduler": (0.2, 0.6)}
NO_LIMIT = 10000  # the model's standard for these
SPARE = 8         # what they and the reorder buffer are larger by than the number of fill buffers

# What real cores do to a measurement. Each is drawn with its chance, or with another (`beside`); mild
# is what a usual machine has. Keys that the model does not know are left out.
Vice = namedtuple("Vice", "key beside chance least most scale mild")

VICES = [
    Vice("known", None, 0.3, 0, 1, "number", (1, 1)),
    Vice("sibling", None, 0.15, 0.01, 1, "share", (0, 0.1)),
    Vice("sibling_ms", "sibling", 1, 0.3, 300, "share", (0, 1e6)),
    Vice("sibling_waits", "sibling", 1, 0, 1, "number", (0, 1)),
    Vice("tsc_step", None, 0.2, 2, 400, "size", (0, 40)),
    # A clock that steps less often than a run lasts only rises, at the start.
    Vice("drift", None, 0.2, 0.002, 0.1, "share", (0, 0.02)),
    Vice("drift_ms", "drift", 1, 1, 10000, "share", (30, 1e6)),
    Vice("clock_low", None, 0.15, 0.25, 1, "share", (0.98, 1)),
    Vice("clock_steps", "clock_low", 1, 1, 100000, "share", (0, 1e6)),
    Vice("clock_ramp", "clock_low", 1, 1, 2000, "share", (0, 1e6)),
    Vice("smi_us", None, 0.15, 20, 300, "share", (0, 200)),
    Vice("smi_ms", "smi_us", 1, 1, 1000, "share", (50, 1e6)),
    Vice("refresh", None, 0.3, 300, 1100, "size", (0, 1100)),
    Vice("refresh_us", "refresh", 1, 3.9, 7.8, "share", (3.9, 7.8)),
    Vice("slow_share", None, 0.2, 0.002, 0.3, "share", (0, 0.05)),
    Vice("slow_factor", "slow_share", 1, 1.2, 4, "share", (1, 2)),
    Vice("banks", None, 0.2, 0.01, 0.5, "share", (0, 0.1)),
    Vice("fuse", None, 0.3, 2, 15, "number", (0, 15)),
    Vice("pairs", None, 0.2, 1, 1, "number", (0, 1)),
    Vice("early_release", None, 0.2, 1, 1, "number", (0, 1)),
    Vice("stack_rename", None, 0.25, 1, 1, "number", (0, 1)),
    Vice("int_state", None, 0.25, 1, 12, "number", (0, 16)),
    Vice("vec_state", None, 0.25, 1, 40, "number", (0, 40)),
    Vice("schedulers", None, 0.3, 2, 6, "number", (1, 8)),
    Vice("l1_random", None, 0.1, 0, 1, "number", (0, 0)),
    Vice("l2_random", None, 0.2, 0, 1, "number", (0, 0)),
    Vice("l3_random", None, 0.2, 0, 1, "number", (0, 0)),
    Vice("l3_victim", None, 0.25, 1, 1, "number", (0, 1)),
    Vice("small_pages", None, 0.2, 0, 1, "number", (0, 0)),
    Vice("bandwidth", None, 0.2, 2, 64, "share", (16, 1024)),
    Vice("prefetchers", None, 0.2, 1, 1, "number", (0, 1)),
    # Of the TLBs. Many second levels are hashed; where any entry of a set may go, no edge is sharp.
    Vice("dtlb_hash", None, 0.1, 1, 2, "number", (0, 1)),
    Vice("dtlb_random", None, 0.2, 0, 1, "number", (0, 0)),
    Vice("stlb_hash", None, 0.3, 1, 2, "number", (0, 1)),
    Vice("stlb_random", None, 0.2, 0, 1, "number", (0, 0)),
    Vice("alias_cost", None, 0.25, 3, 12, "number", (0, 12)),
]

# The TLBs, by level and page size: entries, and how often there are such that pages of this size have of
# their own. Sets are a power of two in number, of 4 to 24 ways, or there is one.
Tlb = namedtuple("Tlb", "key least most chance")

TLBS = [
    Tlb("dtlb", 16, 128, 1), Tlb("dtlb_2m", 8, 64, 0.5), Tlb("dtlb_1g", 4, 16, 0.5),
    Tlb("stlb", 256, 4096, 0.9), Tlb("stlb_2m", 64, 2048, 0.3), Tlb("stlb_1g", 16, 1024, 0.3),
]
WAYS = (4, 24)
WHOLE = 0.3  # how often there is but one set
ODD = 0.1    # how often their number is no power of two, as of the 96 entries of Golden Cove
WALKS = [
    Range("stlb_cost", 3, 14, "number"), Range("walk_level", 2, 20, "number"),
    Range("pde_cache", 8, 64, "size"), Range("pdpte_cache", 2, 32, "size"), Range("pml4e_cache", 2, 16, "size"),
]
L1_SETS = 64  # where TLBs are drawn: those of a page, which no translation moves


def value_of(row, rng, least=None, most=None):
    """A value of a row's range, cut to these bounds; four digits, so that a command line repeats it."""
    least = row.least if least is None else max(row.least, least)
    most = row.most if most is None else min(row.most, most)
    return SCALES[row.scale](rng, least, most)


def draw_sizes(rng):
    core = {row.key: value_of(row, rng) for row in SIZES}
    core.update({key: rng.choice(values) for key, values in CHOICES.items()})
    if rng.random() < 0.2:
        core["noise"] = 0
    return {**core, **draw_structures(rng, core), "l1_latency": 4}


def draw_structures(rng, core):
    needed = core["fill_buffers"] + SPARE
    sizes = {key: max(round(core["rob"] * rng.uniform(*shares)), needed)
             for key, shares in SHARES.items()}
    return sizes if max(sizes.values()) < core["rob"] and rng.random() < 0.7 else {}


def draw_vices(rng, known, which):
    drawn = {}
    for row in VICES:
        chance, bounds = rng.random(), row.mild if which == "mild" else (None, None)
        value = value_of(row, rng, *bounds)
        is_wanted = row.beside in drawn if row.beside else chance < row.chance
        if which != "none" and row.key in known and is_wanted:
            drawn[row.key] = value
    return drawn


def draw_accesses(rng, core):
    """Buffers of other accesses than loads: of many cores, those of loads. N goes to 128 and a few more."""
    own = {"prefetch_buffers": min(round(core["fill_buffers"] * even_by_factor(rng, 1, 3)), 128),
           "write_buffers": round(even_by_factor(rng, 4, 96))}
    return {**{key: value for key, value in own.items() if rng.random() < 0.5},
            "wc_buffers": round(even_by_factor(rng, 4, 40)), "wc_cycles": rng.randint(8, 40)}


def draw_tlb(row, rng):
    """Entries and ways; where no such number of ways fits, and with its chance, all are one set."""
    ways, is_odd, is_whole = rng.randint(*WAYS), rng.random() < ODD, rng.random() < WHOLE
    sets = [(3 if is_odd else 2) << i for i in range(12)]
    sets = [count for count in sets if row.least <= ways * count <= row.most]
    entries = round(even_by_factor(rng, row.least, row.most))
    if is_whole or not sets:
        return {row.key: entries}
    return {row.key: ways * rng.choice(sets), f"{row.key}_ways": ways}


def draw_tlbs(seed, number, l1_bytes):
    """From a sequence of their own."""
    rng, drawn = random.Random(f"{seed} {number} tlbs"), {}
    for row in TLBS:
        entries = draw_tlb(row, rng)
        if rng.random() < row.chance and (row.key.startswith("dtlb") or "stlb" in {*drawn, row.key}):
            drawn.update(entries)
    drawn.update({row.key: value_of(row, rng) for row in WALKS})
    return {**drawn, "l1_ways": l1_bytes // (L1_SETS * 64)}


# What few cores have, besides: how often each is drawn.
SHORT_QUEUE = 0.1  # loads leave a queue that is smaller than the buffers, as on Zen 5
NO_L3 = 0.1        # as on Silvermont to Gemini Lake
HAS_L4 = 0.15      # as Lion Cove counts, or where there is eDRAM
SMALL_L3 = 0.15    # two to four times L2
ODD_L2 = 0.2       # its sets are no power of two in number
FAR_MEMORY = 0.15  # behind a link, or of another node
CHEAP_STLB = 0.15  # a miss of the first TLB that costs next to nothing

L4 = {"l4_bytes": [mb << 20 for mb in (40, 48, 64)], "l4_latency": range(85, 111)}
BEHIND_L4 = 180    # cycles: the least that memory takes there
L2_OF_ODD_SETS = [kb << 10 for kb in (384, 640, 768, 896, 1536, 3072)]
USUAL_L3 = 3       # times L2, at least
SMALL_STEP = 64 << 10  # bytes, of which a small L3 is a multiple
USUAL_MEMORY, SLOWEST_MEMORY = SIZES[3].most, 1500  # cycles


def draw_structure_vices(seed, number, core, known, which):
    """From a sequence of their own: levels of cache, memory, a TLB, a load queue that ends before the buffers."""
    rng, drawn = random.Random(f"{seed} {number} levels"), {}
    if which == "none" or not {"early_release", *L4} <= known:
        return drawn
    fit = [size for size in L2_OF_ODD_SETS if USUAL_L3 * size <= core["l3_bytes"]]
    if rng.random() < SHORT_QUEUE and core["fill_buffers"] > 8:
        drawn.update(load_queue=rng.randint(core["fill_buffers"] // 2, core["fill_buffers"] - 1), early_release=1)
    if rng.random() < ODD_L2:
        drawn["l2_bytes"] = rng.choice(fit)
    if which == "mild":
        return drawn
    if rng.random() < SMALL_L3:
        share = rng.uniform(2, 4)
        drawn["l3_bytes"] = round(share * {**core, **drawn}["l2_bytes"] / SMALL_STEP) * SMALL_STEP
    if rng.random() < FAR_MEMORY:
        drawn["memory"] = round(even_by_factor(rng, USUAL_MEMORY, SLOWEST_MEMORY))
    if rng.random() < CHEAP_STLB:
        drawn["stlb_cost"] = rng.randint(1, SEEN_COST - 1)
    if rng.random() < NO_L3:
        drawn["l3_bytes"] = 0
    elif rng.random() < HAS_L4:
        drawn.update({key: rng.choice(values) for key, values in L4.items()},
                     memory=max({**core, **drawn}["memory"], BEHIND_L4))
    return drawn


def with_room(core):
    """What registers hold besides does not take from what loads need."""
    needed = core["fill_buffers"] + SPARE
    return {**core, **{key: max(core[key], needed + core[state])
                       for key, state in (("int_regs", "int_state"), ("vec_regs", "vec_state"))
                       if key in core and state in core}}


def is_of_tlbs(key):
    return key in TLB_KEYS or key.startswith(("dtlb", "stlb"))


TLB_KEYS = {row.key for row in WALKS} | {"l1_ways", "alias_cost"}


MILD = 0.25  # how often no vice is drawn but mild ones: most cores have several others


def draw(seed, number, known, which):
    """Core `number` of this draw. A core has more reorder buffer than fill buffers."""
    if which == "all" and random.Random(f"{seed} {number} mild").random() < MILD:
        which = "mild"
    rng = random.Random(f"{seed} {number}")
    core = draw_sizes(rng)
    while core["rob"] < core["fill_buffers"] + SPARE:
        core = draw_sizes(rng)
    vices = draw_vices(rng, known, which)
    return with_room({**core, **draw_tlbs(seed, number, core["l1_bytes"]), **vices, **draw_accesses(rng, core),
                      **draw_structure_vices(seed, number, core, known, which)})


# Kinds of sizes: which cores are of them, and whether these may be mild all the same.
Kind = namedtuple("Kind", "name is_mild has")

KINDS = [
    Kind("a load queue smaller than the buffers", True, lambda core: not shows_buffers(core)),
    Kind("an L2 of odd sets", True, lambda core: core["l2_bytes"] & (core["l2_bytes"] - 1) > 0),
    Kind("no L3", False, lambda core: core["l3_bytes"] == 0),
    Kind("a small L3", False, lambda core: 0 < core["l3_bytes"] < USUAL_L3 * core["l2_bytes"]),
    Kind("an L4", False, lambda core: "l4_bytes" in core),
    Kind("slow memory", False, lambda core: core["memory"] > USUAL_MEMORY),
    Kind("a cheap second TLB", False, lambda core: core["stlb_cost"] < SEEN_COST),
]


def is_mild(core):
    return (all(kind.is_mild for kind in KINDS if kind.has(core))
            and all(row.mild[0] <= core[row.key] <= row.mild[1] for row in VICES if row.key in core))


def kinds_of(core):
    """Of a core, for the log: whether it is mild, its vices, and the kinds of its sizes."""
    vices = [f"{row.key}={core[row.key]}" for row in VICES if row.key in core]
    sizes = [kind.name for kind in KINDS if kind.has(core)]
    return ", ".join(["mild" if is_mild(core) else "not mild", *vices, *sizes])


def known_keys():
    """The keys of the model that `run --help` names."""
    said = subprocess.run([HOSTED, "run", "--help"], capture_output=True, text=True, check=True).stdout
    model = said.partition("its keys:")[2].partition("Keys of the configuration")[0]
    return set(re.findall(r"^  (\w+) +=", model, re.MULTILINE))


# --- the truth ----------------------------------------------------------------------------------


CYCLES_PER_US = 2600  # the model's


def mean_latency(core):
    """Of a load of a chain from memory. Rows of memory are slower by up to `banks`, few loads by `slow_factor`;
    of each refresh, one load at most waits for the end."""
    slow = core.get("slow_share", 0) * (core.get("slow_factor", 2) - 1)
    latency, refresh = core["memory"] * (1 + core.get("banks", 0) / 2) * (1 + slow), core.get("refresh", 0)
    waited = refresh ** 2 / 2 / latency if refresh < latency else refresh - latency / 2
    return latency * (1 + waited / (core.get("refresh_us", 7.8) * CYCLES_PER_US - waited))


@functools.cache
def simulated_median(items):
    core, rng = dict(items), random.Random(1)
    return statistics.median(draw_latency(core, rng) for _ in range(20000))


def median_latency(core):
    return simulated_median(tuple(sorted(core.items())))


FUSED = 4  # instructions in an entry, at most, and
FETCH = 64  # of the same so many bytes: the model's MODEL_FETCH_BYTES


def nops_in_flight(core):
    """Both loads have entries of their own; the rest hold as many 1-byte NOPs as fuse."""
    fused = min(max(core.get("fuse", 1), 1), FUSED)
    whole, rest = divmod(core["rob"] - 2, math.ceil(FETCH / fused))
    return whole * FETCH + rest * fused


def draw_latency(core, rng):
    """Of one load, as the model draws it."""
    latency = core["memory"] * max(1 + core["noise"] * rng.gauss(0, 1), 0)
    latency *= 1 + core.get("banks", 0) * rng.random()
    slow = rng.random() < core.get("slow_share", 0)
    return latency * (core.get("slow_factor", 2) if slow else 1)


def refreshes(core, rng):
    """When a request of a time is taken: memory stops again and again, since any time before."""
    refresh, every = core.get("refresh", 0), core.get("refresh_us", 7.8) * CYCLES_PER_US
    start = rng.random() * every if refresh else 0
    return lambda when: max(when, when - (start + when) % every + refresh)


def time_of_loads(core, count, rng):
    """Of so many independent ones: each waits for a buffer, and for its turn on the way to memory."""
    room = min(core["fill_buffers"], core.get("load_queue", NO_LIMIT))
    free, interval = [0.0] * room, 64 / core["bandwidth"] if "bandwidth" in core else 0
    taken, end, turn = refreshes(core, rng), 0.0, 0.0
    for _ in range(count):
        turn = taken(max(turn, heapq.heappop(free)))
        back = turn + draw_latency(core, rng)
        turn += interval
        heapq.heappush(free, back)
        end = max(end, back)
    return end


REACHED = 0.97  # of the time of two in turn, as the rule has it
TRIALS = 200
TRIALS_OF_SLOW = 2000  # a few loads that take some times as long scatter the mean


@functools.cache
def simulated_mlp(items):
    core, rng = dict(items), random.Random(1)
    limit = REACHED * (2 * mean_latency(core) + TIMER) - TIMER
    trials = TRIALS_OF_SLOW if "slow_share" in core else TRIALS

    def reaches(count):
        return sum(time_of_loads(core, count, rng) for _ in range(trials)) / trials >= limit

    low, high = 1, 2  # the last that does not, and the first that does
    while not reaches(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return low


def mlp(core):
    """The published rule by means, on a core that is known: the last N that is faster than two in turn."""
    return simulated_mlp(tuple(sorted(core.items())))


ACCESSES = (400, 2000)  # both fill any buffers several times, so that one more takes what any other does
TRIALS_OF_ACCESSES = 20


class Window:
    """Instructions in the order of the program: of the core's width in a cycle, while there are entries for them
    that the oldest return when they retire; or, of a load queue that loads leave early, when they are over."""

    def __init__(self, core):
        queue = core.get("load_queue", NO_LIMIT)
        registers = core.get("int_regs", NO_LIMIT) - core.get("int_state", 0)
        self.early = [0.0] * queue if core.get("early_release") and queue < NO_LIMIT else None
        self.entries = min(core["rob"], registers, NO_LIMIT if self.early else queue)
        self.width, self.entered, self.retired = core["width"], [], []

    def enter(self):
        """When the next instruction enters."""
        i = len(self.entered)
        when = max(self.entered[i - self.width] + 1 if i >= self.width else 0,
                   self.retired[i - self.entries] if i >= self.entries else 0, self.entered[-1] if i else 0)
        if self.early:
            when = max(when, heapq.heappop(self.early))
        self.entered.append(when)
        return when

    def leave(self, over):
        """The oldest is over then, and retires as soon as those before it have."""
        i = len(self.retired)
        self.retired.append(max(over, self.retired[-1] if i else 0,
                                self.retired[i - self.width] + 1 if i >= self.width else 0))
        if self.early:
            heapq.heappush(self.early, over)


def time_of_accesses(core, count, draw):
    """Of so many loads of random lines, each behind the load of its address, which hits."""
    window, free = Window(core), [0.0] * core["fill_buffers"]
    for _ in range(count):
        address = window.enter() + core["l1_latency"]
        window.leave(address)
        line = draw(max(window.enter(), address, heapq.heappop(free)))
        window.leave(line)
        heapq.heappush(free, line)
    return window.retired[-1]


def from_memory(core, rng):
    """When a line is there that is asked for at a time; requests take turns."""
    interval, taken, turn = 64 / core["bandwidth"] if "bandwidth" in core else 0, refreshes(core, rng), 0.0

    def there(when):
        nonlocal turn
        asked = taken(max(turn, when))
        turn = asked + interval if interval else 0
        return asked + draw_latency(core, rng)
    return there


@functools.cache
def simulated_overlap(items, latency):
    """By Little's law. `latency`: of a level of cache; None: memory's."""
    core, rng = dict(items), random.Random(1)

    def mean_time(count):
        draws = (from_memory(core, rng) if latency is None else lambda when: when + latency
                 for _ in range(TRIALS_OF_ACCESSES if latency is None else 1))
        return statistics.mean(time_of_accesses(core, count, draw) for draw in draws)

    few, many = ACCESSES
    return (latency or mean_latency(core)) * (many - few) / (mean_time(many) - mean_time(few))


def overlap(number):
    """Of random loads of a level of cache, or, None, of memory: the buffers, or what is full before them."""
    def of_core(core):
        latency = None if number is None else level(number, "latency")(core)
        if latency is not None and math.isnan(latency):
            return latency
        return simulated_overlap(tuple(sorted(core.items())), latency)
    return of_core


def overlapping(accesses):
    """Windows are part full at either end of a run, which is so many accesses longer than another: half a window.
    Walks end the overlap where pages are small: nothing is true or wrong then."""
    return lambda core, truth: (math.inf if core.get("small_pages")
                                else max(0.05 * truth + truth * truth / 2 / accesses, 1))


def size(key):
    return lambda core: core.get(key, NO_LIMIT)


KEPT = [0, 2, 4, 7, 8, 9]  # RAX, RDX, RSP, RDI, R8, R9: all that probe/register_state.c does not clear


def integer_registers(core):
    """The state of a core is that of its highest registers; what the probe needs of them stays in the file."""
    first = 16 - core.get("int_state", 0)
    return core.get("int_regs", NO_LIMIT) - sum(register >= first for register in KEPT)


def loads_in_flight(core):
    """Loads that complete keep their entries until they retire, or not."""
    return NO_LIMIT if core.get("early_release") else core.get("load_queue", NO_LIMIT)


def buffers_of(key):
    """Of another access than loads: its own, or those of loads."""
    return lambda core: core.get(key, core["fill_buffers"])


def shows_buffers(core):
    """Loads wait in their queue for a buffer, too."""
    return core.get("load_queue", NO_LIMIT) > core["fill_buffers"]


def shows_stores(core):
    """The store queue has room for as many that wait for lines, and for those that are compared with them."""
    return core.get("store_queue", NO_LIMIT) >= buffers_of("write_buffers")(core) + 2


def whole_walk(core):
    """Three levels above the page's own, none of which is remembered."""
    return core["walk"] + 3 * core.get("walk_level", 0)


RUN_MS = 5000  # a clock that steps less often than that rises only
WAVE_MS = 100  # a drift as slow as that goes up and down once in a second at most: in an experiment
# A rise that goes on for most of what a verdict is of, by experiment, where that is shorter than WAVE_MS: L1's sizes
# are measured in a modelled run's first 8 ms, and all of an access in 56 to 143.
RISE_MS = {"array": 5, "mlp": 30}
MOVE_TO_SEE = 0.25  # paces farther apart than this share have to be told: no answer holds then


def slowest_pace(core, ramp_ms=WAVE_MS):
    """How many times as long as at the full clock a cycle takes: at the least clock, where a run or an experiment
    meets that. A clock that rises as slowly as `ramp_ms` does so all the time that a verdict is of."""
    is_met = 0 < core.get("clock_steps", 0) < RUN_MS or core.get("clock_ramp", 0) >= ramp_ms
    return 1 / core["clock_low"] if is_met else 1


WAVES = 2  # times `drift`: so far the model's waves together move its pace


def share(part, least=0):
    """A tolerance: this part of the truth, or so much at least."""
    return lambda core, truth: max(part * truth, least)


def time(part, least=0):
    """The same of a time. The model's pace moves, and what is true is so wide."""
    return lambda core, truth: max((part + WAVES * core.get("drift", 0)) * truth, least)


# The length of a cycle is the difference of two times over so many additions, each the mean of so many samples. By a
# clock that counts in steps a sample is a step too long or too short, by chance: its variance is a sixth of a
# step's square, averaged over all times.
ADDITIONS, ADDED = 1280, 400


def in_cycles(part, least=0):
    """The same of a time that the pace of other moments makes core cycles of. A clock's steps leave their length open
    by two standard errors, and a clock that moves by half-way between two paces, at most."""
    def of_core(core, truth):
        steps = 2 * core.get("tsc_step", 0) * math.sqrt(2 / 6 / ADDED) / ADDITIONS
        apart = slowest_pace(core) - 1
        moved = apart / 2 if apart <= MOVE_TO_SEE else 0
        return max(time(part)(core, truth) + steps * truth, least) + moved * truth
    return of_core


def skew(core):
    """Ticks from one load's median to its mean: a clock that counts in steps tells either, or something between."""
    return mean_latency(core) - median_latency(core) if "tsc_step" in core else 0


def walks(core):
    """Ticks of a walk that a load takes besides, or a part of them, where pages are small, whatever they seem."""
    return whole_walk(core) if core.get("small_pages") else 0


NEAR = 0.97  # what ends as near as that to another structure cannot be told from it


def ends_before(key, *others):
    """Whether a structure is the first to end: another one that does hides it."""
    return lambda core: core.get(key, NO_LIMIT) < NEAR * min(core.get(other, NO_LIMIT) for other in others)


SOONER = 0.9  # of what is dispatched while memory is asked, as the latency moves


def fills(entries):
    """Whether so many instructions are dispatched before the first load is back: else the ROB never fills, and
    no time of two loads in turn is there to hold others against."""
    return lambda core: entries(core) < SOONER * core["memory"] * core["width"]


def shows_loads(core):
    """Loads that are done leave the queue, or stay to their end."""
    return not core.get("early_release") and ends_before("load_queue", "rob", "int_regs")(core)


def schedulers(core):
    """Of all together."""
    return core.get("scheduler", NO_LIMIT) * core.get("schedulers", 1)


def loads_waiting(core):
    """Those that wait for an address take an entry of a scheduler, too; the missing load before them has left its own."""
    return min(core.get("load_queue", NO_LIMIT), schedulers(core) + 1)


def shows_scheduler(core):
    """Of several, none shows how many there are."""
    return core.get("schedulers", 1) == 1 and ends_before("scheduler", "rob", "int_regs")(core)


def has_level(number):
    return lambda core: bool(core.get(f"l{number}_bytes"))


def level(number, what):
    """Of a level that there is; nothing is right of another one."""
    return lambda core: core[f"l{number}_{what}"] if has_level(number)(core) else math.nan


def capacity(number):
    """Of arrays that a level holds: what it has of the level before is not in a victim cache."""
    def of_core(core):
        before = core.get(f"l{number - 1}_bytes", 0) if core.get(f"l{number}_victim") else 0
        return level(number, "bytes")(core) + before
    return of_core


def has_whole_pages(shows):
    """Where pages are small, walks end the overlap."""
    return lambda core: shows(core) and not core.get("small_pages")


def always(core):
    return True


def exactly(core, truth):
    return 0


def loads(core, truth):
    """Where loads scatter or bandwidth ends it, the time of N loads rises slowly to that of two in turn."""
    blurs = core["noise"] > 0 or any(key in core for key in ("banks", "slow_share", "bandwidth"))
    return max(1, 0.05 * truth) if blurs else 0


# --- of the TLBs: for pages of 4 KB and of 2 MB, of which each level may have a store of their own

PAGE_SUFFIXES = {"4k": "", "2m": "_2m"}


def tlb_key(core, level, page):
    """Where a level has the entries of that size of page."""
    own = level + PAGE_SUFFIXES[page]
    return own if own in core else level


def entries(level, page):
    return lambda core: core.get(tlb_key(core, level, page), 0)


def ways(level, page):
    """One set has as many as entries."""
    return lambda core: core.get(f"{tlb_key(core, level, page)}_ways", entries(level, page)(core))


def is_random(level):
    return lambda core: bool(core.get(f"{level}_random"))


def has_second(page):
    """Whether more pages fit into the second level than into the first, which is what makes it one."""
    return lambda core: entries("stlb", page)(core) > entries("dtlb", page)(core)


def miss_cost(page):
    """Of the first level: a hit in the second, or else a walk whose upper levels are remembered."""
    return lambda core: core["stlb_cost"] if has_second(page)(core) else core["walk"]


SEEN_COST = 3  # cycles: what a miss has to cost to be seen beside noise


APART = 4  # times the first level's entries: a second level that is smaller is no plateau of its own


def shows_dtlb(page):
    """Where any entry may go, time rises from half of them on, and no N is the end."""
    return lambda core: not is_random("dtlb")(core) and miss_cost(page)(core) >= SEEN_COST


def shows_miss(page):
    """Without a second level nobody knows that this is a walk."""
    return lambda core: (entries("stlb", page)(core) >= APART * entries("dtlb", page)(core)
                         and shows_dtlb(page)(core))


def shows_stlb(page):
    return lambda core: shows_miss(page)(core) and not is_random("stlb")(core)


def sets_in_turn(core, level, page):
    """How many sets pages a power of two apart take turns in; None: as many as there are, or any."""
    sets = entries(level, page)(core) // max(ways(level, page)(core), 1)
    if sets < 2 or core.get(f"{level}_hash") or is_random(level)(core):
        return None
    return sets // (sets & -sets)


def has_sets(core, level, page):
    """Whether the pages that are measured can all be of one set: they are three apart, too."""
    return sets_in_turn(core, level, page) in (1, 3)


def shows_dtlb_ways(page):
    return lambda core: has_sets(core, "dtlb", page) and miss_cost(page)(core) >= SEEN_COST


def room_apart(core, level, page):
    """How many pages far apart a level holds."""
    turn = sets_in_turn(core, level, page)
    return turn * ways(level, page)(core) if turn else entries(level, page)(core)


def shows_stlb_ways(page):
    """Pages of one set have to leave the first level before the second."""
    return lambda core: (shows_stlb(page)(core) and has_sets(core, "stlb", page)
                         and room_apart(core, "dtlb", page) < ways("stlb", page)(core))


FAR_PAGES = 112  # the fewest of those whose walks are taken: all walk caches are smaller


def far_walk(levels):
    """So many of the levels above the page's are read; the next one is remembered."""
    return lambda core: core["walk"] + levels * core.get("walk_level", 0)


def shows_walks(page):
    """Pages far apart are walked to where no level of the TLB has room for so many of them."""
    return lambda core: entries("dtlb", page)(core) < FAR_PAGES and room_apart(core, "stlb", page) < FAR_PAGES


def soft(tolerance, *levels):
    """Where a hash fills some sets before others, or any entry may go, time rises slowly: half of the
    entries, or all."""
    def of_core(core, truth):
        is_soft = any(core.get(f"{level}_hash") == 2 or is_random(level)(core) for level in levels)
        return max(tolerance(core, truth), 0.5 * truth if is_soft else 0)
    return of_core


def tlb_rules(page):
    """Of 4 KB pages, whose entries nothing hides, and of 2 MB pages, which may be small all the same."""
    case, above = f"chain-{page}", {"4k": 0, "2m": 1}[page]
    strides = [("2m", 1), ("1g", 2), ("512g", 3)][above:]
    rules = [
        Rule("tlb", case, "dtlb_entries", entries("dtlb", page), soft(exactly, "dtlb"), shows_dtlb(page)),
        Rule("tlb", case, "dtlb_miss_cost", miss_cost(page), in_cycles(0, 1), shows_miss(page)),
        Rule("tlb", case, "stlb_entries", entries("stlb", page), soft(exactly, "stlb"), shows_stlb(page)),
        Rule("tlb", case, "dtlb_ways", ways("dtlb", page), exactly, shows_dtlb_ways(page)),
        Rule("tlb", case, "stlb_ways", ways("stlb", page), exactly, shows_stlb_ways(page)),
        *(Rule("tlb", case, f"walk_cost_{stride}_stride", far_walk(levels - above), in_cycles(0.01, 1),
               shows_walks(page)) for stride, levels in strides)]
    return rules if page == "4k" else [of_large_pages(rule) for rule in rules]


def of_large_pages(rule):
    """Where they are small, their entries are those of 4 KB pages, of which 2 MB apart few sets have any."""
    return rule._replace(
        tolerance=lambda core, truth: math.inf if core.get("small_pages") else rule.tolerance(core, truth),
        shows=lambda core: not core.get("small_pages") and rule.shows(core))


def nothing(core):
    return 0


# Experiment, pattern of its case, verdict, the truth of a core, tolerance, whether the core shows it at all (what
# another structure hides can be no more than doubt), and by how much more than the truth is as true. INVLPG forgets
# the walk caches, too, so that a cold walk is a whole one.
Rule = namedtuple("Rule", "experiment case name truth tolerance shows more", defaults=[always, nothing])


def array_rules():
    """Sizes stand a quarter of a power of two apart: the one below the edge, or its neighbour."""
    rules = [Rule("array", "2m", "memory_latency", mean_latency, time(0.1)),
             Rule("array", "2m", "memory_latency_cycles", mean_latency, share(0.1)),
             Rule("array", "2m", "memory_latency_random", mean_latency, time(0.1), more=walks),
             Rule("array", "2m", "memory_overlap", overlap(None), overlapping(1024), has_whole_pages(always))]
    for number in range(1, 5):
        there, name = has_level(number), f"l{number}"
        rules += [Rule("array", "2m", f"{name}_bytes", capacity(number), share(0.25), there),
                  Rule("array", "2m", f"{name}_latency", level(number, "latency"), time(0.1), there, walks),
                  Rule("array", "2m", f"{name}_latency_cycles", level(number, "latency"), share(0.05), there, walks)]
        if number > 1:
            rules.append(Rule("array", "2m", f"{name}_overlap", overlap(number),
                              overlapping(256 if number == 2 else 1024), has_whole_pages(there)))
    return rules


RULES = [
    Rule("mlp", "2m", "one_load", lambda core: median_latency(core) + TIMER, time(0.03, 3), more=skew),
    Rule("mlp", "2m", "mlp", mlp, loads, fills(size("rob"))),
    Rule("mlp", "2m", "fill_buffers", size("fill_buffers"), exactly, shows_buffers),
    Rule("mlp", "2m", "rob_entries", size("rob"), share(0.01), fills(size("rob"))),
    # Behind a fence or before one: a cycle more. Written past the caches: no row of memory and no noise show,
    # but the last of eight stores, the eleventh instruction, is dispatched some cycles later.
    Rule("mlp", "2m-prefetch", "one_access", lambda core: median_latency(core) + TIMER + 1, time(0.03, 3),
         more=skew),
    Rule("mlp", "2m-store", "one_access", lambda core: median_latency(core) + TIMER + 1, time(0.03, 3),
         more=skew),
    Rule("mlp", "2m-nt", "one_access",
         lambda core: core["memory"] + core.get("wc_cycles", 20) + TIMER + 1 + 10 // core.get("width", 4),
         time(0.03, 3)),
    Rule("mlp", "2m-prefetch", "fill_buffers", buffers_of("prefetch_buffers"), exactly),
    Rule("mlp", "2m-store", "fill_buffers", buffers_of("write_buffers"), exactly, shows_stores),
    Rule("mlp", "2m-nt", "fill_buffers", size("wc_buffers"), exactly),
    Rule("mlp", "2m-dependent", "sequential_slope", mean_latency, time(0.03, 3)),
    Rule("structures", "long-nop", "rob_entries", size("rob"), share(0.01), fills(size("rob"))),
    Rule("structures", "nop", "nops_in_flight", nops_in_flight, share(0.01, 8), fills(nops_in_flight)),
    Rule("structures", "add", "integer_registers", integer_registers, share(0.01), ends_before("int_regs", "rob")),
    Rule("structures", "vector", "vector_registers", size("vec_regs"), share(0.01), ends_before("vec_regs", "rob")),
    Rule("structures", "load", "loads_in_flight", loads_in_flight, share(0.01), shows_loads),
    Rule("structures", "store", "store_queue", size("store_queue"), share(0.01),
         ends_before("store_queue", "rob")),
    Rule("structures", "waiting", "scheduler_entries", schedulers, share(0.01, 1), shows_scheduler),
    Rule("structures", "multiply", "port_scheduler", size("scheduler"), share(0.01, 1),
         ends_before("scheduler", "rob", "int_regs")),
    Rule("structures", "waiting-load", "loads_waiting", loads_waiting, share(0.01),
         ends_before("load_queue", "rob", "int_regs", "scheduler")),
    Rule("structures", "line-load", "load_queue", size("load_queue"), share(0.01), shows_loads),
    Rule("tlb", "4k-cold", "parallel_walks", size("walkers"), exactly),
    Rule("tlb", "4k-cold", "walk_cost", whole_walk, time(0.05, 1)),
    *tlb_rules("4k"), *tlb_rules("2m"),
    # Sizes stand a quarter of a power of two apart: the one below the edge, or its neighbour.
    *array_rules(),
]

# --- measuring ----------------------------------------------------------------------------------


NO_VERDICT = 3  # the command's exit status where no verdict is ok, as of a core that is shared all the time


class CannotRun(Exception):
    """In words."""


def command_of(core, settings, has_tlbs=True):
    keys = [f"{key}={value}" for key, value in core.items()
            if has_tlbs or core.get("small_pages") or not is_of_tlbs(key)]
    platform = ",".join(["model:counters=0", *keys])
    words = ["build/mlpboot-hosted", "run", "--platform", platform]
    for setting in settings:
        words += ["--set", setting]
    return words


LONGEST = 900  # seconds of a processor that a run may take; most take some ten


def said_by(command):
    """What a command prints."""
    limited = ["prlimit", f"--cpu={LONGEST}:{LONGEST + 1}", *command]
    done = subprocess.run(limited, cwd=ROOT, capture_output=True, text=True)
    if done.returncode == -signal.SIGXCPU:
        raise CannotRun(f"{shlex.join(map(str, command))}\n    has not ended after {LONGEST} s of a processor")
    if done.returncode not in (0, NO_VERDICT):
        said = (done.stderr or done.stdout).strip()[-500:]
        raise CannotRun(f"{shlex.join(map(str, command))}\n    {said}")
    return done.stdout


def verdicts_of(command, rows=None):
    """A run's rows of verdicts.csv. `rows`: the folder that keeps what was measured; None: no folder."""
    kept = rows and rows / (hashlib.sha256(shlex.join(command).encode()).hexdigest()[:16] + ".csv")
    if kept and kept.exists():
        return list(csv.DictReader(said_by(["build/mlpboot-hosted", "analyze", kept]).splitlines()))
    with tempfile.TemporaryDirectory(dir=rows) as folder:
        said_by([*command, "--out", folder])
        if kept:
            (Path(folder) / "results.csv").rename(kept)
        with open(Path(folder) / "verdicts.csv", newline="") as file:
            return list(csv.DictReader(file))


def measure(core, more, rows):
    """Every run's command and verdicts: a list of pairs."""
    commands = [command_of(core, [*run.settings, *more], run.has_tlbs) for run in RUNS]
    return [(command, verdicts_of(command, rows)) for command in commands]


# --- judging ------------------------------------------------------------------------------------

# What one rule says of one verdict of one core.
Finding = namedtuple("Finding", "rule core verdict truth tolerance command")


def number_of(text):
    return float(text) if text else None


def is_wrong(finding):
    """`ok`, and not the truth."""
    value = number_of(finding.verdict["value"])
    if finding.verdict["status"] != "ok":
        return False
    return value is None or not abs(value - finding.truth) <= finding.tolerance + ROUNDING


def interval(finding):
    """Of a verdict that is ok; None: there is none."""
    ends = number_of(finding.verdict["low"]), number_of(finding.verdict["high"])
    if math.isinf(finding.tolerance):  # there is no truth to hold
        return None
    return ends if finding.verdict["status"] == "ok" and None not in ends else None


def holds(finding):
    ends = interval(finding)
    return ends is not None and ends[0] - ROUNDING <= finding.truth <= ends[1] + ROUNDING


def nearest(value, least, most):
    return min(max(least, value), most)  # nan, if nothing is true


def pace_of(core, verdict, nearest_truth):
    """Ticks of a core whose clock steps, rises or moves slowly are those of any of its paces: how many times as long
    as at the full clock a cycle took, by the pace at which what is true is nearest to the answer."""
    value, least = number_of(verdict["value"]), 1
    most = slowest_pace(core, RISE_MS.get(verdict["experiment"], WAVE_MS))
    if verdict["unit"] != "ticks" or value is None:
        return 1
    if core.get("drift_ms", 0) >= WAVE_MS:
        least, most = least * (1 - WAVES * core["drift"]), most * (1 + WAVES * core["drift"])
    return nearest(value / nearest_truth, least, most)


def finding_of(rule, core, verdict, command):
    """Any time from the truth to so much `more` is true: the nearest to the answer, by the nearest pace."""
    truth, value = rule.truth(core), number_of(verdict["value"])
    least, most = sorted([truth, truth + rule.more(core)])
    pace = pace_of(core, verdict, truth if value is None else nearest(value, least, most))
    told = truth if value is None else nearest(value / pace, least, most)
    return Finding(rule, core, verdict, told * pace, rule.tolerance(core, truth) * pace, command)


def compare(core, runs):
    """The findings of all rules that have a verdict there."""
    return [finding_of(rule, core, row, command)
            for rule in RULES for command, verdicts in runs for row in verdicts
            if row["experiment"] == rule.experiment
            and re.fullmatch(rule.case, row["case"]) and row["name"] == rule.name]


def count(findings):
    """A line of the table."""
    shown = [finding for finding in findings if finding.rule.shows(finding.core)]
    statuses = [finding.verdict["status"] for finding in shown]
    return {"cores": len(findings), "hidden": len(findings) - len(shown),
            **{status: statuses.count(status) for status in ("ok", "doubt", "skip", "error")},
            "wrong": sum(map(is_wrong, findings)),
            "intervals": sum(interval(finding) is not None for finding in findings),
            "held": sum(map(holds, findings))}


def held_share(counts):
    """In percent; None: no interval."""
    return 100 * counts["held"] / counts["intervals"] if counts["intervals"] else None


# --- the report ---------------------------------------------------------------------------------


def table_line(first, counts):
    percent = held_share(counts)
    held = "-" if percent is None else f"{counts['held']} of {counts['intervals']} ({percent:.0f} %)"
    cells = "".join(f"{counts[name]:7}" for name in ("cores", "hidden", "ok", "doubt", "skip", "error", "wrong"))
    return f"{first:44}{cells}  {held}"


def table(title, findings):
    heads = "".join(f"{name:>7}" for name in ("cores", "hidden", "ok", "doubt", "skip", "error", "wrong"))
    lines = [f"{title:44}{heads}  held"]
    for rule in RULES:
        of_rule = [finding for finding in findings if finding.rule is rule]
        if of_rule:
            lines.append(table_line(f"{rule.experiment} {rule.case} {rule.name}", count(of_rule)))
    return "\n".join([*lines, table_line("total", count(findings)), ""])


def wrong_ones(findings):
    lines = []
    for finding in filter(is_wrong, findings):
        rule, row = finding.rule, finding.verdict
        lines += [f"{rule.experiment} {row['case']} {rule.name}: {row['value']} "
                  f"[{row['low']} .. {row['high']}], and it is {finding.truth:g} "
                  f"(within {finding.tolerance:.3g})",
                  f"    {kinds_of(finding.core)}",
                  f"    {shlex.join(finding.command)} --out DIR"]
    return lines


def shares_line(name, findings):
    counts = count(findings)
    mild = count([finding for finding in findings if is_mild(finding.core)])
    wrong, seen = 1000 * counts["wrong"] / len(findings), mild["cores"] - mild["hidden"]
    cells = [f"{wrong:.1f}", *("-" if share is None else f"{share:.1f}" for share in
                               (held_share(counts), 100 * mild["doubt"] / seen if seen else None))]
    return f"{name:32}{len(findings):9}" + "".join(f"{cell:>18}" for cell in cells)


def shares(findings):
    """By verdict, whatever its case, and of all."""
    heads = ("wrong in 1,000", "intervals held, %", "mild, in doubt, %")
    names = dict.fromkeys(rule.name for rule in RULES)
    by_name = {name: [finding for finding in findings if finding.rule.name == name] for name in names}
    return "\n".join([f"{'by verdict':32}{'verdicts':>9}" + "".join(f"{head:>18}" for head in heads),
                      *(shares_line(name, found) for name, found in by_name.items() if found),
                      shares_line("all", findings) if findings else "no verdict"])


def report(findings, which):
    print(table("all cores", findings))
    if which == "all":
        print(table("cores whose vices are mild", [f for f in findings if is_mild(f.core)]))
    wrong = wrong_ones(findings)
    if wrong:
        print("\n".join(["ok, and wrong:", *wrong, ""]))
    print(shares(findings))


def missed_bars(counts, most_wrong, least_held):
    """In words, what the options asked for and the cores did not give."""
    missed, percent = [], held_share(counts)
    if most_wrong is not None and counts["wrong"] > most_wrong:
        missed.append(f"{counts['wrong']} verdicts are ok and wrong; at most {most_wrong} may be")
    if least_held is not None and (percent is None or percent < least_held):
        held = "no interval" if percent is None else f"{percent:.1f} % of the intervals"
        missed.append(f"{held} hold the truth; {least_held:g} % have to")
    return missed


def show_progress(done, count):
    if sys.stderr.isatty():
        print(f"\rcore {done} of {count}", end="\n" if done == count else "", file=sys.stderr, flush=True)


def measure_all(cores, more, rows):
    """The findings of all cores, in their order, and what could not run."""
    found, failures = {}, []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {pool.submit(measure, core, more, rows): i for i, core in enumerate(cores)}
        for done, job in enumerate(as_completed(jobs), 1):
            try:
                found[jobs[job]] = compare(cores[jobs[job]], job.result())
            except CannotRun as failure:
                failures.append(str(failure))
            show_progress(done, len(cores))
    return [finding for i in sorted(found) for finding in found[i]], failures


def options():
    parser = argparse.ArgumentParser(description="Cores of the modelled kind, against what is found.")
    parser.add_argument("--cores", type=int, default=200, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="chooses the draw")
    parser.add_argument("--vices", choices=("all", "mild", "none"), default="all",
                        help="what real cores do to a measurement")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE",
                        help="a key of the configuration, for every run")
    parser.add_argument("--rows", type=lambda name: Path(name).resolve(), metavar="DIR",
                        help="keep what is measured there, and judge what was kept")
    parser.add_argument("--most-wrong", type=int, metavar="N",
                        help="fail where more verdicts are ok and wrong")
    parser.add_argument("--least-held", type=float, metavar="PERCENT",
                        help="fail where fewer intervals of ok verdicts hold the truth")
    given = parser.parse_args()
    if given.cores < 1:
        parser.error(f"--cores {given.cores}: accepted: a number from 1")
    if not HOSTED.exists():
        parser.error(f"{HOSTED} is missing; make it first")
    if given.rows:
        given.rows.mkdir(parents=True, exist_ok=True)
    return given


def main():
    given = options()
    known = known_keys()
    cores = [draw(given.seed, i, known, given.vices) for i in range(1, given.cores + 1)]
    mild = sum(map(is_mild, cores))
    print(f"{len(cores)} cores of SEED={given.seed}, {mild} of them with mild vices or none; vices the "
          f"model knows: {' '.join(row.key for row in VICES if row.key in known) or 'none'}\n")
    for number, core in enumerate(cores, 1):
        print(f"core {number}: {kinds_of(core)}")
    print(flush=True)
    findings, failures = measure_all(cores, given.set, given.rows)
    report(findings, given.vices)
    missed = missed_bars(count(findings), given.most_wrong, given.least_held)
    for line in [*(f"could not run: {failure}" for failure in failures), *missed]:
        print(line)
    return 1 if failures or missed else 0


if __name__ == "__main__":
    sys.exit(main())
