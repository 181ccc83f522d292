"""export: writes what a run knows of a core and its caches as parameters of a simulator."""
import json
import math
from collections import namedtuple

from .cases import plain_name, preference
from .compare import read_side
from .comparison import has_interval, in_nanoseconds
from .conditions import rate_of
from .csv_text import number_text
from .files import Trouble, shown

DOES = "parameters for a simulator, of what a run knows about a core and its caches"
HELP = """\
RUN is a run, or several: then their medians count. The result goes to standard output:
  gem5      classes in Python, to derive a system's own from: they set what was measured, and nothing else
  champsim  a configuration in JSON; members that it lacks have ChampSim's defaults
  json      the figures by their own names

Each parameter has the answer it was made of, with its interval and status, beside it: in comments, or in JSON's member
`mlpboot`. Parameters that are not known are left out, and listed there with the reason. An answer in doubt is not known,
unless --doubt asks for it."""
EXIT_TROUBLE = 1

# Words behind the page size or the structure: another access than loads, a sibling, another node.
OTHER_CASES = {"shared", "busy", "loading", "idle", "prefetch", "store", "nt", "dependent", "cold", "walkmem", "remote"}
REGISTERS = 16  # of x86-64, general and XMM alike: the measured sizes are without these

# A figure: what a simulator calls for, and the verdict that has it.
Figure = namedtuple("Figure", "name experiments verdict")
FIGURES = [
    Figure("clock", ["floor"], "frequency"),
    Figure("rob", ["mlp", "structures"], "rob_entries"),
    Figure("load_queue", ["structures"], "load_queue"),
    Figure("store_queue", ["structures"], "store_queue"),
    Figure("scheduler", ["structures"], "scheduler_entries"),
    Figure("integer_registers", ["structures"], "integer_registers"),
    Figure("vector_registers", ["structures"], "vector_registers"),
    Figure("fill_buffers", ["mlp"], "fill_buffers"),
    Figure("l1_bytes", ["array"], "l1_bytes"),
    Figure("l2_bytes", ["array"], "l2_bytes"),
    Figure("l3_bytes", ["array"], "l3_bytes"),
    Figure("l1_latency", ["array"], "l1_latency_cycles"),
    Figure("l2_latency", ["array"], "l2_latency_cycles"),
    Figure("l3_latency", ["array"], "l3_latency_cycles"),
    Figure("memory_latency", ["array"], "memory_latency"),
    Figure("memory_bandwidth", ["array"], "memory_read_bandwidth"),
    Figure("dtlb_entries", ["tlb"], "dtlb_entries"),
    Figure("dtlb_ways", ["tlb"], "dtlb_ways"),
    Figure("stlb_entries", ["tlb"], "stlb_entries"),
    Figure("stlb_ways", ["tlb"], "stlb_ways"),
    Figure("dtlb_miss_cost", ["tlb"], "dtlb_miss_cost"),
    Figure("parallel_walks", ["tlb"], "parallel_walks"),
]

# A simulator's parameter: its object and name, the figures it is made of, and how. The result is a whole number but
# for nanoseconds. A unit stands behind it in the text; gem5 takes the G of GB/s for 2^30, so that B/s have none.
Parameter = namedtuple("Parameter", "object name figures make unit", defaults=[""])


def the_figure(value):
    return value


def beyond(outer, inner):
    """A level's own part: simulators add up the levels that a load passes, and load-to-use latency has them all."""
    return outer - inner


def beyond_in_ns(outer_ns, inner, mhz):
    return outer_ns - inner * 1e3 / mhz


def per_second(bytes_per_cycle, mhz):
    return bytes_per_cycle * mhz * 1e6


def with_architectural(registers):
    return registers + REGISTERS


def sets_of(entries, ways):
    return entries / ways if entries % ways == 0 else math.nan


