"""
The whole path from plan to verdict on a modelled processor, against truths that are drawn: a few here,
as many as SETTINGS says in `make truths`.
"""

import csv
import importlib.util
import json
import os
import random

import pytest

from machine import ROOT
from made_runs import hosted, run

SPEC = importlib.util.spec_from_file_location("truths_of_the_model", ROOT / "tests" / "coverage.py")
coverage = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(coverage)

SETTINGS = int(os.environ.get("SETTINGS", "3"))
SOME = max(SETTINGS // 3, 2)  # of drawings that take seconds
IS_CAMPAIGN = SETTINGS > 8
SEED = int(os.environ.get("SEED", "1"))


def draw(number, noise):
    """A processor of the published range whose ROB fills before the first load is back; where few are drawn, one
    with few buffers, which takes a short sweep."""
    rng = random.Random(f"{SEED} {number}")
    while True:
        truth = {"rob": rng.randint(64, 640), "fill_buffers": rng.randint(6, 64 if IS_CAMPAIGN else 12),
                 "walkers": rng.randint(1, 6), "memory": rng.randint(80, 700),
                 "walk": rng.randint(20, 120), "width": rng.choice([4, 6, 8]),
                 "noise": rng.choice(noise), "seed": rng.randint(1, 10**6)}
        if truth["rob"] < 0.7 * truth["memory"] * truth["width"]:
            if truth["fill_buffers"] + 2 < truth["rob"]:
                return truth


def measure(folder, truth, *settings):
    """Runs the hosted command on the model: (case, name) -> verdict."""
    folder.mkdir(parents=True, exist_ok=True)
    if not any(setting.startswith(("experiments", "suite")) for setting in settings):
        settings = ("experiments=mlp", *settings)
    run(folder / "run", *settings, platform="model:" + ",".join(f"{key}={value}" for key, value in truth.items()))
    with open(folder / "run" / "verdicts.csv", newline="") as file:
        return {(row["case"], row["name"]): row for row in csv.DictReader(file)
                if row["experiment"] != "floor" and row["name"] != "above_floor"}


def assert_skipped(verdicts, words):
    assert verdicts
    for verdict in verdicts:
        assert (verdict["status"], verdict["reason"], verdict["value"]) == ("skip", "unavailable", ""), verdict
        assert verdict["method"].endswith(f"; {words}"), verdict


def of_the_range(truth):
    """What to measure: enough N to see the buffers end, enough K to see the reorder buffer end, few to start from."""
    return ("experiments=mlp", "pages=2m", f"mlp.loads=1-{truth['fill_buffers'] + 12}",
            f"mlp.fillers=0-{truth['rob'] + 128}/64", "mlp.dependent=1-4")


def measure_what_is_answered(folder, truth, *settings):
    """The verdicts of two experiments, of each the page size that is asked for."""
    return {**measure(folder / "mlp", truth, *of_the_range(truth), *settings),
            **measure(folder / "tlb", truth, "experiments=tlb", "pages=4k", "tlb.pages=2-8*2", "tlb.loads=1-12", *settings)}


def answers(truth):
    """(case, name), the truth, and how far a right answer may be from it. MLP is by means: where loads
    scatter, it takes more of them than there are buffers until the mean is that of two in turn."""
    mlp = coverage.mlp(truth)
    return [
        (("2m", "rob_entries"), truth["rob"], 0.01 * truth["rob"]),
        (("2m", "mlp"), mlp, coverage.loads(truth, mlp)),
        (("2m", "fill_buffers"), truth["fill_buffers"], 0),
        (("4k-cold", "parallel_walks"), truth["walkers"], 0),
        (("4k-cold", "walk_cost"), truth["walk"], 0.05 * truth["walk"]),
    ]


def is_right(verdict, truth, tolerance):
    return verdict["value"] != "" and abs(float(verdict["value"]) - truth) <= tolerance


@pytest.mark.parametrize("number", range(SETTINGS))
def test_truths_come_back(tmp_path, number):
    truth = draw(number, noise=[0, 0.02, 0.05, 0.1])
    verdicts = measure_what_is_answered(tmp_path, truth)
    for key, wanted, tolerance in answers(truth):
        verdict = verdicts[key]
        assert is_right(verdict, wanted, tolerance), f"SEED={SEED} {truth}: {wanted} {verdict}"
        assert verdict["status"] == "ok", f"SEED={SEED} {truth}: {verdict}"


def draw_accesses(number):
    """Buffers of every kind, each of another size, behind a store queue that hides none of them."""
    rng = random.Random(f"accesses {SEED} {number}")
    loads, stores, lines = rng.sample(range(5, 33), 3)
    return {"fill_buffers": loads, "prefetch_buffers": rng.randint(loads + 1, 100), "write_buffers": stores,
            "wc_buffers": lines, "wc_cycles": rng.randint(10, 30), "store_queue": rng.randint(40, 80),
            "rob": 400, "memory": rng.randint(200, 400), "noise": rng.choice([0, 0.02, 0.05]),
            "seed": rng.randint(1, 10**6)}


@pytest.mark.parametrize("number", range(SOME))
def test_accesses_come_back(tmp_path, number):
    truth = draw_accesses(number)
    verdicts = measure(tmp_path, truth, "pages=2m", "mlp.access=load prefetch store nt", "mlp.fillers=0-480/32")
    for case, key in (("2m", "fill_buffers"), ("2m-prefetch", "prefetch_buffers"),
                      ("2m-store", "write_buffers"), ("2m-nt", "wc_buffers")):
        verdict = verdicts[case, "fill_buffers"]
        assert verdict["status"] == "ok" and is_right(verdict, truth[key], 0), f"{truth}: {verdict}"
    times = {"2m-prefetch": truth["memory"], "2m-store": truth["memory"],
             "2m-nt": truth["memory"] + truth["wc_cycles"]}
    for case, latency in times.items():
        verdict = verdicts[case, "one_access"]
        assert verdict["status"] == "ok" and is_right(verdict, latency + coverage.TIMER, 0.03 * latency), verdict
    sustained = verdicts["2m-store", "mlp_sustained"]
    assert is_right(sustained, truth["write_buffers"], 0.05 * truth["write_buffers"]), f"{truth}: {sustained}"


# The sentinel's 300 cycles are 288 or 324 ticks by this clock; that is no sibling that comes and goes.
def test_a_clock_with_steps_is_no_sibling(tmp_path):
    verdicts = measure(tmp_path, {"rob": 109, "width": 8, "memory": 558, "tsc_step": 36, "noise": 0.02},
                       "pages=2m")
    assert {verdicts["2m", name]["status"] for name in ("rob_entries", "mlp", "fill_buffers", "one_load")} == {"ok"}
    assert verdicts["2m", "rob_entries"]["value"] == "109"


# A store queue with room for fewer than there are buffers is what ends; and so it says.
def test_a_store_queue_is_no_buffer(tmp_path):
    verdicts = measure(tmp_path, {"fill_buffers": 24, "store_queue": 18, "rob": 400, "counters": 0},
                       "pages=2m", "mlp.access=store")
    verdict = verdicts["2m-store", "fill_buffers"]
    assert (verdict["status"], verdict["value"]) == ("doubt", "18") and verdict["reason"] == "ends-first"


def draw_caches(number):
    rng = random.Random(f"caches {SEED} {number}")
    return {"l1_bytes": rng.choice([24, 32, 48, 64]) << 10,
            "l2_bytes": rng.choice([256, 512, 1024, 1280, 2048]) << 10,
            "l3_bytes": rng.choice([6, 8, 12, 16]) << 20,
            "l1_latency": 4, "l2_latency": rng.randint(12, 16), "l3_latency": rng.randint(40, 70),
            "memory": rng.randint(200, 400), "noise": rng.choice([0, 0.02, 0.05, 0.1]),
            "seed": rng.randint(1, 10**6)}


@pytest.mark.parametrize("number", range(SOME))
def test_capacities_come_back(tmp_path, number):
    truth = draw_caches(number)
    verdicts = measure(tmp_path, truth, "experiments=array", "pages=2m", "array.loads=1",
                       "array.bytes=1k-64m*2", "samples.max=100")
    for level in ("l1", "l2", "l3"):
        size, latency = (verdicts["2m", f"{level}_{what}"] for what in ("bytes", "latency"))
        assert size["status"] == latency["status"] == "ok", f"{truth}: {size} {latency}"
        # Sizes stand a quarter of a power of two apart: the one below the edge, or its neighbour.
        assert 0.75 <= float(size["value"]) / truth[f"{level}_bytes"] <= 1.25, f"{truth}: {size}"
        assert float(latency["value"]) == pytest.approx(truth[f"{level}_latency"], rel=0.1)
    assert float(verdicts["2m", "memory_latency"]["value"]) == pytest.approx(truth["memory"], rel=0.1)


def draw_tlbs(number):
    """TLBs of which a short sweep is enough, and of which one page more shows."""
    for attempt in range(1000):
        truth = {"noise": 0.01, "walk": 60, "l1_bytes": 32 << 10, "seed": number,
                 **coverage.draw_tlbs(SEED, f"{number} {attempt}", 32 << 10)}
        if 4 * truth["dtlb"] <= truth.get("stlb", 0) <= 1024:
            return truth


@pytest.mark.parametrize("number", range(SOME))
def test_capacities_of_tlbs_come_back(tmp_path, number):
    truth = draw_tlbs(number)
    verdicts = measure(tmp_path, truth, "experiments=tlb", "pages=4k", "tlb.loads=1-2",
                       "tlb.pages=2-2048*2 3-1536*2 5-1280*2 7-1792*2")
    for rule in coverage.tlb_rules("4k"):
        row = verdicts[rule.case, rule.name]
        wanted = rule.truth(truth)
        seen = coverage.Finding(rule, truth, row, wanted, rule.tolerance(truth, wanted), [])
        assert not coverage.is_wrong(seen), f"{truth}: {wanted} {row}"
        if rule.name in ("dtlb_entries", "dtlb_miss_cost", "stlb_entries"):
            assert row["status"] == "ok" and coverage.holds(seen), f"{truth}: {wanted} {row}"


@pytest.mark.parametrize("noise", [0.2, 0.3, 0.5] if IS_CAMPAIGN else [0.3])
def test_noise_brings_doubt_before_wrong_answers(tmp_path, noise):
    wrong = []
    for number in range(max(SETTINGS // 6, 1)):
        truth = draw(number, noise=[noise])
        verdicts = measure_what_is_answered(tmp_path / str(number), truth, "samples.max=60")
        wrong += [(truth, wanted, verdicts[key]) for key, wanted, tolerance in answers(truth)
                  if verdicts[key]["status"] == "ok"
                  and not is_right(verdicts[key], wanted, max(tolerance, 0.05 * wanted))]
    assert wrong == []


def test_the_published_machine(tmp_path):
    """IIT Delhi, 2018: a jump near K = 187, MLP 10 with 2 MB pages and 4 to 5 with 4 KB pages."""
    truth = {"rob": 192, "fill_buffers": 10, "walkers": 1, "memory": 200, "walk": 60}
    verdicts = measure(tmp_path, truth, "experiments=mlp", "pages=2m 4k", "mlp.loads=1-14", "mlp.fillers=0-320/16")
    assert 183 <= float(verdicts["2m", "rob_cliff_k"]["value"]) <= 191
    assert float(verdicts["2m", "mlp"]["value"]) == 10
    assert float(verdicts["4k", "mlp"]["value"]) in (4, 5)
    one_2m, one_4k = (float(verdicts[case, "one_load"]["value"]) for case in ("2m", "4k"))
    assert one_4k - one_2m == pytest.approx(60, abs=3)
    assert float(verdicts["2m-dependent", "sequential_slope"]["value"]) == pytest.approx(200, abs=4)


# A filler's case, its verdict and the model's parameter.
STRUCTURES = {"long-nop": ("rob_entries", "rob"), "add": ("integer_registers", "int_regs"), "vector": ("vector_registers", "vec_regs"),
              "load": ("loads_in_flight", "load_queue"), "store": ("store_queue", "store_queue"),
              "waiting": ("scheduler_entries", "scheduler"), "waiting-load": ("loads_waiting", "load_queue")}
STARTS = "structures.fillers=0-320/32"  # where refinement starts, for reorder buffers of 256 entries


def test_structures_smaller_than_the_rob(tmp_path):
    truth = {"rob": 256, "int_regs": 150, "vec_regs": 140, "load_queue": 60, "store_queue": 42,
             "scheduler": 72, "noise": 0.02}
    verdicts = measure(tmp_path, truth, "experiments=structures", STARTS)
    for case, (name, key) in {**STRUCTURES, "multiply": ("port_scheduler", "scheduler"),
                              "line-load": ("load_queue", "load_queue")}.items():
        assert float(verdicts[case, name]["high"]) == truth[key], verdicts[case, name]
        assert verdicts[case, name]["status"] == "ok"


@pytest.mark.parametrize("sizes, hidden", [
    # Completed loads leave early, until they have no registers left; those that wait do not.
    ({"int_regs": 150, "load_queue": 60, "scheduler": 72, "early_release": 1}, [
        ("load", "loads_in_flight", 150, "ends-first", "the integer register file"),
        ("line-load", "load_queue", 60, "fillers-disagree", "")]),
    ({"load_queue": 60, "early_release": 1}, [
        ("load", "loads_in_flight", 256, "ends-first", "the reorder buffer")]),
    # Fewer registers than loads, and than what waits in the scheduler.
    ({"int_regs": 60, "load_queue": 72, "scheduler": 70}, [
        ("load", "loads_in_flight", 60, "ends-first", "the integer register file"),
        ("waiting", "scheduler_entries", 58, "ends-first", "the integer register file")]),
    ({"load_queue": 72, "scheduler": 60}, [
        ("waiting-load", "loads_waiting", 61, "fillers-disagree", "")]),
])
def test_structures_that_another_one_hides(tmp_path, sizes, hidden):
    verdicts = measure(tmp_path, {"rob": 256, "noise": 0.02, **sizes}, "experiments=structures", STARTS)
    for case, name, least, reason, words in hidden:
        verdict = verdicts[case, name]
        assert (verdict["status"], verdict["value"], verdict["high"]) == ("doubt", "", ""), verdict
        assert float(verdict["low"]) == least, verdict
        assert verdict["reason"] == reason and words in verdict["method"], verdict


@pytest.mark.parametrize("number", range(SETTINGS // 2))
def test_counts_agree_with_the_truth(tmp_path, number):
    """What counters say of the drawn processor, beside what time says."""
    truth = draw(number, noise=[0, 0.02, 0.1])
    verdicts = measure(tmp_path, truth, *of_the_range(truth))
    assert float(verdicts["2m", "payload_surplus"]["value"]) == 0
    assert float(verdicts["2m", "fill_buffers_seen"]["value"]) == truth["fill_buffers"], truth
    for name in ("payload_surplus", "fill_buffers_seen"):
        assert verdicts["2m", name]["status"] == "ok", f"{truth}: {verdicts['2m', name]}"
    # What one load adds to the cycles of reading is its latency.
    reading = verdicts["2m", "reading_cost"]
    with open(tmp_path / "run" / "results.csv", newline="") as file:
        one, = (float(row["median"]) for row in csv.DictReader(file)
                if (row["case"], row["metric"], row["n"], row["k"]) == ("2m", "core_cycles", "1", "0"))
    assert reading["status"] == "ok" and float(reading["value"]) > 0, reading
    assert 0.8 * truth["memory"] <= one - float(reading["value"]) <= 1.2 * truth["memory"] + 20
    # With a few loads more than buffers, not all of them are in use all the time.
    ratio = float(verdicts["2m", "mlp_counted"]["value"])
    assert 0.4 * truth["fill_buffers"] <= ratio <= truth["fill_buffers"], f"{truth}: {ratio}"


def test_no_verdict_is_lost(tmp_path):
    """Every case there is, in one run: results.csv says the same as was judged on the way."""
    verdicts = measure(tmp_path, {"rob": 64, "fill_buffers": 4}, "experiments=mlp structures tlb",
                       "pages=2m 4k 1g", "mlp.tlb=natural warm cold walkmem",
                       "mlp.order=lfence cpuid", "prefetch=both", "mlp.loads=1-4",
                       "mlp.fillers=0-100/50", "structures.fillers=0-100/50", "mlp.dependent=1-2",
                       "tlb.loads=1-3", "tlb.pages=2-8*2", "samples.min=6", "samples.max=10")
    _, again, _ = hosted("analyze", tmp_path / "run" / "results.csv")
    assert again == (tmp_path / "run" / "verdicts.csv").read_text()
    assert len(again.splitlines()) > 513, verdicts


def test_without_counters_there_are_no_counts(tmp_path):
    verdicts = measure(tmp_path, {"rob": 192, "counters": 0}, "experiments=mlp", "pages=2m",
                       "mlp.loads=1-4", "mlp.fillers=0-256/64")
    assert ("2m", "one_load") in verdicts
    assert ("2m", "payload_surplus") not in verdicts
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["counting"] == {"none": "the model was given none (counters=0)"}


def test_memory_of_another_node(tmp_path):
    """IIT Delhi, 2018, chapter 4: it costs one load as much as ten side by side, and no MLP."""
    truth = {"rob": 192, "fill_buffers": 10, "memory": 200, "remote": 65, "noise": 0.02}
    verdicts = measure(tmp_path, truth, "experiments=numa", "pages=2m")
    remote = {name: float(verdicts["2m-node1", f"node_{name}_extra"]["value"])
              for name in ("one_load", "two_loads", "ten_loads", "two_sequential", "mlp")}
    for name in ("one_load", "two_loads", "ten_loads"):
        assert remote[name] == pytest.approx(65, abs=4)
        assert verdicts["2m-node1", f"node_{name}_extra"]["status"] == "ok"
    assert remote["two_sequential"] == pytest.approx(130, abs=4)
    assert remote["mlp"] >= 0
    # The published sentence: a load alone pays more than one of ten.
    assert remote["one_load"] > 5 * remote["ten_loads"] / 10


TICKS_OF_NODES = {"2m": 200, "2m-node1": 300}


@pytest.mark.parametrize("node, cases", [("local", {"2m"}), ("remote", {"2m-node1"})])
def test_a_node_asked_for(tmp_path, node, cases):
    verdicts = measure(tmp_path, {"remote": 100}, "pages=2m", f"node={node}", "mlp.loads=1-2", "mlp.fillers=0",
                       "mlp.dependent=1-2")
    assert {case.removesuffix("-dependent") for case, _ in verdicts} == cases
    for case in cases:
        assert float(verdicts[case, "one_load"]["value"]) == pytest.approx(TICKS_OF_NODES[case] + coverage.TIMER, rel=0.05)


def test_all_nodes_asked_for(tmp_path):
    verdicts = measure(tmp_path, {"remote": 100, "l3_bytes": 2 << 20}, "experiments=array", "pages=2m", "node=all",
                       "array.bytes=1k-8m*2", "array.loads=1", "samples.max=40")
    assert {case for case, _ in verdicts} == set(TICKS_OF_NODES)
    for case, ticks in TICKS_OF_NODES.items():
        assert float(verdicts[case, "memory_latency"]["value"]) == pytest.approx(ticks, rel=0.05)
        assert float(verdicts[case, "l1_latency"]["value"]) == pytest.approx(4, abs=0.5)


def test_a_machine_with_one_node_says_so(tmp_path):
    verdicts = measure(tmp_path, {}, "experiments=mlp numa", "pages=2m", "node=all", "mlp.loads=1-3")
    assert {case for case, _ in verdicts} == {"2m", "2m-dependent", "2m-remote"}
    assert_skipped([row for (case, _), row in verdicts.items() if case == "2m-remote"], "this machine has one memory node")


def draw_queue(number):
    """Cores that can ask for more than the memory has, and that memory's queue."""
    rng = random.Random(f"queue {SEED} {number}")
    truth = {"cores": rng.randint(3, 24), "fill_buffers": rng.randint(8, 24),
             "memory": rng.randint(150, 450), "noise": rng.choice([0, 0.02, 0.1]),
             "seed": rng.randint(1, 10**6)}
    most = truth["cores"] * truth["fill_buffers"] * 64 / truth["memory"]
    return {**truth, "bandwidth": round(most / rng.uniform(1.5, 3), 3)}


@pytest.mark.parametrize("number", range(max(SETTINGS // 2, 2)))
def test_latency_under_load(tmp_path, number):
    """The curve is that of the queue M/D/1 while other cores ask for a part of the bandwidth, and where
    they ask for more, their buffers' length."""
    truth = draw_queue(number)
    line = 64 / truth["bandwidth"]
    half = 2 * 8 * truth["cores"] * line  # the pause at which they ask for half of it
    pauses = [0, *(round(half * part) for part in (0.7, 0.9, 1.1, 1.5, 3, 6))]
    verdicts = measure(tmp_path, truth, "experiments=loaded", "pages=2m", "samples.max=160",
                       f"loaded.pauses={' '.join(map(str, pauses))}")
    per_second = json.loads((tmp_path / "run" / "run.json").read_text())["tsc_hz"]
    buffers = truth["cores"] * truth["fill_buffers"]
    wanted = {"idle_latency": truth["memory"],
              "peak_bandwidth": truth["bandwidth"] * per_second / 1e9,
              "latency_at_half": truth["memory"] + line / 2,  # r S / (2 (1 - r)) of r = 1/2
              "latency_at_peak": truth["memory"] + (buffers - 0.5) * line}
    for work in ("read", "write", "copy"):
        for name, value in wanted.items():
            verdict = verdicts[f"{work}-2m-cores{truth['cores']}", name]
            assert float(verdict["value"]) == pytest.approx(value, rel=0.05), f"{truth}: {verdict}"
            assert verdict["status"] == "ok", f"{truth}: {verdict}"


def test_nobody_else_to_load_the_memory(tmp_path):
    verdicts = measure(tmp_path, {}, "experiments=tlb loaded", "pages=2m", "tlb.loads=1-2", "tlb.pages=2-8*2")
    assert_skipped([row for (case, _), row in verdicts.items() if case == "read-2m"],
                   "the model was given no other cores (cores=0)")


POLICIES = ("halved", "competitive", "whole")  # in the order of the model's numbers
# In eighths: what the sibling takes of a structure that is shared with it.
TAKEN = {"busy": {"rob": 1},
         "loading": {"rob": 4, "int_regs": 2, "vec_regs": 3, "load_queue": 5, "fill_buffers": 4}}
SHARED = {**STRUCTURES, "4k-warm": ("fill_buffers", "fill_buffers")}


def draw_threads(number):
    """Two threads that share everything in a way of its own, and maybe a neighbour on the other one."""
    rng = random.Random(f"threads {SEED} {number}")
    truth = {"threads": 2, "rob": rng.randint(420, 512), "int_regs": rng.randint(150, 200),
             "vec_regs": rng.randint(130, 200), "scheduler": rng.randint(66, 76),
             "load_queue": rng.randint(48, 60), "store_queue": rng.randint(40, 60),
             "fill_buffers": rng.randint(10, 24), "memory": rng.randint(250, 400),
             "width": rng.choice([4, 6, 8]), "noise": rng.choice([0, 0.02, 0.05]),
             "sibling": rng.choice([0, 0.2]), "seed": rng.randint(1, 10**6)}
    policies = {key: rng.randrange(3) for _, key in SHARED.values()} | {"caches": rng.randrange(3)}
    return truth | {f"smt_{key}": policy for key, policy in policies.items()}


def left(truth, key, work):
    """What the modelled thread has of a structure."""
    whole, policy = truth[key], POLICIES[truth[f"smt_{key}"]]
    if work == "idle" or policy == "whole":
        return whole
    if policy == "halved":
        return whole // 2
    return whole - (whole * TAKEN[work].get(key, 0) + 7) // 8


@pytest.mark.parametrize("number", range(SOME))
def test_policies_of_threads_come_back(tmp_path, number):
    truth = draw_threads(number)
    verdicts = measure(tmp_path, truth, "experiments=smt", "mlp.loads=1-24", "mlp.fillers=0-512/32",
                       "structures.fillers=0-512/32", "array.bytes=2k-4m*2", "samples.max=50")
    wrong, known = [], 0
    for pattern, (name, key) in SHARED.items():
        for work in ("idle", "busy", "loading"):
            size = verdicts[f"{pattern}-{work}", name]
            if size["status"] == "ok" and \
                    not float(size["low"]) <= left(truth, key, work) <= float(size["high"]):
                wrong.append(size)
    splits = {(f"{pattern}-busy", "split"): key for pattern, (_, key) in SHARED.items()}
    for split, key in (splits | {("chain-2m-busy", f"l{i}_split"): "caches" for i in (1, 2)}).items():
        word = verdicts[split]["method"].split(":")[0]
        known += verdicts[split]["status"] == "ok"
        if verdicts[split]["status"] == "ok" and word != POLICIES[truth[f"smt_{key}"]]:
            wrong.append(verdicts[split])
    assert wrong == [], f"SEED={SEED} {truth}"
    # What neither NOPs nor loads use is open, and so is what something smaller hides.
    assert known >= 6, f"SEED={SEED} {truth}: {verdicts}"


def test_a_core_of_one_thread_has_no_sibling(tmp_path):
    verdicts = measure(tmp_path, {}, "experiments=mlp smt", "pages=2m", "mlp.loads=1-3",
                       "mlp.fillers=0-64/32")
    assert_skipped([verdicts["sibling", "split"]], "the model was given one thread a core (threads=1)")
    assert sum(row["experiment"] == "smt" for row in verdicts.values()) == 1


SHARED_SIZES = {"rob": 256, "noise": 0.05, "memory": 300, "sibling_ms": 1}
FEW_POINTS = ("pages=4k", "mlp.loads=1-8", "mlp.fillers=0-352/32", "mlp.dependent=1-2")


@pytest.mark.parametrize("more, status", [
    ({"known": 0}, "doubt"),  # one state was seen, whichever it is
    ({"known": 2}, "ok"),  # a core of one thread
    ({"known": 0, "sibling": 1}, "doubt"),
    ({"known": 0, "sibling": 1, "sibling_waits": 1}, "doubt"),
    ({"known": 0, "sibling": 0.6}, "ok"),  # both states were seen; of less of a shared core nobody waits for samples
    ({"known": 0, "sibling": 0.6, "sibling_waits": 1}, "ok"),
    ({"known": 1, "sibling": 0.6, "sibling_waits": 1}, "ok")])
def test_sizes_of_a_core_in_no_table(tmp_path, more, status):
    """If the whole core is known, its size is right; a sibling that waits for memory is seen, too."""
    verdicts = measure(tmp_path, {**SHARED_SIZES, **more}, *FEW_POINTS)
    assert verdicts["4k", "rob_cliff_k"]["status"] == status
    if status == "ok":
        assert is_right(verdicts["4k", "rob_entries"], 256, 3)
    if more.get("sibling") == 0.6:
        assert is_right(verdicts["4k-shared", "rob_entries"], 128, 3)
