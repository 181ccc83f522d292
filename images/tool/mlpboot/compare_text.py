"""compare_text: two compared sides for people, and as JSON."""
import math
from itertools import groupby

from .columns import lay_out
from .comparison import DIFFERENT, ONLY_A, ONLY_B, OPEN, OUTCOMES, SAME
from .csv_text import number_text
from .files import shown

JSON_LARGEST = 9.2e18  # larger numbers are written as null

# --- for people --------------------------------------------------------------------------------


def text_lines(comparison):
    """Yields the lines that people read."""
    yield side_line("A", comparison.a)
    yield side_line("B", comparison.b)
    yield machines_line(comparison)
    if comparison.in_nanoseconds:
        yield "Their ticks are not as long: times in ticks are compared as ns."
    if comparison.conditions:
        yield "\nConditions that differ, by run.json:"
        yield from lay_out(["", "A", "B"], comparison.conditions, {0, 1, 2}, before="  ")
    shown_pairs = 0
    for title, is_in, lines_of in PARTS:
        pairs = [pair for pair in comparison.pairs if is_in(pair)]
        yield ""
        if is_in is is_open_though_ok and pairs and has_no_difference(comparison):
            yield "Good news: no value that could be compared differs. Only intervals are wider than 5 %:"
        yield f"{title}: {len(pairs)}"
        yield from lines_of(pairs) if pairs else []
        shown_pairs += len(pairs)
    same, different = comparison.count(SAME), comparison.count(DIFFERENT)
    yield f"\nSame, within 5 %: {same}\nOk in neither: {len(comparison.pairs) - shown_pairs - same}"
    are = "is" if different == 1 else "are"
    yield f"{different} of {comparison.comparisons} verdicts that could be compared {are} different."


def side_line(name, side):
    told = ["label", "machine.utc_start", "version", "processor.brand", "status"]
    several = [f"{side.runs} runs, their medians"] if side.runs > 1 else []
    return f"{name}  " + ", ".join([shown(side.path), *several, *filter(None, map(side.members.get, told))])


def machines_line(comparison):
    a, b = (side.members.get("machine.id") for side in (comparison.a, comparison.b))
    if a and b:
        return "It was one machine." if a == b else "These are two machines."
    who = "B does" if a else "A does" if b else "they do"
    return f"It is not known whether it was one machine: {who} not say which it was."


def has_no_difference(comparison):
    return all(pair.difference == 0 for pair in comparison.pairs if pair.is_compared)


def value_text(verdict):
    if verdict is None or math.isnan(verdict.value):
        return "-"
    return number_text(verdict.value, 3 if abs(verdict.value) < 100 else 1)


def signed(value, decimals):
    return ("+" if value >= 0 else "") + number_text(value, decimals)


def range_text(value, low, high, decimals):
    if math.isnan(value):
        return "-"
    return f"{signed(value, decimals)} ({signed(low, decimals)} to {signed(high, decimals)})"


def decimals_for(pair):
    """Returns the decimals for the largest of the difference and its ends."""
    widest = max(abs(pair.low), abs(pair.high))
    return 0 if widest >= 1000 else 1 if widest >= 10 else 3


def named_cells(pair):
    return [pair.verdict.experiment, pair.case(), pair.verdict.name]


def value_cells(pair):
    return [*named_cells(pair), value_text(pair.a), value_text(pair.b), pair.unit]


def range_cells(pair):
    numbers = pair.difference, pair.low, pair.high
    return [*value_cells(pair), range_text(*numbers, decimals_for(pair)), range_text(*map(pair.percent, numbers), 1)]


VALUE_TITLES = ["experiment", "case", "verdict", "A", "B", "unit"]
LEFT = {0, 1, 2, 5, 6, 7}


def range_lines(pairs):
    titles = [*VALUE_TITLES, "B less A", "in percent"]
    return lay_out(titles, map(range_cells, pairs), LEFT, before="  ")


