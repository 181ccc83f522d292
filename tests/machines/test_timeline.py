"""
timeline on the counted model: what its verdicts say of drawn cores, against a queue of loads that
is worked out here; and the reasons where nothing can be counted.
"""

import csv
import random
import subprocess

import pytest

from machine import BUILD, NO_VERDICT

CORES = 8


def run(folder, platform, *settings):
    """(case, name) -> verdict, of the verdicts of timeline."""
    command = [BUILD / "mlpboot-hosted", "run", "--platform", platform, "--out", folder / "run",
               "--set", "experiments=timeline"]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode in (0, NO_VERDICT), f"{platform}: {done.stdout[-500:]}{done.stderr}"
    with open(folder / "run" / "verdicts.csv", newline="") as file:
        return {(row["case"], row["name"]): row for row in csv.DictReader(file)
                if row["experiment"] == "timeline"}, done.stdout


def draw(number):
    rng = random.Random(f"timeline {number}")
    return {"rob": rng.randint(64, 640), "width": rng.randint(1, 8), "fill_buffers": rng.randint(4, 24),
            "walkers": rng.randint(1, 6), "memory": rng.randint(80, 300), "walk": rng.randint(10, 60),
            "skid": rng.randint(0, 9), "noise": 0, "seed": rng.randint(1, 10**6)}, rng.randint(2, 14)


def flow(core, loads, walks):
    """When each load's walk and its miss start, and when its data is there; the first is dispatched in
    cycle 0. Walkers and fill buffers go to whoever comes first."""
    dispatched = [load // core["width"] for load in range(loads)]
    walkers, buffers = [0] * core["walkers"], [0] * core["fill_buffers"]
    walk, translated, miss, back = [], [], [], {}
    for cycle in dispatched:
        start = max(cycle, min(walkers)) if walks else cycle
        walk.append(start)
        translated.append(start + core["walk"] if walks else cycle)
        walkers[walkers.index(min(walkers))] = translated[-1]
    for load in sorted(range(loads), key=lambda load: (translated[load], load)):
        start = max(translated[load], min(buffers))
        miss.append(start)
        back[load] = start + core["memory"]
        buffers[buffers.index(min(buffers))] = back[load]
    return walk, miss, back


@pytest.mark.parametrize("number", range(CORES))
def test_each_event_is_found_at_its_cycle(tmp_path, number):
    core, loads = draw(number)
    platform = "model:" + ",".join(f"{key}={value}" for key, value in core.items())
    longest = max(flow(core, loads, True)[1]) + 40
    verdicts, _ = run(tmp_path, platform, f"timeline.loads={loads}", "pages=4k",
                      "timeline.tlb=warm cold",
                      f"timeline.cycles=1-128 130-{max(longest, core['memory'] + 200)}/2")
    assert verdicts["additions", "resolution"]["status"] == "ok"
    assert float(verdicts["additions", "resolution"]["value"]) < 0.01
    for case, walks in (("4k-warm", False), ("4k-cold", True)):
        walk, miss, back = flow(core, loads, walks)
        # The first addition retires a cycle after it is dispatched.
        truths = {"misses_issued_in": max(miss) - min(miss), "retirement_resumes": back[0] - 1}
        if walks:
            truths["walk_start"] = walk[0] - 1
        else:
            assert verdicts[case, "walk_start"]["status"] == "skip"
        for name, truth in truths.items():
            verdict = verdicts[case, name]
            low, high = float(verdict["low"]), float(verdict["high"])
            assert verdict["status"] == "ok", f"{platform}: {truth} {verdict}"
            assert low <= truth <= high, f"{platform}: {truth} {verdict}"
            assert high - low <= 6, f"{platform}: {truth} {verdict}"


def test_too_few_cycles_are_doubt(tmp_path):
    verdicts, _ = run(tmp_path, "model:memory=300,walkers=1", "pages=4k", "timeline.cycles=1-200")
    assert verdicts["additions", "resolution"]["status"] == "ok"
    assert verdicts["4k-cold", "walk_start"]["status"] == "ok"
    assert verdicts["4k-cold", "misses_issued_in"]["status"] == "doubt"
    assert verdicts["4k-cold", "retirement_resumes"]["status"] == "skip"


@pytest.mark.parametrize("platform, reason", [
    ("linux", "none, "),
    ("model:counters=0", "the model was given none"),
])
def test_without_counters(tmp_path, platform, reason):
    verdicts, console = run(tmp_path, platform, "pages=4k", "timeline.tlb=warm")
    assert len(verdicts) == 2 + 6  # of the additions, and of the loads
    assert {verdict["status"] for verdict in verdicts.values()} == {"skip"}
    assert reason in console
    why = {verdict["method"] for verdict in verdicts.values()}
    assert len(why) == 1 and "" not in why


def test_an_emulator_is_no_core(tmp_path):
    verdicts, _ = run(tmp_path, "model:inert=1", "pages=4k", "timeline.cycles=1-64")
    assert "ok" not in {verdict["status"] for verdict in verdicts.values()}
