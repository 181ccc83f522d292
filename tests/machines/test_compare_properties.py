"""What is true of any two runs compared, whatever is in their files."""

import contextlib
import io
import json
import math
import re
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import tool  # noqa: F401  where the modules are

from mlpboot import compare
from mlpboot.__main__ import run_command
from mlpboot.cases import plain_name
from mlpboot.comparison import DIFFERENT, ONLY_A, ONLY_B, Comparison, Side
from mlpboot.conditions import members_of
from mlpboot.runs import STATUSES, VERDICT_COLUMNS, Verdict

HEADER = ",".join(VERDICT_COLUMNS) + "\n"
RIGHT = HEADER + "mlp,2m,mlp,10,9,11,loads,ok,,m\narray,2m-nopf,l1_bytes,32768,,,bytes,doubt,sizes-start-large,\"why, so\"\n"

NUMBERS = st.one_of(st.just(math.nan), st.integers(-10**7, 10**7).map(lambda n: n / 1000),
                    st.integers(-3, 3).map(float))
WORDS = ["warm", "nopf", "node1", "store", "label", "a", "cpuid", "dependent", "busy", "cores2", "core1", "shared", "",
         "4k", "2m", "linear"]
CASES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map("-".join)


@st.composite
def verdicts(draw):
    value = draw(NUMBERS)
    below, above = (draw(st.integers(0, 2000)) / 1000 for _ in range(2))
    ends = (value - below, value + above) if draw(st.integers(0, 9)) else (draw(NUMBERS), draw(NUMBERS))
    case = draw(st.sampled_from(["2m", "2m-nopf", "2m-label", "2m-nopf-a", "4k-shared", "4k-nopf-label-shared"]))
    return Verdict(draw(st.sampled_from(["mlp", "array"])), case, draw(st.sampled_from(["mlp", "one_load"])),
                   value, *ends, draw(st.sampled_from(["ticks", "ticks", "loads"])),
                   draw(st.sampled_from(["ok", "ok", "ok", *STATUSES])), "", "m")


MEMBERS = st.fixed_dictionaries({}, optional={
    "tsc_hz": st.sampled_from(["2000000000", "2500000000", "2.0001e9", "", "0", "-1", "x", "1e999"]),
    "version": st.sampled_from(["1", "2", ""]), "configuration.prefetch": st.sampled_from(["on", "off"])})
SIDES = st.builds(Side, st.just("run"), st.just(1), MEMBERS, st.lists(verdicts(), max_size=12))


@given(SIDES)
def test_a_run_does_not_differ_from_itself(side):
    comparison = Comparison(side, side)
    assert comparison.count(DIFFERENT) == 0 and comparison.conditions == []
    assert all(pair.difference == 0 or math.isnan(pair.difference) for pair in comparison.pairs)
    assert comparison.count(ONLY_A) == comparison.count(ONLY_B) == 0


def mirrored(pair):
    other = {ONLY_A: ONLY_B, ONLY_B: ONLY_A}
    return (pair.verdict.experiment, pair.verdict.name, pair.b and pair.b[1:6], pair.a and pair.a[1:6],
            other.get(pair.outcome, pair.outcome))


def straight(pair):
    return (pair.verdict.experiment, pair.verdict.name, pair.a and pair.a[1:6], pair.b and pair.b[1:6], pair.outcome)


@given(SIDES, SIDES)
def test_the_other_way_round_is_the_mirror_image(a, b):
    there, back = Comparison(a, b), Comparison(b, a)
    assert there.comparisons == back.comparisons and there.in_nanoseconds == back.in_nanoseconds
    assert sorted(map(repr, map(mirrored, there.pairs))) == sorted(map(repr, map(straight, back.pairs)))
    ends = [sorted((pair.difference, pair.low, pair.high) for pair in one.pairs if pair.is_compared)
            for one in (there, back)]
    for (difference, low, high), other in zip(ends[0], sorted((-d, -h, -l) for d, l, h in ends[1])):
        assert all(math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-9) for x, y in zip((difference, low, high), other))
    assert {(path, b, a) for path, a, b in there.conditions} == set(back.conditions)


@given(SIDES, SIDES)
def test_each_verdict_is_in_one_pair(a, b):
    paired = [one for pair in Comparison(a, b).pairs for one in (pair.a, pair.b) if one]
    assert sorted((one.case, one.name, one.status) for one in paired) == \
        sorted((one.case, one.name, one.status) for one in a.verdicts + b.verdicts)


