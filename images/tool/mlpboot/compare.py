"""compare: reports the differences of two runs, or of the medians of many, and the verdicts that stay open."""
import argparse
import math
import sys
from collections import Counter

from .agree import median
from .compare_text import json_text, text_lines
from .comparison import DIFFERENT, Comparison, Side
from .conditions import members_of
from .files import Trouble, warn
from .reference import reference_lines, reference_run
from .runs import STATUSES, runs_at

DOES = "the differences of two runs, and how sure each is; for example after an update of a BIOS"
HELP = """\
A and B are folders that runs left, or verdicts.csv files alone; a report.html; or a .zip of folders. A path
that holds several runs, as `mlpboot-hosted repeat` leaves, stands for their median run: a verdict is ok if more than
half of the runs have it as ok, with the medians of the ok ones. Conditions are those of the first run.

Each verdict that both have gets an outcome:
  different: the interval of the difference excludes 0.
  same: the interval holds 0, and lies within 5 % of the smaller value.
  cannot be told apart: the interval is wider, or one of the two is not ok or has no interval.
The interval is made of both runs' intervals. It is wider the more verdicts are compared, so that two runs of one
machine have no difference at all in 19 of 20 comparisons.

With --with, B is a run that comes with mlpboot: `--with zen4` compares A with a Zen 4, `--with list` tells all of them.

NAMES are names of verdicts, with commas between: mlp,rob_entries. smt.mlp means the mlp of experiment smt alone.

Exit status: 0 nothing is different, 1 something is, 2 trouble: wrong usage, no run there, nothing to compare,
a verdict that is needed cannot be compared."""
EXIT_SAME, EXIT_DIFFERENT, EXIT_TROUBLE = 0, 1, 2


def add_arguments(parser):
    parser.add_argument("a", metavar="A", nargs="?")
    parser.add_argument("b", metavar="B", nargs="?")
    parser.add_argument("--with", dest="reference", metavar="NAME", help="compares A with this reference in place of B")
    parser.add_argument("--json", action="store_true", help="says the same as JSON")
    parser.add_argument("--only", type=names, default=[], metavar="NAMES", help="compares no other verdicts")
    parser.add_argument("--need", type=names, default=[], metavar="NAMES",
                        help="fails if one of these is in no case ok, with an interval, in both runs")


def names(text):
    found = list(dict.fromkeys(text.split(",")))
    if "" in found:
        raise argparse.ArgumentTypeError("expected names of verdicts with commas between")
    return found


def run(given):
    if given.reference == "list":
        print("\n".join(reference_lines()))
        return EXIT_SAME
    if given.a is None or (given.b is None) == (given.reference is None):
        raise Trouble("expected A and B, or A and --with NAME")
    b = read_side(given.b) if given.b else side_of(given.reference, [reference_run(given.reference)])
    comparison = Comparison(read_side(given.a), b, given.only)
    print(json_text(comparison) if given.json else "\n".join(text_lines(comparison)))
    sys.stdout.flush()
    complaints = complaints_about(comparison, given.only, given.need)
    for complaint in complaints:
        warn(complaint)
    if complaints:
        return EXIT_TROUBLE
    return EXIT_DIFFERENT if comparison.count(DIFFERENT) else EXIT_SAME


def read_side(path):
    """Returns the side of a comparison that a path stands for. Raises Trouble."""
    return side_of(path, runs_at(path, may_be_verdicts=True))


def side_of(path, runs):
    """Returns the side that these runs are."""
    try:
        verdicts = median_verdicts([one.verdicts() for one in runs])
    except Trouble as trouble:
        raise Trouble(f"{trouble}; expected a folder or a verdicts.csv that a run left") from None
    return Side(path, len(runs), dict(members_of(runs[0].json(parse_int=str, parse_float=str))), verdicts)


def median_verdicts(runs):
    """Returns the verdicts of the median run; of a single run, its own. `runs` has a list of verdicts for each run."""
    found = {}
    for verdicts in runs:
        seen = Counter()
        for verdict in verdicts:
            seen[verdict[:3]] += 1
            found.setdefault((verdict[:3], seen[verdict[:3]]), []).append(verdict)
    return [median_verdict(verdicts, len(runs)) for verdicts in found.values()]


def median_verdict(verdicts, runs):
    """Returns a verdict's medians if more than half of the runs have it as ok; else the first verdict of the most
    frequent other status, or of the worse one if two are equally frequent."""
    ok = [v for v in verdicts if v.status == "ok"]
    if 2 * len(ok) > runs:
        return ok[0]._replace(**{part: median([getattr(v, part) for v in ok if not math.isnan(getattr(v, part))])
                                 for part in ("value", "low", "high")})
    others = [v for v in verdicts if v.status != "ok"]
    if not others:
        return ok[0]._replace(value=math.nan, low=math.nan, high=math.nan, status="skip",
                              method=f"{len(ok)} of {runs} runs have it")
    seen = Counter(v.status for v in others)
    status = max(seen, key=lambda one: (seen[one], STATUSES.index(one)))
    return next(v for v in others if v.status == status)


def complaints_about(comparison, only, need):
    """Returns the reasons why the comparison does not answer what it was asked for, a line each."""
    complaints = [f"{name}: neither A nor B has a verdict of that name" for name in dict.fromkeys([*need, *only])
                  if not any(pair.is_called([name]) for pair in comparison.all_pairs)]
    for name in need:
        pairs = [pair for pair in comparison.all_pairs if pair.is_called([name])]
        if pairs and not any(pair.is_compared for pair in pairs):
            where = "; ".join(f"{pair.verdict.experiment} {pair.case()}: {pair.reason or pair.outcome}"
                              for pair in pairs)
            complaints.append(f"{name}: needed, but in no case ok with an interval in both: {where}")
    if comparison.comparisons == 0:
        complaints.append("nothing to compare: no verdict is ok, with an interval, in both")
    return complaints
