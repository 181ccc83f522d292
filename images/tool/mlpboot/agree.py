"""agree: how far the verdicts of many runs agree, as after `mlpboot-hosted repeat`."""
import math
from bisect import bisect_left
from collections import Counter

from .columns import lay_out
from .csv_text import csv_line, number_text
from .files import Trouble, warn, write_new
from .runs import STATUSES, find_runs

DOES = "how far many runs with one configuration agree, verdict by verdict"
HEADER = ["experiment", "case", "name", "unit", "runs", *STATUSES, "median", "ok_min", "ok_max", "held", "intervals",
          "contradictions"]
HELP = f"""\
A RUN is a folder that a run left, or one that holds such folders, as `mlpboot-hosted repeat` leaves; a
report.html; or a .zip of any of these. The table has for each verdict how many runs had which status, the
median of their values (the lower one, if even), the range of those that are ok and, of the intervals of
those, how many hold that median and how many pairs of them do not meet: the two answers contradict each other.
Columns of --out:
{",".join(HEADER)}
A run that failed or cannot be read is named and adds nothing."""
EXIT_TROUBLE = 1

TITLES = ["experiment", "case", "verdict", *STATUSES, "median", "of ok", "range of ok", "unit", "held", "contradict"]
LEFT = {0, 1, 2, TITLES.index("unit")}


def add_arguments(parser):
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument("--out", metavar="FILE", help="writes the table as CSV too; there must be no such file yet")


def run(given):
    groups, is_whole = {}, True
    for one in find_runs(given.runs):
        try:
            check_done(one)
            for verdict in one.verdicts():
                groups.setdefault((verdict.experiment, verdict.case, verdict.name), []).append(verdict)
        except Trouble as trouble:
            warn(trouble)
            is_whole = False
    if not groups:
        raise Trouble("no run has a verdict")
    rows = [Agreement(*key, verdicts) for key, verdicts in groups.items()]
    if given.out is not None:
        write_new(given.out, [csv_line(HEADER).encode()] + [csv_line(row.csv()).encode() for row in rows])
    print("\n".join(lay_out(TITLES, [row.cells() for row in rows], LEFT, last_unpadded=False)))
    print(totals(rows))
    return 0 if is_whole else 1


def check_done(one):
    """Raises Trouble for a run that was cut short or failed: the verdicts that it lacks are unknown."""
    status = one.json().get("status")
    if status != "done":
        raise Trouble(f"{one.path}: its status is {status}, not done; it is left out")


def median(values):
    """Returns a value that some run had, the lower of the middle two: 20.5 loads would be in no interval."""
    return sorted(values)[(len(values) - 1) // 2] if values else math.nan


def contradictions(intervals):
    """Returns how many pairs of intervals, each (low, high), do not meet: one ends before the other begins."""
    highs = sorted(high for low, high in intervals)
    return sum(bisect_left(highs, low) for low, high in intervals)


class Agreement:
    """One verdict of one case in all runs."""

    def __init__(self, experiment, case, name, verdicts):
        self.names, self.unit, self.runs = (experiment, case, name), verdicts[0].unit, len(verdicts)
        self.seen = Counter(v.status for v in verdicts)
        self.median = median([v.value for v in verdicts if not math.isnan(v.value)])
        ok = [v for v in verdicts if v.status == "ok" and not math.isnan(v.value)]
        values = [v.value for v in ok]
        self.ok_median = median(values)
        self.least, self.most = (min(values), max(values)) if values else (math.nan, math.nan)
        intervals = [v for v in ok if not math.isnan(v.low) and not math.isnan(v.high)]
        self.intervals = len(intervals)
        self.held = sum(v.low <= self.median <= v.high for v in intervals)
        self.contradictions = contradictions([(v.low, v.high) for v in intervals if v.low <= v.high])

    def statuses(self):
        return [str(self.seen[status]) for status in STATUSES]

    def csv(self):
        return [*self.names, self.unit, str(self.runs), *self.statuses(), number_text(self.median),
                number_text(self.least), number_text(self.most), str(self.held), str(self.intervals),
                str(self.contradictions)]

    def cells(self):
        least, most = number_text(self.least), number_text(self.most)
        return [*self.names, *self.statuses(), number_text(self.median) or "-", number_text(self.ok_median) or "-",
                f"{least}..{most}" if least else "-", self.unit,
                f"{self.held} of {self.intervals}" if self.intervals else "-",
                str(self.contradictions) if self.intervals > 1 else "-"]


def totals(rows):
    ok, intervals = sum(row.seen["ok"] for row in rows), sum(row.intervals for row in rows)
    held = sum(row.held for row in rows)
    ends = f"{held} ({100 * held / intervals:.1f} %) hold their median" if intervals else "no interval to hold a median"
    pairs = sum(row.intervals * (row.intervals - 1) // 2 for row in rows)
    apart = sum(row.contradictions for row in rows)
    share = f" ({100 * apart / pairs:.1f} %)" if pairs else ""
    return (f"{ok} ok, {intervals} of them with an interval; {ends}\n"
            f"{apart} of {pairs} pairs of these intervals of one verdict{share} contradict each other: they do not meet")