# Names: gem5's src/cpu/o3/BaseO3CPU.py, src/mem/cache/Cache.py, src/arch/x86/X86TLB.py and src/mem/SimpleMemory.py.
GEM5 = [
    Parameter("Core(X86O3CPU)", "numROBEntries", ["rob"], the_figure),
    Parameter("Core(X86O3CPU)", "LQEntries", ["load_queue"], the_figure),
    Parameter("Core(X86O3CPU)", "SQEntries", ["store_queue"], the_figure),
    Parameter("Core(X86O3CPU)", "numIQEntries", ["scheduler"], the_figure),
    Parameter("Core(X86O3CPU)", "numPhysIntRegs", ["integer_registers"], with_architectural),
    Parameter("Core(X86O3CPU)", "numPhysVecRegs", ["vector_registers"], with_architectural),
    Parameter("L1D(Cache)", "size", ["l1_bytes"], the_figure, "B"),
    Parameter("L1D(Cache)", "tag_latency", ["l1_latency"], the_figure),
    Parameter("L1D(Cache)", "data_latency", ["l1_latency"], the_figure),
    Parameter("L1D(Cache)", "mshrs", ["fill_buffers"], the_figure),
    Parameter("L2(Cache)", "size", ["l2_bytes"], the_figure, "B"),
    Parameter("L2(Cache)", "tag_latency", ["l2_latency", "l1_latency"], beyond),
    Parameter("L2(Cache)", "data_latency", ["l2_latency", "l1_latency"], beyond),
    Parameter("L3(Cache)", "size", ["l3_bytes"], the_figure, "B"),
    Parameter("L3(Cache)", "tag_latency", ["l3_latency", "l2_latency"], beyond),
    Parameter("L3(Cache)", "data_latency", ["l3_latency", "l2_latency"], beyond),
    Parameter("DTLB(X86TLB)", "size", ["dtlb_entries"], the_figure),
    Parameter("Memory(SimpleMemory)", "latency", ["memory_latency", "l3_latency", "clock"], beyond_in_ns, "ns"),
    Parameter("Memory(SimpleMemory)", "bandwidth", ["memory_bandwidth", "clock"], per_second, "B/s"),
]

# Names: ChampSim's config/parse.py and config/instantiation_file.py.
CHAMPSIM = [
    Parameter("", "frequency", ["clock"], the_figure),
    Parameter("", "rob_size", ["rob"], the_figure),
    Parameter("", "lq_size", ["load_queue"], the_figure),
    Parameter("", "sq_size", ["store_queue"], the_figure),
    Parameter("", "scheduler_size", ["scheduler"], the_figure),
    Parameter("", "register_file_size", ["integer_registers"], with_architectural),
    Parameter("L1D", "size", ["l1_bytes"], the_figure),
    Parameter("L1D", "latency", ["l1_latency"], the_figure),
    Parameter("L1D", "mshr_size", ["fill_buffers"], the_figure),
    Parameter("L2C", "size", ["l2_bytes"], the_figure),
    Parameter("L2C", "latency", ["l2_latency", "l1_latency"], beyond),
    Parameter("LLC", "size", ["l3_bytes"], the_figure),
    Parameter("LLC", "latency", ["l3_latency", "l2_latency"], beyond),
    Parameter("DTLB", "sets", ["dtlb_entries", "dtlb_ways"], sets_of),
    Parameter("DTLB", "ways", ["dtlb_ways"], the_figure),
    Parameter("STLB", "sets", ["stlb_entries", "stlb_ways"], sets_of),
    Parameter("STLB", "ways", ["stlb_ways"], the_figure),
    Parameter("STLB", "latency", ["dtlb_miss_cost"], the_figure),
    Parameter("PTW", "mshr_size", ["parallel_walks"], the_figure),
]


def add_arguments(parser):
    parser.add_argument("run", metavar="RUN")
    parser.add_argument("--to", required=True, choices=WRITERS, help="whose parameters")
    parser.add_argument("--doubt", action="store_true", help="takes answers in doubt, too")


def run(given):
    side = read_side(given.run)
    found, left_out = figures_of(side, {"ok", "doubt"} if given.doubt else {"ok"})
    if not found:
        raise Trouble(f"{given.run}: no answer is ok that a simulator could use")
    print(WRITERS[given.to](side, found, left_out), end="")
    return 0


# --- figures -----------------------------------------------------------------------------------

def figures_of(side, statuses):
    """Returns the verdict of each figure's name, and why each other name has none."""
    found, left_out = {}, {}
    for figure in FIGURES:
        candidates = [v for v in side.verdicts if v.name == figure.verdict and v.experiment in figure.experiments
                      and not OTHER_CASES & set(v.case.split("-")[1:])]
        usable = [v for v in candidates if v.status in statuses and not math.isnan(v.value)]
        if usable:
            found[figure.name] = in_time(min(usable, key=preference), rate_of(side.members))
        else:
            left_out[figure.name] = shown(f"{candidates[0].status}: {candidates[0].method}") if candidates else "not measured"
    return found, left_out


