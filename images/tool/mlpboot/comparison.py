"""comparison: two runs, verdict by verdict; no input, no output."""
import math
from collections import deque, namedtuple

from .cases import plain_name
from .conditions import conditions_apart, rate_of, rates_differ

OUTCOMES = SAME, DIFFERENT, OPEN, ONLY_A, ONLY_B = (
    "same", "different", "cannot be told apart", "only in A", "only in B")
MARGIN = 0.05  # values that differ by less than this are the same
ROUNDING = 0.0015  # two numbers with three decimals, as in verdicts.csv, may be 0.001 apart and be one number
NORMAL_95 = 1.96
LN_2 = 0.69314718  # with the digits that kernel/analysis/equality.c has

REASONS = {SAME: "within 5 %", DIFFERENT: "farther apart than both intervals",
           OPEN: "may be the same, may be 5 % apart"}

# One side of a comparison: its path as it was given, how many runs it stands for, run.json's members by their paths.
Side = namedtuple("Side", "path runs members verdicts")


def has_interval(verdict):
    return verdict.low <= verdict.value <= verdict.high


def can_compare(a, b):
    return a.status == b.status == "ok" and has_interval(a) and has_interval(b)


def compare_values(a, b, comparisons):
    """Returns (outcome, b less a, the ends of that difference's interval); nan: not known.

    - DIFFERENT: the interval excludes 0, by more than rounding;
    - SAME: the interval holds 0, and all of it lies within 5 % of the smaller value;
    - OPEN: the interval is wider, or the two values cannot be compared.
    The distance of each end from the difference combines both runs' errors to that side, which are independent: it
    is the root of the sum of their squares (Zou and Donner, "Construction of confidence limits about effect
    measures", Statistics in Medicine 27, 2008). The interval is then made wider by sqrt(2 ln(comparisons / 0.05)) /
    1.96, so that all of so many comparisons, at least one, hold at once in 95 % of all pairs of runs: exp(-z^2 / 2)
    bounds a normal distribution's tails (Chernoff), and Boole's inequality divides the 5 %.
    """
    difference = b.value - a.value
    if not can_compare(a, b):
        return OPEN, difference, math.nan, math.nan
    wider = math.sqrt(2 * LN_2 * math.log2(comparisons / 0.05)) / NORMAL_95
    margin = MARGIN * min(abs(a.value), abs(b.value))
    low = difference - wider * math.hypot(b.value - b.low, a.high - a.value)
    high = difference + wider * math.hypot(b.high - b.value, a.value - a.low)
    is_different = low > ROUNDING or high < -ROUNDING
    is_same = low >= -margin and high <= margin
    return DIFFERENT if is_different else SAME if is_same else OPEN, difference, low, high


def which_of(is_a, is_b):
    return "A and B" if is_a and is_b else "A" if is_a else "B"


def why_not(a, b):
    """Returns why two verdicts cannot be compared, with the method of the one that is not ok."""
    a_fails, b_fails = a.status != "ok", b.status != "ok"
    if a_fails and b_fails and a.status != b.status:
        return f"{a.status} in A, {b.status} in B: {a.method}"
    if a_fails or b_fails:
        verdict = a if a_fails else b
        return f"{verdict.status} in {which_of(a_fails, b_fails)}: {verdict.method}"
    if a.unit != b.unit:
        return f"in {a.unit} and in {b.unit}"
    return f"no interval in {which_of(not has_interval(a), not has_interval(b))}"


class Pair:
    """A verdict of both runs, or of one alone: then `a` or `b` is None. `unit` is the unit of the compared values."""

    def __init__(self, a, b, rates):
        """Takes the rates of both TSCs if ticks are to become nanoseconds, else None."""
        self.unit = (a.unit if a else "") or (b.unit if b else "")
        if rates and self.unit == "ticks":
            self.unit = "ns"
        self.a, self.b = [in_nanoseconds(one, rate) if rate and one and one.unit == "ticks" else one
                          for one, rate in zip((a, b), rates or (None, None))]
        self.verdict = self.a or self.b
        self.is_compared = bool(a and b) and a.unit == b.unit and can_compare(self.a, self.b)
        self.outcome, self.reason = ONLY_A if b is None else ONLY_B, ""
        self.difference = self.low = self.high = math.nan

    def decide(self, comparisons):
        if self.a is None or self.b is None:
            return
        if self.is_compared:
            self.outcome, self.difference, self.low, self.high = compare_values(self.a, self.b, comparisons)
            self.reason = REASONS[self.outcome]
        else:
            self.outcome, self.reason = OPEN, why_not(self.a, self.b)
            if self.a.unit == self.b.unit:
                self.difference = self.b.value - self.a.value

    def case(self):
        """Returns the case's name, or both names."""
        cases = [one.case for one in (self.a, self.b) if one]
        return " / ".join(dict.fromkeys(cases))

    def percent(self, difference):
        """Returns a difference in percent of A's value; nan if that is 0 or missing."""
        return 100 * difference / abs(self.a.value) if self.a and self.a.value != 0 else math.nan

    def is_called(self, names):
        return self.verdict.name in names or f"{self.verdict.experiment}.{self.verdict.name}" in names


def in_nanoseconds(verdict, rate):
    factor = 1e9 / rate
    return verdict._replace(value=verdict.value * factor, low=verdict.low * factor, high=verdict.high * factor)


def find_partners(a, b):
    """Returns (verdict of a, verdict of b): a's verdicts in their order, then those that only b has; None: no partner.

    Partners have one experiment, case and name. The remaining verdicts are then paired if their cases differ only in
    the words that the configuration adds to all names of a run.
    """
    partners, left = {}, dict(enumerate(b))
    for key in (lambda v: v[:3], lambda v: (v.experiment, plain_name(v.case), v.name)):
        free = {}
        for i, verdict in left.items():
            free.setdefault(key(verdict), deque()).append(i)
        for i, verdict in enumerate(a):
            if i not in partners and free.get(key(verdict)):
                partners[i] = left.pop(free[key(verdict)].popleft())
    return [(verdict, partners.get(i)) for i, verdict in enumerate(a)] + [(None, one) for one in left.values()]


class Comparison:
    """Two sides compared; if `only` has names of verdicts, `pairs` has only these; `all_pairs` has all verdicts."""

    def __init__(self, a, b, only=()):
        self.a, self.b = a, b
        self.in_nanoseconds = rates_differ(a.members, b.members)
        self.conditions = conditions_apart(a.members, b.members)
        rates = (rate_of(a.members), rate_of(b.members)) if self.in_nanoseconds else None
        self.all_pairs = [Pair(*pair, rates) for pair in find_partners(a.verdicts, b.verdicts)]
        self.pairs = [pair for pair in self.all_pairs if not only or pair.is_called(only)]
        self.comparisons = sum(pair.is_compared for pair in self.pairs)  # decides how wide intervals are
        for pair in self.all_pairs:
            pair.decide(max(self.comparisons, 1))

    def count(self, outcome):
        return sum(pair.outcome == outcome for pair in self.pairs)
