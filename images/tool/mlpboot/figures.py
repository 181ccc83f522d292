"""figures: reads the figures and conditions by which the machines of a fleet are compared."""
import math
from collections import namedtuple

from .cases import PAGES, plain_name
from .comparison import has_interval
from .runs import as_number, as_text, member

# `unit`: that of every machine's figure; a verdict in another unit is converted, see FACTORS. `floor`: a smaller distance
# from the other machines is never odd. `causes`: the conditions that explain it, as CONDITIONS names them. `is_momentary`:
# beside neighbours it tells of a minute, and not of the machine; see has_neighbours().
Figure = namedtuple("Figure", "title experiment name unit floor causes is_momentary", defaults=[False])

CLOCK, MEMORY = ("turbo", "microcode", "BIOS"), ("DIMMs", "DIMM speed", "nodes", "encryption", "uncore", "BIOS")
PREFETCHED, SHARED = ("prefetchers", *MEMORY), ("siblings", "microcode", "BIOS")

FIGURES = [
    Figure("core clock", "floor", "frequency", "MHz", 0, CLOCK),
    Figure("L1 size", "array", "l1_bytes", "bytes", 0, SHARED),
    Figure("L2 size", "array", "l2_bytes", "bytes", 0, SHARED),
    Figure("L3 size", "array", "l3_bytes", "bytes", 0, ("BIOS", "uncore", "nodes")),
    Figure("L1 latency", "array", "l1_latency_cycles", "cycles", 0, SHARED),
    Figure("L2 latency", "array", "l2_latency_cycles", "cycles", 0, SHARED),
    Figure("L3 latency", "array", "l3_latency_cycles", "cycles", 0, ("uncore", "turbo", "BIOS")),
    Figure("memory latency", "array", "memory_latency", "ns", 0, MEMORY),
    Figure("memory bandwidth", "array", "memory_read_bandwidth", "GB/s", 0, PREFETCHED),
    Figure("memory overlap", "array", "memory_overlap", "loads", 0, MEMORY),
    Figure("loaded peak", "loaded", "peak_bandwidth", "GB/s", 0, PREFETCHED),
    Figure("MLP", "mlp", "mlp", "loads", 0, SHARED),
    Figure("ROB", "mlp", "rob_entries", "entries", 0, SHARED),
    Figure("fill buffers", "mlp", "fill_buffers", "buffers", 0, SHARED),
    Figure("first TLB", "tlb", "dtlb_entries", "entries", 0, SHARED),
    Figure("second TLB", "tlb", "stlb_entries", "entries", 0, SHARED),
    Figure("page walk", "tlb", "walk_cost", "ns", 0, ("nodes", "encryption", "BIOS")),
    Figure("core shared", "noise", "shared_share", "%", 3, ("siblings",), True),
    Figure("longest gap", "noise", "max_gap", "ns", 0, ("siblings", "BIOS"), True),
]

FIGURE_MOST = 1e18  # no figure is as large; medians and deviations of such are finite

# Factors by which a verdict is multiplied so that it has a figure's unit; None: run.json does not tell.
FACTORS = {
    ("ticks", "ns"): lambda said: _ratio(1e9, number_of(said, "tsc_hz")),
    ("bytes/cycle", "GB/s"): lambda said: _product(number_of(said, "tsc_hz"),
                                                   number_of(said, "certificate.cycles_per_tick"), 1e-9),
}

# Conditions, each compared with that of most machines: a title, and a function of run.json that returns the
# condition's text, "" where it is not known. Serial numbers and the like are not among them.
Condition = namedtuple("Condition", "title read")

CONDITIONS = [
    Condition("prefetchers", lambda said: text_of(said, "certificate.prefetch")),
    Condition("turbo", lambda said: text_of(said, "certificate.turbo")),
    Condition("siblings", lambda said: text_of(said, "certificate.siblings")),
    Condition("microcode", lambda said: text_of(said, "machine.cores.*.microcode")),
    Condition("BIOS", lambda said: " ".join(filter(None, (text_of(said, "machine.bios.version"),
                                                          text_of(said, "machine.bios.date"))))),
    Condition("DIMMs", lambda said: _dimms(said)),
    Condition("DIMM speed", lambda said: _dimm_speed(said)),
    Condition("nodes", lambda said: text_of(said, "numa.nodes")),
    Condition("encryption", lambda said: text_of(said, "memory.encryption")),
    Condition("uncore", lambda said: _uncore(said)),
]


def number_of(said, path):
    """Returns a number above 0 of run.json, else None."""
    value = as_number(member(said, path))
    return value if 0 < value < math.inf else None


def text_of(said, path):
    return as_text(member(said, path)).strip()


def _ratio(above, below):
    return above / below if below else None


def _product(*factors):
    return math.prod(factors) if None not in factors else None


def modules_of(said):
    """Returns the filled slots for memory, by their names on the board."""
    memory = member(said, "machine.memory")
    modules = memory.values() if isinstance(memory, dict) else []
    return {text_of(one, "slot"): one for one in modules if isinstance(one, dict) and text_of(one, "slot")}


def _dimms(said):
    slots, filled = (number_of(said, f"machine.memory.{name}") for name in ("slots", "filled"))
    return f"{filled:.0f} of {slots:.0f}" if slots and filled else ""


def _dimm_speed(said):
    speeds = {number_of(one, "mts") for one in modules_of(said).values()} - {None}
    return " and ".join(f"{speed:.0f}" for speed in sorted(speeds)) + " MT/s" * bool(speeds)


def _uncore(said):
    least, most = (number_of(said, f"uncore.permitted_{end}_mhz") for end in ("least", "most"))
    return f"{least:.0f} to {most:.0f} MHz" if least and most else ""


def has_neighbours(said):
    """True if others may use the core and the machine while it measures: of a guest, or of a Linux process."""
    return text_of(said, "platform") == "linux" or text_of(said, "hypervisor.name") != ""


def group_of(said, verdicts):
    """Returns the kind of machine, in words: machines of one kind are compared with each other."""
    processor, core_type = member(said, "processor") or {}, text_of(said, "machine.cores.*.type")
    signature = "/".join(text_of(processor, name) for name in ("family", "model", "stepping"))
    pages = [page for page in PAGES if any(page in verdict.case.split("-") for verdict in verdicts)]
    return ", ".join(filter(None, (text_of(processor, "brand") or text_of(said, "platform"), signature.strip("/"),
                                   text_of(said, "machine.system.product"),
                                   "" if core_type == "one type" else core_type, "pages " + " ".join(pages))))


def figures_of(said, verdicts):
    """Returns by (figure's place in FIGURES, case) the verdicts that are ok, have an interval, and have its unit."""
    wanted = {(figure.experiment, figure.name): place for place, figure in enumerate(FIGURES)}
    found = {}
    for verdict in verdicts:
        place = wanted.get((verdict.experiment, verdict.name))
        if place is not None and verdict.status == "ok" and has_interval(verdict):
            converted = _converted(verdict, FIGURES[place].unit, said)
            if converted is not None and max(map(abs, (converted.value, converted.low, converted.high))) < FIGURE_MOST:
                found.setdefault((place, plain_name(verdict.case)), converted)
    return found


def _converted(verdict, unit, said):
    """Returns the verdict in this unit, or None."""
    if verdict.unit == unit:
        return verdict
    factor = FACTORS.get((verdict.unit, unit), lambda _: None)(said)
    if factor is None:
        return None
    value, low, high = (factor * number for number in (verdict.value, verdict.low, verdict.high))
    return verdict._replace(value=value, low=low, high=high, unit=unit)
