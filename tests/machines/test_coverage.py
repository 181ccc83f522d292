"""tests/coverage.py: cores without vices, of which no verdict may be ok and wrong; and its arithmetic."""

import importlib.util
import math
import re
import subprocess
import sys

import pytest

from machine import ROOT

PROGRAM = ROOT / "tests" / "coverage.py"
SPEC = importlib.util.spec_from_file_location("coverage_of_the_model", PROGRAM)
coverage = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(coverage)

EVERY_VICE = {row.key for row in coverage.VICES}
EVERY_KEY = EVERY_VICE | coverage.L4.keys()
SEED = "27"


def core_of(seed):
    return coverage.draw(int(seed), 1, coverage.known_keys(), "none")


def run(*words):
    done = subprocess.run([sys.executable, "-B", PROGRAM, *words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=600)
    return done.returncode, done.stdout


# --- cores ---


def test_no_core_without_vices_is_wrong():
    code, said = run("--cores", "1", "--seed", SEED, "--vices", "none", "--most-wrong", "0",
                     "--least-held", "50", "--set", "tlb.pages=2-2048*2 3-1536*2", "--set", "tlb.loads=1-8",
                     "--set", "mlp.fillers=0-96/8", "--set", "structures.fillers=0-96/8")
    assert code == 0, said
    assert "ok, and wrong:" not in said
    # Every rule whose verdict there is has found it, and most were ok: there was something to be wrong.
    named = (ROOT / "images/manual/reference.md").read_text()
    rules = [rule for rule in coverage.RULES if f"`{rule.name}`" in named and rule.shows(core_of(SEED))]
    assert len(rules) > 30
    for rule in rules:
        line = re.escape(f"{rule.experiment} {rule.case} {rule.name}")
        assert re.search(rf"^{line} +[1-9]", said, re.MULTILINE), f"{rule}: {said}"
    cores, ok = map(int, re.search(r"^total +(\d+) +\d+ +(\d+)", said, re.MULTILINE).groups())
    assert cores >= len(rules) and ok > cores / 2, said


def test_what_cannot_run_is_said_with_its_command():
    code, said = run("--cores", "1", "--vices", "none", "--set", "pages=3m")
    assert code == 1
    assert "could not run: build/mlpboot-hosted run --platform model:counters=0,rob=" in said
    assert "pages = 3m" in said


def test_a_run_that_does_not_end_is_given_up(monkeypatch):
    monkeypatch.setattr(coverage, "LONGEST", 1)
    with pytest.raises(coverage.CannotRun, match="while.*\n.*has not ended after 1 s of a processor"):
        coverage.said_by(["sh", "-c", "while :; do :; done"])


def test_a_truth_that_is_another_is_found_wrong():
    """The same run against the core it was made on, and against one with a larger reorder buffer."""
    core = {**USUAL, "rob": 128, "fill_buffers": 8, "noise": 0.02, "walkers": 1}
    command = coverage.command_of(core, ["experiments=mlp", "pages=2m", "mlp.loads=1-10",
                                         "mlp.fillers=0-256/32"])
    runs = [(command, coverage.verdicts_of(command))]

    def wrong(truth):
        return [finding.rule.name for finding in coverage.compare({**core, **truth}, runs)
                if coverage.is_wrong(finding)]

    assert wrong({}) == []
    assert wrong({"rob": 140}) == ["rob_entries"]
    assert wrong({"memory": 230}) == ["one_load", "sequential_slope"]


# --- arithmetic ---

USUAL = {"rob": 200, "width": 4, "fill_buffers": 12, "memory": 200, "noise": 0, "l1_latency": 4,
         "l2_bytes": 1 << 20, "l2_latency": 14, "l3_bytes": 8 << 20, "l3_latency": 50, "stlb_cost": 7, "walk": 60}
RULE = coverage.Rule("mlp", "2m", "rob_entries", lambda core: core["rob"], coverage.share(0.01))


def finding(status, value, low="", high="", truth=200, tolerance=2):
    verdict = {"status": status, "value": value, "low": low, "high": high, "case": "2m"}
    return coverage.Finding(RULE, {**USUAL, "rob": truth}, verdict, truth, tolerance, ["run"])


@pytest.mark.parametrize("status, value, wanted", [
    ("ok", "200", False), ("ok", "202", False), ("ok", "198", False), ("ok", "202.1", True),
    ("ok", "197.9", True), ("ok", "", True), ("ok", "10000", True),
    ("doubt", "10000", False), ("skip", "", False), ("error", "0", False)])
def test_wrong_is_what_is_ok_and_not_the_truth(status, value, wanted):
    assert coverage.is_wrong(finding(status, value)) is wanted


@pytest.mark.parametrize("low, high, wanted", [
    ("199", "201", True), ("200", "200", True), ("190", "200", True), ("200", "210", True),
    ("200.0004", "201", True), ("200.001", "201", False), ("190", "199.999", False),
    ("", "201", None), ("199", "", None), ("", "", None)])
def test_an_interval_holds_what_is_within_its_ends(low, high, wanted):
    seen = finding("ok", "200", low, high)
    assert (coverage.interval(seen) is None) is (wanted is None)
    assert coverage.holds(seen) is bool(wanted)
    for status in ("doubt", "skip", "error"):
        assert not coverage.holds(finding(status, "200", low, high))


def test_counts_and_shares():
    seen = [finding("ok", "200", "199", "201"), finding("ok", "203", "202", "204"),
            finding("ok", "201", "200.5", "201"), finding("ok", "200"), finding("doubt", "300", "1", "999"),
            finding("skip", ""), finding("skip", ""), finding("error", "1")]
    counts = coverage.count(seen)
    assert counts == {"cores": 8, "hidden": 0, "ok": 4, "doubt": 1, "skip": 2, "error": 1, "wrong": 1,
                      "intervals": 3, "held": 1}
    assert coverage.held_share(counts) == pytest.approx(100 / 3)
    assert coverage.held_share(coverage.count([])) is None
    assert coverage.table_line("rob", counts).split() == \
        ["rob", "8", "0", "4", "1", "2", "1", "1", "1", "of", "3", "(33", "%)"]
    said = "\n".join(coverage.wrong_ones(seen))
    assert said.count("and it is 200") == 1 and "203 [202 .. 204]" in said


@pytest.mark.parametrize("most_wrong, least_held, missed", [
    (None, None, 0), (1, None, 0), (0, None, 1), (None, 50, 0), (None, 50.1, 1), (0, 51, 2)])
def test_bars(most_wrong, least_held, missed):
    counts = {"wrong": 1, "intervals": 4, "held": 2}
    assert len(coverage.missed_bars(counts, most_wrong, least_held)) == missed
    assert coverage.missed_bars({"wrong": 0, "intervals": 0, "held": 0}, None, 1) != []


@pytest.mark.parametrize("core, nops, mlp", [
    ({}, 198, 10), ({"fuse": 2}, 396, 10), ({"fuse": 15}, 792, 10), ({"fuse": 3}, 576, 10),
    ({"bandwidth": 64}, 198, 10), ({"load_queue": 7, "early_release": 1}, 198, 7),
    # 32 cycles for each load: the seventh is back after 392, and two in turn take 400, less 3 %.
    ({"bandwidth": 2}, 198, 6)])
def test_truths_of_vices(core, nops, mlp):
    core = {"rob": 200, "fill_buffers": 10, "memory": 200, "noise": 0, **core}
    assert (coverage.nops_in_flight(core), coverage.mlp(core)) == (nops, mlp)


def rule_of(name, case=None):
    rule, = (rule for rule in coverage.RULES if rule.name == name and case in (None, rule.case))
    return rule


@pytest.mark.parametrize("name, case, core, truth, tolerance, is_hidden", [
    ("scheduler_entries", None, {"scheduler": 24}, 24, 1, False),
    ("scheduler_entries", None, {"scheduler": 24, "schedulers": 4}, 96, 1, True),
    ("port_scheduler", None, {"scheduler": 24, "schedulers": 4}, 24, 1, False),
    ("vector_registers", None, {"vec_regs": 150, "vec_state": 32}, 150, 1.5, False),
    ("integer_registers", None, {"int_regs": 150, "int_state": 6}, 150, 1.5, False),
    ("integer_registers", None, {"int_regs": 150, "int_state": 9}, 147, 1.47, False),
    ("integer_registers", None, {"int_regs": 150, "int_state": 16}, 144, 1.44, False),
    ("fill_buffers", "2m", {"load_queue": 8}, 12, 0, True),
    ("fill_buffers", "2m", {"load_queue": 20}, 12, 0, False),
    ("l2_latency_cycles", None, {"l2_bytes": 1 << 20, "l2_latency": 14}, 14, 0.7, False),
    ("l3_latency", None, {"l3_bytes": 1 << 20, "l3_latency": 50, "small_pages": 1, "walk": 30}, 50, 5, False),
    ("memory_latency", None, {"small_pages": 1, "walk": 30}, 200, 20, False),
    ("memory_latency_random", None, {"small_pages": 1, "walk": 30, "walk_level": 5}, 200, 20, False),
    ("one_load", "2m", {"tsc_step": 26, "slow_share": 0.1, "slow_factor": 3}, 230, 6.9, False),
    ("l3_bytes", None, {}, 8 << 20, 2 << 20, False),
    ("l3_bytes", None, {"l3_victim": 1}, 9 << 20, 9 << 18, False),
    ("dtlb_entries", "chain-2m", {"dtlb": 64, "small_pages": 1}, 64, math.inf, True),
    ("dtlb_entries", "chain-4k", {"dtlb": 64, "small_pages": 1}, 64, 0, False),
    ("dtlb_entries", "chain-4k", {"dtlb": 64, "stlb": 1024, "stlb_cost": 2}, 64, 0, True),
    ("dtlb_entries", "chain-4k", {"dtlb": 64, "stlb": 1024, "stlb_cost": 3}, 64, 0, False),
    ("stlb_entries", "chain-4k", {"dtlb": 64, "stlb": 1024, "stlb_hash": 2}, 1024, 512, False),
    ("walk_cost_1g_stride", "chain-4k", {"dtlb": 64, "walk": 200}, 200, 2, False),
    # means of 400 samples are off by 384 / sqrt(6 * 400) ticks, of 1280: twice the error of two is 1.7 %
    ("walk_cost_1g_stride", "chain-4k", {"dtlb": 64, "walk": 200, "tsc_step": 384}, 200, 2 + 2 * math.sqrt(3), False),
    ("walk_cost_1g_stride", "chain-4k", {"dtlb": 64, "walk": 20, "tsc_step": 384}, 20, 1, False),
])
def test_truths_of_structures(name, case, core, truth, tolerance, is_hidden):
    core = {**USUAL, **core}
    rule = rule_of(name, case)
    assert rule.truth(core) == truth and rule.tolerance(core, truth) == pytest.approx(tolerance)
    assert rule.shows(core) is not is_hidden


def test_the_probe_keeps_what_it_does_not_clear():
    names = "RAX RCX RDX RBX RSP RBP RSI RDI R8 R9 R10 R11 R12 R13 R14 R15".split()
    code = (coverage.ROOT / "kernel/probe/register_state.c").read_text()
    cleared = re.search(r"registers\[\] = \{(.*?)\};", code)[1].split(", ")
    assert coverage.KEPT == [i for i, name in enumerate(names) if name not in cleared]


@pytest.mark.parametrize("core", [{}, {"l4_bytes": 0}])
def test_any_answer_of_a_level_that_is_absent_is_wrong(core):
    rule = rule_of("l4_bytes")
    verdict = {"status": "ok", "value": "1000", "low": "0", "high": "1e9"}
    truth = rule.truth(core)
    seen = coverage.Finding(rule, core, verdict, truth, rule.tolerance(core, truth), ["run"])
    assert coverage.is_wrong(seen) and not coverage.holds(seen) and not rule.shows(core)
    assert not coverage.is_wrong(seen._replace(verdict={**verdict, "status": "skip", "value": ""}))


@pytest.mark.parametrize("core, l2, l3, memory", [
    ({}, 12, 12, 12),
    ({"fill_buffers": 100, "width": 8, "rob": 400}, 14 * 4, 100, 100),  # two instructions of each access are dispatched
    ({"fill_buffers": 100, "width": 8, "rob": 120}, 60 * 14 / 18, 60 * 50 / 54, 60 * 200 / 204),
    ({"fill_buffers": 100, "width": 8, "load_queue": 120}, 60 * 14 / 18, 60 * 50 / 54, 60 * 200 / 204),
    ({"fill_buffers": 100, "width": 8, "int_regs": 130, "int_state": 10}, 60 * 14 / 18, 60 * 50 / 54, 60 * 200 / 204),
    ({"load_queue": 10, "early_release": 1}, 10 * 14 / 20, 10 * 50 / 54, 10 * 200 / 204),
    ({"bandwidth": 3.2}, 12, 12, 10),  # a line in 20 cycles
    ({"refresh": 900, "refresh_us": 3.9}, 12, 12, 12),  # which stops a chain as often
    ({"slow_share": 0.2, "slow_factor": 3}, 12, 12, 12),
])
def test_overlaps(core, l2, l3, memory):
    core = {**USUAL, **core}
    truths = [rule_of(f"{name}_overlap").truth(core) for name in ("l2", "l3", "memory")]
    assert truths == pytest.approx([l2, l3, memory], rel=0.03)
    assert rule_of("l3_overlap").shows(core) and not rule_of("l3_overlap").shows({**core, "small_pages": 1})
    assert math.isnan(rule_of("l4_overlap").truth(core)) and not rule_of("l4_overlap").shows(core)


# Ticks of a clock that steps, or rises all through an experiment, are those of any of its paces, and so is what
# they may be off.
@pytest.mark.parametrize("core, unit, value, pace", [
    ({"clock_steps": 30}, "ticks", "150", 1.5), ({"clock_steps": 30}, "ticks", "90", 1),
    ({"clock_steps": 30}, "ticks", "220", 2), ({"clock_steps": 30}, "cycles", "150", 1),
    ({"clock_steps": 9000}, "ticks", "150", 1), ({"clock_ramp": 30}, "ticks", "150", 1),
    ({"clock_steps": 9000, "clock_ramp": 100}, "ticks", "150", 1.5), ({"clock_ramp": 1000}, "ticks", "220", 2),
    ({"clock_ramp": 1000}, "cycles", "150", 1),
    ({"clock_steps": 30}, "ticks", "", 1), ({}, "ticks", "150", 1)])
def test_ticks_of_a_clock_that_moves_are_those_of_any_pace(core, unit, value, pace):
    core, row = {**USUAL, "clock_low": 0.5, **core}, {"experiment": "tlb", "unit": unit, "value": value}
    assert coverage.pace_of(core, row, 100) == pace
    rule = rule_of("memory_latency")._replace(truth=lambda core: 100, tolerance=lambda core, truth: 10)
    found = coverage.finding_of(rule, core, row, ["run"])
    assert (found.truth, found.tolerance) == (100 * pace, 10 * pace)


@pytest.mark.parametrize("experiment, ramp, unit, pace", [
    ("array", 4, "ticks", 1), ("array", 5, "ticks", 1.5), ("array", 5, "cycles", 1),
    ("mlp", 29, "ticks", 1), ("mlp", 30, "ticks", 1.5), ("mlp", 30, "cycles", 1),
    ("structures", 99, "ticks", 1), ("structures", 100, "ticks", 1.5)])
def test_what_is_measured_first_meets_a_short_rise(experiment, ramp, unit, pace):
    core = {**USUAL, "clock_low": 0.5, "clock_ramp": ramp}
    assert coverage.pace_of(core, {"experiment": experiment, "unit": unit, "value": "150"}, 100) == pace


def test_no_pace_makes_a_level():
    rule, row = rule_of("l4_latency"), {"experiment": "array", "unit": "ticks", "value": "80", "status": "ok"}
    core = {**USUAL, "clock_low": 0.5, "clock_steps": 30}
    assert coverage.is_wrong(coverage.finding_of(rule, core, row, ["run"]))


# A clock between whose paces no answer has to be in doubt moves cycles, too.
@pytest.mark.parametrize("core, tolerance", [
    ({}, 1), ({"clock_low": 0.96, "clock_steps": 150}, 1 + 50 * (1 / 0.96 - 1)),
    ({"clock_low": 0.96, "clock_steps": 9000}, 1), ({"clock_low": 0.96, "clock_ramp": 30}, 1),
    ({"clock_low": 0.75, "clock_steps": 150}, 1)])
def test_cycles_of_a_clock_that_moves(core, tolerance):
    assert coverage.in_cycles(0.01)(core, 100) == pytest.approx(tolerance)


@pytest.mark.parametrize("name, core, value, truth", [
    ("memory_latency_random", {"small_pages": 1}, "230", 230), ("memory_latency_random", {}, "230", 200),
    ("memory_latency_random", {"small_pages": 1}, "260", 245), ("memory_latency_random", {"small_pages": 1}, "9", 200),
    ("l3_latency_cycles", {"small_pages": 1}, "60", 60), ("memory_latency", {"small_pages": 1}, "230", 200),
    ("l4_latency_cycles", {"small_pages": 1}, "60", math.nan), ("l4_latency", {}, "60", math.nan),
    ("one_load", {"slow_share": 0.1, "slow_factor": 3, "tsc_step": 26}, "250", 250),
    ("one_load", {"slow_share": 0.1, "slow_factor": 3}, "250", 230)])
def test_a_time_with_a_part_of_what_may_be_in_it_is_as_true(name, core, value, truth):
    rule, core = rule_of(name), {**USUAL, "walk": 30, "walk_level": 5, **core}
    verdict = {"experiment": rule.experiment, "case": "2m", "name": name, "status": "ok", "value": value,
               "unit": "cycles" if "cycles" in name else "ticks"}
    seen = [found.truth for found in coverage.compare(core, [("run", [verdict])])]
    assert seen == pytest.approx([truth], nan_ok=True)


def test_a_refresh_stops_one_load_of_a_chain():
    core = {**USUAL, "memory": 200, "refresh_us": 4}  # 10,400 cycles from refresh to refresh
    rng = coverage.random.Random(1)
    for refresh in (150, 800):
        end, taken = 0, coverage.refreshes({**core, "refresh": refresh}, rng)
        for _ in range(100000):
            end = taken(end) + rng.uniform(100, 300)
        assert end / 100000 == pytest.approx(coverage.mean_latency({**core, "refresh": refresh}), rel=0.002)
    assert coverage.mean_latency(core) == 200


def test_the_last_lines_are_shares_by_verdict():
    mild = [finding("ok", "200", "199", "201"), finding("doubt", "300"), finding("ok", "250", "240", "260")]
    wild = [found._replace(core={**found.core, "known": 0}) for found in [*mild, finding("doubt", "1")]]
    lines = [line.split() for line in coverage.shares([*mild, *wild]).splitlines()]
    assert lines[0][:2] == ["by", "verdict"]
    assert lines[1:] == [[name, "7", f"{2000 / 7:.1f}", "50.0", f"{100 / 3:.1f}"] for name in ("rob_entries", "all")]


def test_latencies_of_vices():
    core = {"memory": 200, "noise": 0, "banks": 0.2, "slow_share": 0.1, "slow_factor": 3}
    # The middle of all is beyond that of those which are not slow.
    assert coverage.median_latency(core) == pytest.approx(200 * (1 + 0.2 * 0.5 / 0.9), rel=0.002)
    assert coverage.mean_latency(core) == pytest.approx(264)


# --- the draw ---


def test_levels_and_queues_are_drawn_of_every_kind():
    cores = draws(EVERY_KEY, "all")
    for kind in coverage.KINDS:
        found = [core for core in cores if kind.has(core)]
        assert 5 < len(found) < 150 and any(map(coverage.is_mild, found)) is kind.is_mild, kind
        assert all(kind.name in coverage.kinds_of(core) for core in found)
        assert not any(map(kind.has, draws(EVERY_KEY, "none"))) or kind.name == "an L2 of odd sets", kind
    for core in cores:
        assert core.get("load_queue", math.inf) >= core["fill_buffers"] or core["early_release"] == 1
        if "l4_bytes" in core:
            assert core["l4_latency"] > core["l3_latency"] and core["memory"] >= coverage.BEHIND_L4
        assert core["l3_bytes"] == 0 or core["l3_bytes"] >= 1.9 * core["l2_bytes"]
        for key, state in (("int_regs", "int_state"), ("vec_regs", "vec_state")):
            assert core.get(key, math.inf) >= core["fill_buffers"] + coverage.SPARE + core.get(state, 0)
    for core in draws(EVERY_VICE, "all"):
        assert "l4_bytes" not in core and core["l3_bytes"] > 0


def test_the_log_says_what_a_core_has():
    assert coverage.kinds_of(USUAL) == "mild"
    assert coverage.kinds_of({**USUAL, "refresh": 900, "refresh_us": 7.8}) == "mild, refresh=900, refresh_us=7.8"
    assert coverage.kinds_of({**USUAL, "known": 0, "memory": 900}) == "not mild, known=0, slow memory"


def draws(known, which, count=300):
    return [coverage.draw(7, number, known, which) for number in range(count)]


def test_the_same_seed_draws_the_same_cores():
    assert draws(EVERY_KEY, "all") == draws(EVERY_KEY, "all")
    assert coverage.draw(7, 1, EVERY_KEY, "all") != coverage.draw(8, 1, EVERY_KEY, "all")


def test_cores_are_within_the_ranges():
    for core in draws(EVERY_KEY, "all"):
        for row in [*coverage.SIZES, *coverage.VICES]:
            least = 0 if row.key == "noise" else row.least
            most = coverage.SLOWEST_MEMORY if row.key == "memory" else row.most
            assert row.key not in core or least <= core[row.key] <= most, core
        assert core["rob"] >= core["fill_buffers"] + coverage.SPARE
        held = max(core.get("int_state", 0), core.get("vec_state", 0))
        assert all(core[key] < core["rob"] + held for key in coverage.SHARES if key in core)


def test_tlbs_are_within_their_ranges():
    cores = draws(EVERY_KEY, "all")
    for core in cores:
        for row in coverage.TLBS:
            entries, ways = core.get(row.key), core.get(f"{row.key}_ways")
            assert entries is None or row.least <= entries <= row.most, core
            assert ways is None or entries % ways == 0 and coverage.WAYS[0] <= ways <= coverage.WAYS[1], core
        assert "dtlb" in core and ("stlb" in core or "stlb_2m" not in core and "stlb_1g" not in core)
        assert core["l1_ways"] * coverage.L1_SETS * 64 == core["l1_bytes"]
    for row in coverage.TLBS:
        shapes = [(row.key in core, f"{row.key}_ways" in core) for core in cores]
        wanted = {(True, False), (True, True), (False, False)} - ({(False, False)} if row.chance == 1 else set())
        assert wanted <= set(shapes), row
    words = coverage.command_of(cores[0], [], has_tlbs=False)
    assert not any(key in ",".join(words) for key in ("tlb", "walk_level", "pde_cache", "l1_ways"))


def test_every_vice_is_drawn_mild_and_not():
    drawn = draws(EVERY_KEY, "all")
    for row in coverage.VICES:
        values = [core[row.key] for core in drawn if row.key in core]
        assert values and any(row.mild[0] <= value <= row.mild[1] for value in values), row
    assert len(drawn) / 5 < sum(map(coverage.is_mild, drawn)) < len(drawn) / 2
    assert {"sibling" in core for core in drawn if "sibling_ms" in core} == {True}


def test_mild_and_none_and_keys_that_the_model_lacks():
    mild = draws(EVERY_KEY, "mild")
    assert all(map(coverage.is_mild, mild)) and any("banks" in core for core in mild)
    assert not any(EVERY_VICE & core.keys() for core in draws(EVERY_KEY, "none"))
    assert {key for core in draws({"banks"}, "all") for key in core if key in EVERY_VICE} == {"banks"}


def test_the_model_knows_what_is_drawn_of_every_core():
    known = coverage.known_keys()
    drawn = {row.key for row in [*coverage.SIZES, *coverage.TLBS, *coverage.WALKS]} | \
        coverage.CHOICES.keys() | coverage.SHARES.keys() | {"l1_ways"}
    assert drawn <= known
    assert "experiments" not in known


@pytest.mark.parametrize("core, hidden", [
    ({}, {"nops_in_flight": False, "loads_in_flight": True, "store_queue": True}),
    ({"load_queue": 60}, {"loads_in_flight": False, "load_queue": False}),
    ({"load_queue": 60, "early_release": 1},
     {"loads_in_flight": True, "load_queue": True, "loads_waiting": False}),
    ({"load_queue": 60, "scheduler": 50},
     {"loads_in_flight": False, "load_queue": False, "loads_waiting": True}),
    ({"load_queue": 60, "int_regs": 61}, {"loads_in_flight": True, "integer_registers": False}),
    ({"scheduler": 60, "int_regs": 59}, {"scheduler_entries": True}),
    ({"scheduler": 24, "schedulers": 4}, {"scheduler_entries": True, "port_scheduler": False}),
    # The first load is back before so many are dispatched: of 1-byte NOPs, four fuse.
    ({"fuse": 15}, {"rob_entries": False, "mlp": False, "nops_in_flight": True}),
    ({"memory": 55}, {"rob_entries": True, "mlp": True, "nops_in_flight": True}),
    ({"memory": 57}, {"rob_entries": False, "mlp": False, "nops_in_flight": False}),
])
def test_what_another_structure_hides(core, hidden):
    """An answer that nobody can have is none of those that are missing, but wrong all the same."""
    core = {"rob": 200, "memory": 200, "width": 4, **core}
    for name, is_hidden in hidden.items():
        rules = [rule for rule in coverage.RULES if rule.name == name]
        assert rules and all(rule.shows(core) is not is_hidden for rule in rules), name
        verdict = {"status": "ok", "value": "7", "low": "7", "high": "7"}
        seen = [coverage.Finding(rules[0], core, verdict, 200, 2, ["run"])]
        counts = coverage.count(seen)
        assert (counts["hidden"], counts["ok"], counts["wrong"]) == (is_hidden, not is_hidden, 1)


TLB = {"walk": 60, "walk_level": 10, "stlb_cost": 7, "dtlb": 64, "dtlb_ways": 4, "stlb": 1024, "stlb_ways": 8}


@pytest.mark.parametrize("core, truths, hidden", [
    ({}, {"dtlb_entries": 64, "dtlb_miss_cost": 7, "stlb_entries": 1024, "dtlb_ways": 4, "stlb_ways": 8,
          "walk_cost_2m_stride": 70, "walk_cost_1g_stride": 80, "walk_cost_512g_stride": 90}, set()),
    # One set; and as many pages in it as hide the second level's ways.
    ({"dtlb_ways": 64}, {"dtlb_ways": 64}, {"dtlb_ways", "stlb_ways"}),
    ({"dtlb": 96, "dtlb_ways": 16, "stlb_ways": 64}, {"dtlb_ways": 16, "stlb_ways": 64}, set()),
    ({"dtlb_hash": 1}, {"dtlb_ways": 4}, {"dtlb_ways", "stlb_ways"}),
    ({"stlb_hash": 1}, {"stlb_ways": 8}, {"stlb_ways", "walk_cost_2m_stride", "walk_cost_1g_stride",
                                          "walk_cost_512g_stride"}),
    ({"stlb": 200, "stlb_ways": 10}, {"stlb_entries": 200, "dtlb_miss_cost": 7},
     {"dtlb_miss_cost", "stlb_entries", "stlb_ways"}),
    ({"stlb": 0}, {"dtlb_miss_cost": 60}, {"dtlb_miss_cost", "stlb_entries", "stlb_ways"}),
    ({"stlb_random": 1}, {}, {"stlb_entries", "stlb_ways", "walk_cost_2m_stride", "walk_cost_1g_stride",
                              "walk_cost_512g_stride"}),
    ({"dtlb_random": 1}, {}, {"dtlb_entries", "dtlb_miss_cost", "stlb_entries", "dtlb_ways", "stlb_ways"}),
])
def test_what_chains_show_of_tlbs(core, truths, hidden):
    core = {**TLB, **core}
    rules = coverage.tlb_rules("4k")
    assert {rule.name for rule in rules if not rule.shows(core)} == hidden
    assert {rule.name: rule.truth(core) for rule in rules if rule.name in truths} == truths


def test_large_pages_have_tlbs_of_their_own():
    core = {**TLB, "dtlb_2m": 32, "stlb_2m": 512, "stlb_2m_ways": 16}
    truths = {rule.name: rule.truth(core) for rule in coverage.tlb_rules("2m")}
    assert truths == {"dtlb_entries": 32, "dtlb_miss_cost": 7, "stlb_entries": 512, "dtlb_ways": 32,
                      "stlb_ways": 16, "walk_cost_1g_stride": 70, "walk_cost_512g_stride": 80}
    assert {rule.name: rule.truth(TLB) for rule in coverage.tlb_rules("2m")}["stlb_entries"] == 1024