def in_time(verdict, rate):
    return in_nanoseconds(verdict, rate)._replace(unit="ns") if verdict.unit == "ticks" and rate > 0 else verdict


# --- parameters --------------------------------------------------------------------------------

def value_of(parameter, found):
    """Returns a parameter's value, or None if it cannot be made of what is known."""
    if any(name not in found for name in parameter.figures):
        return None
    value = parameter.make(*(found[name].value for name in parameter.figures))
    if math.isnan(value) or value <= 0:
        return None
    return round(value, 1) if parameter.unit == "ns" else round(value)


def missing(parameter, found, left_out):
    """Returns why a parameter is left out."""
    reasons = [f"{name} is {left_out[name]}" for name in parameter.figures if name not in found]
    return "; ".join(reasons) or " and ".join(parameter.figures) + " make no whole number above 0"


def source_text(names, found):
    return "; ".join(figure_text(found[name]) for name in dict.fromkeys(names))


def figure_text(verdict):
    ends = f" [{number_text(verdict.low)} .. {number_text(verdict.high)}]" if has_interval(verdict) else ""
    return shown(f"{verdict.experiment} {verdict.case} {verdict.name} {number_text(verdict.value)}{ends} {verdict.unit}, "
                 f"{verdict.status}")


def split(parameters, found, left_out):
    """Returns (parameter, value) of those that are known, and (parameter, reason) of the others."""
    known = [(one, value_of(one, found)) for one in parameters]
    return ([(one, value) for one, value in known if value is not None],
            [(one, missing(one, found, left_out)) for one, value in known if value is None])


def origin(side):
    """Returns what was measured, and by what."""
    told = [side.members.get(name, "") for name in ("processor.brand", "hypervisor.name", "version")]
    brand, hypervisor, version = (shown(text).strip() for text in told)
    return f"{brand or 'a processor'}{' under ' + hypervisor if hypervisor else ''}, measured by mlpboot {version}".strip()


# --- the three forms ---------------------------------------------------------------------------

def gem5_text(side, found, left_out):
    known, unknown = split(GEM5, found, left_out)
    lines = [f"# {origin(side)}", "# Latencies are of one level: gem5 adds up those that a load passes.",
             *(f"# Left out: {one.object} {one.name}: {reason}" for one, reason in unknown),
             "# Never measured: associativity, response_latency, tgts_per_mshr, widths, L2's mshrs, a second TLB.",
             "from m5.objects import " + ", ".join(sorted({one.object[:-1].split("(")[1] for one, _ in known}))]
    for name in dict.fromkeys(one.object for one, _ in known):
        lines += ["", "", f"class {name}:"]
        lines += [f"    {one.name} = {gem5_value(one, value)}  # {source_text(one.figures, found)}"
                  for one, value in known if one.object == name]
    return "\n".join(lines) + "\n"


def gem5_value(parameter, value):
    return f'"{value}{parameter.unit}"' if parameter.unit else str(value)


def champsim_text(side, found, left_out):
    known, unknown = split(CHAMPSIM, found, left_out)
    said = {}
    for one, value in known:
        (said.setdefault(one.object, {}) if one.object else said)[one.name] = value
    said["mlpboot"] = {
        "origin": origin(side), "latencies": "of one level: ChampSim adds up those that a load passes",
        "made_of": {place(one): source_text(one.figures, found) for one, _ in known},
        "left_out": {place(one): reason for one, reason in unknown}}
    return json.dumps(said, indent=2) + "\n"


def place(parameter):
    return f"{parameter.object}.{parameter.name}".strip(".")


def json_text(side, found, left_out):
    figures = {name: {"value": v.value, "low": None if math.isnan(v.low) else v.low,
                      "high": None if math.isnan(v.high) else v.high, "unit": v.unit, "status": v.status,
                      "experiment": v.experiment, "case": v.case, "verdict": v.name} for name, v in found.items()}
    return json.dumps({"origin": origin(side), "figures": figures, "left_out": left_out}, indent=2) + "\n"


WRITERS = {"gem5": gem5_text, "champsim": champsim_text, "json": json_text}
