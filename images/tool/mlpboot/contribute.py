"""contribute: makes the anonymous folder of a run that others may have, and checks it."""
import json
import os
import re

from .compare import side_of
from .comparison import DIFFERENT, Comparison
from .conditions import is_among
from .files import Trouble, write_new
from .reference import reference_runs
from .runs import find_runs, member

DOES = "an anonymous folder of a run, checked, to be given to others"
HELP = """\
RUNs are of one machine: that with the most ok answers is taken, and the others must not contradict it.
DIR gets run.json, without what names a machine, its place or its user; verdicts.csv; and results.csv, from which
`mlpboot-hosted analyze` makes the same verdicts. Nothing is sent anywhere: look at the folder, and give it away.

Refused: a run that is not done, or lacks what says which processor it was; a core that was shared in more than half of
the visits; cases with the user's own word; a text that looks like an address or a serial number; and an answer about
the core that is more than 1 % from a reference of the same processor."""
EXIT_TROUBLE = 1

# Members of run.json that name no machine; a dot at the end means all that begin so.
KEPT = ["program", "schema", "version", "status", "platform", "seconds", "tsc_hz", "tsc_hz_source", "configuration.",
        "processor.", "hypervisor.", "machine.cores.", "machine.bios.", "machine.processors.filled",
        "machine.memory.slots", "machine.memory.filled", "certificate.", "counting.", "numa.nodes", "numa.source",
        "firmware.vendor", "firmware.revision", "firmware.uefi", "memory.type", "memory.encryption", "uncore.", "settings.",
        "linux.smt", "linux.isolated_cpus", "linux.clocksource", "linux.transparent_hugepage", "linux.huge_pages_from",
        "linux.numa_balancing", "linux.memory_locked"]
NOT_KEPT = ["configuration.label", "configuration.case", "configuration.results.to", "machine.cores.*.apic_id"]

# Answers that are the same for all processors of a kind, whatever the machine around them.
OF_THE_CORE = ["rob_entries", "fill_buffers", "load_queue", "store_queue", "loads_in_flight", "loads_waiting",
               "scheduler_entries", "vector_registers", "l1_bytes", "l1_latency_cycles", "l2_latency_cycles",
               "dtlb_entries", "stlb_entries"]
APART = 1  # percent: Zen 5 has 446 entries in some machines always, and 447 in others
SHARED_MOST = 50  # percent of the visits

# Addresses, UUIDs, and names of hosts and users: none is among what is kept.
NAMES = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|(?:[0-9a-f]{2}:){5}[0-9a-f]{2}|"
                   r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\w+://|[\w.+-]+@[\w.-]+", re.IGNORECASE)


def add_arguments(parser):
    parser.add_argument("runs", metavar="RUN", nargs="+")
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder, which must not be there yet")


def run(given):
    runs = find_runs(given.runs)
    best = max(runs, key=lambda one: sum(v.status == "ok" for v in one.verdicts()))
    whole = best.json()
    said = anonymous(whole)
    files = {"run.json": json.dumps(said, indent=2).encode() + b"\n", "verdicts.csv": best.need("verdicts.csv"),
             "results.csv": best.need("results.csv")}
    check_conditions(best.path, said)
    check_cases(best.path, whole)
    check_names(best, files)
    check_others(best, runs)
    check_references(best, said)
    write_folder(given.out, files)
    print("\n".join(told(given.out, best, runs, said, files)))
    return 0


def anonymous(said, above=""):
    """Returns the members that are kept, those within objects, too."""
    kept = {}
    for name, value in said.items():
        path = f"{above}{name}"
        if isinstance(value, dict):
            inner = anonymous(value, f"{path}.")
            kept.update({name: inner} if inner else {})
        elif is_among(KEPT, path) and not is_among(NOT_KEPT, re.sub(r"core_\d+", "*", path)):
            kept[name] = value
    return kept


# --- checks ------------------------------------------------------------------------------------

def check_conditions(path, said):
    if said.get("program") != "mlpboot" or said.get("status") != "done":
        raise Trouble(f"{path}: its status is {said.get('status')}; expected done")
    for name in ("version", "tsc_hz", "processor.vendor", "processor.family", "processor.model"):
        if member(said, name) in (None, ""):
            raise Trouble(f"{path}: run.json lacks {name}")
    if said.get("platform") == "model":
        raise Trouble(f"{path}: a model of a core; expected a processor")
    shared = member(said, "certificate.core_shared_percent")
    if isinstance(shared, (int, float)) and shared > SHARED_MOST:
        raise Trouble(f"{path}: a sibling thread shared the core in {shared:.0f} % of the visits; expected {SHARED_MOST} % "
                      "at most: measure on a quieter machine")


def check_cases(path, whole):
    word = member(whole, "configuration.case")
    if word:
        raise Trouble(f"{path}: the names of its cases have your word {word}; expected a run without the key case")


def check_names(best, files):
    for file in ("run.json", "verdicts.csv"):
        found = NAMES.search(files[file].decode("utf-8", "replace"))
        if found:
            raise Trouble(f"{best.where(file)}: {found.group()} looks like an address or a serial number")


def check_others(best, runs):
    for other in runs:
        differing = differences(best, other)
        if differing:
            raise Trouble(f"{other.path} contradicts {best.path}: {differing}")


def check_references(best, said):
    for name, reference in reference_runs().items():
        theirs = reference.json()
        if all(member(said, f"processor.{one}") == member(theirs, f"processor.{one}") for one in ("vendor", "family", "model")):
            differing = differences(best, reference)
            if differing:
                raise Trouble(f"{best.path} contradicts the reference {name}: {differing}")


def differences(a, b):
    """Returns, in words, the answers about one core that two runs have differently; "" if they have none."""
    comparison = Comparison(side_of(a.path, [a]), side_of(b.path, [b]), OF_THE_CORE)
    return "; ".join(f"{pair.verdict.experiment} {pair.case()} {pair.verdict.name} {pair.a.value:g} and {pair.b.value:g} "
                     f"{pair.unit}".strip() for pair in comparison.pairs
                     if pair.outcome == DIFFERENT and abs(pair.percent(pair.difference)) > APART)


# --- the folder --------------------------------------------------------------------------------

def write_folder(path, files):
    try:
        os.makedirs(path)
    except FileExistsError:
        raise Trouble(f"{path}: is there already; name another folder with --out") from None
    except OSError as error:
        raise Trouble(f"{path}: cannot be made: {error.strerror}") from None
    for name, data in files.items():
        write_new(os.path.join(path, name), [data])


def told(path, best, runs, said, files):
    """Yields what the folder contains, and what it does not."""
    verdicts = best.verdicts()
    yield f"{path}: {best.path}" + (f", the one of {len(runs)} runs with the most ok answers" if len(runs) > 1 else "")
    yield f"processor  {member(said, 'processor.brand')}, family {member(said, 'processor.family')}, model {member(said, 'processor.model')}"
    yield f"answers    {sum(v.status == 'ok' for v in verdicts)} ok of {len(verdicts)}"
    for name, data in files.items():
        yield f"{name:<15} {len(data):>8} bytes"
    yield "left out   log.txt, report.html, and of run.json all but: " + " ".join(one.rstrip(".") for one in KEPT)