def reason_lines(pairs):
    return lay_out([*VALUE_TITLES, "why"], [[*value_cells(pair), pair.reason] for pair in pairs], LEFT, before="  ")


def name_lines(pairs):
    """Yields only the names of the verdicts, a line for each case."""
    cells = [named_cells(pair) for pair in pairs]
    widths = [max(len(row[i]) for row in [VALUE_TITLES, *cells]) for i in (0, 1)]
    for (experiment, case), rows in groupby(cells, lambda row: row[:2]):
        yield f"  {experiment:<{widths[0]}}  {case:<{widths[1]}}  {' '.join(name for _, _, name in rows)}"


def is_open_though_ok(pair):
    return pair.outcome == OPEN and pair.is_compared


def is_open_since_one_is_not_ok(pair):
    return pair.outcome == OPEN and not pair.is_compared and "ok" in (pair.a.status, pair.b.status)


PARTS = [
    ("Different", lambda pair: pair.outcome == DIFFERENT, range_lines),
    ("Cannot be told apart, though both are ok", is_open_though_ok, range_lines),
    ("Cannot be told apart, since one is not ok or has no interval", is_open_since_one_is_not_ok, reason_lines),
    ("Only in A", lambda pair: pair.outcome == ONLY_A, name_lines),
    ("Only in B", lambda pair: pair.outcome == ONLY_B, name_lines),
]

# --- as JSON -----------------------------------------------------------------------------------


def json_text(comparison):
    """Returns a JSON object: members on the comparison as a whole, then two lists, conditions and verdicts."""
    head = object_text({
        "a": side_members(comparison.a), "b": side_members(comparison.b),
        "in_nanoseconds": comparison.in_nanoseconds, "compared": comparison.comparisons,
        **{outcome: comparison.count(outcome) for outcome in OUTCOMES}})
    conditions = [{"member": path, "a": a, "b": b} for path, a, b in comparison.conditions]
    return (head[:-2] + list_text("conditions", conditions)
            + list_text("verdicts", [verdict_members(pair) for pair in comparison.pairs]) + "\n}")


def list_text(name, elements):
    """Returns a further member, a list of objects."""
    return f',\n  "{name}": [\n' + ",\n".join(map(object_text, elements)) + ("\n" if elements else "") + "  ]"


def object_text(members, depth=1):
    """Returns a JSON object whose members are indented by so many steps."""
    step = "\n" + "  " * depth
    lines = [f"{step}{quoted(name)}: {json_value(value, depth)}" for name, value in members.items()]
    return "{" + ",".join(lines) + step[:-2] + "}"


def json_value(value, depth):
    if isinstance(value, dict):
        return object_text(value, depth + 1)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return str(value).lower()
    return number_text(value) if abs(value) < JSON_LARGEST else "null"


def quoted(text):
    """Returns a JSON text; a terminal that shows it obeys none of its characters."""
    characters = [f"\\{c}" if c in '"\\' else f"\\u{ord(c):04x}" if c < " " else shown(c) for c in text]
    return '"' + "".join(characters) + '"'


def side_members(side):
    told = {"label": "label", "utc_start": "machine.utc_start", "version": "version", "processor": "processor.brand",
            "machine": "machine.id", "status": "status"}
    return {"path": side.path, **({"runs": side.runs} if side.runs > 1 else {}),
            **{name: side.members.get(path, "") for name, path in told.items()}}


def verdict_members(pair):
    verdict = pair.verdict
    sides = {name: {"case": one.case, "value": one.value, "low": one.low, "high": one.high, "status": one.status}
             for name, one in (("a", pair.a), ("b", pair.b)) if one}
    return {"experiment": verdict.experiment, "case": verdict.case, "name": verdict.name, "unit": pair.unit,
            "outcome": pair.outcome, "reason": pair.reason, **sides,
            "difference": pair.difference, "low": pair.low, "high": pair.high,
            "percent": pair.percent(pair.difference), "percent_low": pair.percent(pair.low),
            "percent_high": pair.percent(pair.high)}
