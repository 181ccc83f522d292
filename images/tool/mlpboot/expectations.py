"""expectations: what somebody expects of a run, a line each, and whether it holds; no input, no output."""
import math
import operator
import re
from collections import namedtuple

from .files import Trouble, shown
from .runs import NUMBER, as_number, as_text, member

PASS, FAIL, SKIP = "pass", "fail", "skip"
EMULATED = "emulated"  # the reason of a verdict that an emulator cannot answer

# A line: what is expected of which subject. `number` is None where a text is expected; `may_doubt`: a verdict in doubt
# may hold, too.
Expectation = namedtuple("Expectation", "line subject sign text number unit may_doubt")

LINE = re.compile(r"(\S+)\s*(<=|>=|!=|=|<|>)\s*(.+?)(\s+or\s+doubt)?")
AMOUNT = re.compile(rf"({NUMBER.pattern})\s*([a-zA-Z/%]*)", re.ASCII)
SIGNS = {"=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
ACCEPTED = 'expected a name, a sign (= != < <= > >=) and a value, as "array.memory_latency < 110 ns"'

# Names that stand for members of run.json.
SHORT = {"interrupts": "certificate.interrupts", "prefetch": "certificate.prefetch", "turbo": "certificate.turbo",
         "siblings": "certificate.siblings"}
IN_NS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
IN_BYTES = {"k": 2 ** 10, "m": 2 ** 20, "g": 2 ** 30}


def parse(where, text):
    """Returns the expectations of a file's text; `#` begins a comment. Raises Trouble that names the line."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        match = LINE.fullmatch(line)
        if line and match is None:
            raise Trouble(f'{where}: line {number}: "{shown(line)}": {ACCEPTED}')
        if line:
            found.append(_expectation(line, *match.groups()))
    if not found:
        raise Trouble(f"{where}: holds no expectation; {ACCEPTED}")
    return found


def _expectation(line, subject, sign, text, doubt):
    amount = AMOUNT.fullmatch(text)
    return Expectation(line, subject, sign, text, float(amount[1]) if amount else None, amount[4] if amount else "",
                       doubt is not None)


def holds(expectation, said, verdicts):
    """Returns an outcome, and its reason in words. `said`: run.json; a verdict is experiment.name or experiment.case.name."""
    path = SHORT.get(expectation.subject, expectation.subject)
    value = member(said, path)
    if value is not None and not isinstance(value, (dict, list)):
        return _holds_of_member(expectation, value)
    named = [one for one in verdicts if expectation.subject in (f"{one.experiment}.{one.name}",
                                                                f"{one.experiment}.{one.case}.{one.name}")]
    if not named:
        return FAIL, f"this run has no verdict and run.json no member {expectation.subject}"
    if any(one.reason == EMULATED for one in named):
        return SKIP, "an emulator has no answer to it"
    results = [_holds_of_verdict(expectation, one, said) for one in named if one.status != "skip" or len(named) == 1]
    if not results:
        return FAIL, f"skip ({named[0].reason}) in all cases: {named[0].method}"
    failed = [words for outcome, words in results if outcome == FAIL]
    return (FAIL, "; ".join(failed)) if failed else (PASS, "; ".join(words for _, words in results))


def _holds_of_member(expectation, value):
    text, number = as_text(value), as_number(value)
    if not math.isnan(number) and expectation.number is not None:
        held = SIGNS[expectation.sign](number, expectation.number)
    elif expectation.sign in ("=", "!="):
        held = SIGNS[expectation.sign](text, expectation.text)
    else:
        return FAIL, f"it is {text}, which is no number"
    return PASS if held else FAIL, f"it is {text}"


def _holds_of_verdict(expectation, verdict, said):
    where = f"{verdict.case}: " if verdict.case else ""
    if verdict.status != "ok" and not (verdict.status == "doubt" and expectation.may_doubt):
        return FAIL, f"{where}{verdict.status} ({verdict.reason}): {verdict.method}"
    if expectation.number is None:
        return FAIL, f"{where}{expectation.text} is no number"
    factor = _factor(expectation.unit, verdict.unit, said)
    if factor is None:
        return FAIL, f"{where}in {verdict.unit or 'no unit'}, not in {expectation.unit}"
    if math.isnan(verdict.value):
        return FAIL, f"{where}it has no value"
    wanted = factor * expectation.number
    low, high = (verdict.low, verdict.high) if verdict.low <= verdict.value <= verdict.high else (verdict.value,) * 2
    told = f"{where}{verdict.value:.15g} {verdict.unit}" + f" [{low:.15g} .. {high:.15g}]" * (low < high)
    if expectation.sign in ("=", "!="):
        return PASS if (low <= wanted <= high) == (expectation.sign == "=") else FAIL, told
    sign = SIGNS[expectation.sign]
    if sign(low, wanted) != sign(high, wanted):
        return FAIL, f"{told}: the interval reaches beyond, so it may be so and may not"
    return PASS if sign(verdict.value, wanted) else FAIL, told


def _factor(unit, verdicts_unit, said):
    """Returns by what a number is multiplied to be in a verdict's unit; None: it cannot be."""
    if unit in ("", verdicts_unit):
        return 1
    if verdicts_unit == "bytes":
        return IN_BYTES.get(unit.lower().removesuffix("b"))
    if unit in IN_NS and verdicts_unit in IN_NS:
        return IN_NS[unit] / IN_NS[verdicts_unit]
    rate = as_number(member(said, "tsc_hz"))
    if unit in IN_NS and verdicts_unit == "ticks" and rate > 0:
        return IN_NS[unit] * rate / 1e9
    return None