@given(st.lists(st.lists(verdicts(), max_size=6), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_medians(runs, random):
    """Of one run its own verdicts, of equal runs too; in any order the same numbers of what is ok."""
    assert repr(compare.median_verdicts(runs[:1])) == repr(runs[0])
    assert repr(compare.median_verdicts([runs[0]] * 3)) == repr(runs[0])

    def ok(some):
        return sorted(repr(v[:6]) for v in compare.median_verdicts(some) if v.status == "ok")

    shuffled = random.sample(runs, len(runs))
    assert ok(shuffled) == ok(runs)


@given(CASES)
def test_a_plain_name_is_plain(case):
    assert plain_name(plain_name(case)) == plain_name(case)


PARTS = [["", "linear-"], ["2m", "4k"], ["", "-warm"], ["-nopf"], ["", "-node1", "-remote"], ["", "-store"],
         ["-mine", "-my-lab"], ["", "-cpuid"], ["", "-dependent"], ["", "-busy"], ["", "-cores3"], ["", "-core12"],
         ["", "-shared"]]


@given(st.tuples(*map(st.sampled_from, PARTS)))
def test_what_the_configuration_adds_is_no_part_of_a_plain_name(parts):
    plain = "".join(part for i, part in enumerate(parts) if i not in (3, 6))
    assert {plain_name("".join(parts)), plain_name("".join(parts).replace("-nopf", "")), plain_name(plain)} == {plain}


def test_a_name_with_a_dash_too_many_stays_as_it_is():
    """No run gives such names: they are no cases without a label."""
    for case in ("2m-", "-2m-mine", "2m-warm-", "2m-nopf-", "2m--cpuid"):
        assert plain_name(case) == case


def test_members_of_long_paths_are_left_out():
    """Names in each other would make paths that together are far longer than the file."""
    said = {"configuration": {"a" * 241: "1", "b": "2", "c" * 242: "3", "d" * 300: {"e": "4"}}}
    assert dict(members_of(said)) == {"configuration." + "a" * 241: "1", "configuration.b": "2"}


# --- any bytes ---


def end_of(name, data):
    """How it ends where one file of a run has these bytes; its complaint."""
    with tempfile.TemporaryDirectory() as folder:
        a, b = Path(folder, "a"), Path(folder, "b")
        for path in (a, b):
            path.mkdir()
            (path / "verdicts.csv").write_text(RIGHT)
            (path / "run.json").write_text("{}")
        (a / name).write_bytes(data)
        said, complaint = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complaint):
            statuses = {run_command({"compare": compare}, ["compare", str(a), str(b)]),
                        run_command({"compare": compare}, ["compare", "--json", str(a), str(b)])}
        (status,) = statuses
        lines = complaint.getvalue().splitlines(keepends=True)
        assert all(c.isprintable() or c == "\n" for c in said.getvalue() + complaint.getvalue())
        assert len(lines) == (2 if status == compare.EXIT_TROUBLE else 0) and all(line.endswith("\n") for line in lines)
        if said.getvalue():
            json.loads(said.getvalue()[said.getvalue().index("\n{\n") + 1:])
        return status


def spoilt(right):
    """A right file of which a piece is something else, and any bytes."""
    at = st.integers(0, len(right))
    cut = st.builds(lambda i, j, data: right[:min(i, j)] + data + right[max(i, j):], at, at, st.binary(max_size=8))
    return st.one_of(st.binary(max_size=200), st.binary(max_size=200).map(lambda data: HEADER.encode() + data), cut)


@given(spoilt(RIGHT.encode()))
def test_any_bytes_as_verdicts(data):
    status = end_of("verdicts.csv", data)
    assert status == compare.EXIT_TROUBLE or data.startswith((HEADER.encode(), b"\xef\xbb\xbf"))


def is_json(data):
    try:
        return isinstance(json.loads(data.decode("utf-8-sig"), parse_int=str), dict) and not re.search(
            rb"NaN|Infinity", data)
    except ValueError:
        return False


SAID = b'{"version": "1\\u001b", "tsc_hz": 2e9, "machine": {"id": "", "cores": [1, {"a": null}], "on": true}}'


@given(st.one_of(spoilt(SAID), st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3))
    .map(lambda said: json.dumps({"version": said, "machine": said, "": said}).encode())))
def test_any_bytes_as_conditions(data):
    assert (end_of("run.json", data) == compare.EXIT_SAME if is_json(data)
            else end_of("run.json", data) == compare.EXIT_TROUBLE)


def test_too_deep_too_long_too_many():
    for data in (b'{"a":' * 100000, b"[" * 100000, b'{"":' * 900 + b"1" + b"}" * 900, b'{"a":' + b"9" * 100000 + b"}",
                 b'{"tsc_hz":' + b"9" * 100000 + b"}", b'{"' + b"a" * 300000 + b'":{"b":1}}', b'{"configuration":{' +
                 b",".join(b'"%d":%d' % (i, i) for i in range(20000)) + b"}}"):
        assert end_of("run.json", data) in (compare.EXIT_SAME, compare.EXIT_TROUBLE)
    many = HEADER + "".join(f"mlp,{i}-2m-x,mlp,1,1,1,loads,ok,,\n" for i in range(4000))
    assert end_of("verdicts.csv", many.encode()) == compare.EXIT_TROUBLE
    assert end_of("verdicts.csv", (HEADER + "mlp,2m,mlp,10,10,10,loads,ok,,\n" * 4000).encode()) == compare.EXIT_SAME
    assert end_of("verdicts.csv", (HEADER + f"mlp,2m,mlp,{'9' * 999},,,loads,ok,,\n").encode()) == compare.EXIT_TROUBLE
