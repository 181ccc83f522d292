"""Verdicts from rows that were stored by an earlier version: the same to the last byte."""

import collections
import csv
import gzip
import random
import subprocess

import pytest

from machine import BUILD, ROOT

DATA = ROOT / "tests" / "data"
FOLDERS = ["silicon", "model", "counted", "qemu"]


def lines_of(folder, name):
    return gzip.open(DATA / folder / f"{name}.csv.gz", "rt").read().splitlines()


def analyze(lines, folder):
    """The verdicts from these lines of results.csv."""
    path = folder / "results.csv"
    path.write_text("\n".join([*lines, ""]))
    return subprocess.run([BUILD / "mlpboot-hosted", "analyze", path], check=True, text=True,
                          capture_output=True).stdout.splitlines()


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_same_verdicts(folder, tmp_path):
    assert analyze(lines_of(folder, "results"), tmp_path) == lines_of(folder, "verdicts")


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_order_of_rows_does_not_matter(folder, tmp_path):
    header, *rows = lines_of(folder, "results")
    random.Random(1).shuffle(rows)
    assert sorted(analyze([header, *rows], tmp_path)) == sorted(lines_of(folder, "verdicts"))


def test_a_changed_row_is_noticed(tmp_path):
    """The comparison itself: one median that is another gives another verdict."""
    lines = lines_of("silicon", "results")
    at = next(i for i, line in enumerate(lines) if line.startswith("mlp,2m-base,1,0,"))
    fields = lines[at].split(",")
    fields[12] = str(float(fields[12]) + 1)
    lines[at] = ",".join(fields)
    assert analyze(lines, tmp_path) != lines_of("silicon", "verdicts")


def verdicts_of(folder, tmp_path):
    """By experiment, case and name."""
    rows = csv.DictReader(analyze(lines_of(folder, "results"), tmp_path))
    return {(row["experiment"], row["case"], row["name"]): row for row in rows}


def test_loads_just_before_a_jump(tmp_path):
    """Ten loads overlap, and not nine: nothing is smoothed across the jump."""
    verdicts = verdicts_of("curve", tmp_path)
    mlp = verdicts["mlp", "2m", "mlp"]
    assert (mlp["status"], mlp["value"], mlp["low"], mlp["high"]) == ("ok", "10", "10", "10")
    assert verdicts["mlp", "2m", "rob_entries"]["value"] == "189"
    assert verdicts["mlp", "2m", "fill_buffers"]["value"] == "10"


def meets(a, b):
    return float(a["low"]) <= float(b["high"]) and float(b["low"]) <= float(a["high"])


def contradicted(runs):
    """Of runs of one machine: those `ok` whose interval meets none of the two others'."""
    found = collections.defaultdict(list)
    for run in runs:
        for key, verdict in run.items():
            if key[0] != "noise" and verdict["low"] and verdict["high"]:  # noise tells what was, not what is
                found[key].append(verdict)
    return [key for key, all_runs in found.items() for one in all_runs
            if one["status"] == "ok" and len(all_runs) == 3
            and not any(meets(one, other) for other in all_runs if other is not one)]


ZEN5 = ["zen5-1", "zen5-2", "zen5-3"]


def test_states_of_a_core_contradict_no_ok(tmp_path):
    """Where a sibling took half of every structure, nothing that it takes a part of is sure."""
    runs = [verdicts_of(folder, tmp_path) for folder in ZEN5]
    assert contradicted(runs) == []
    names = {"rob_entries", "rob_entries_long_nop", "rob_cliff_k", "store_queue", "integer_registers",
             "vector_registers", "scheduler_entries", "fill_buffers"}
    for run in runs:
        seen = [verdict for key, verdict in run.items() if key[2] in names]
        assert len(seen) > len(names)
        assert not [verdict for verdict in seen if verdict["status"] == "ok"]


def test_contradictions_are_noticed(tmp_path):
    """The comparison itself: were these answers sure, the states of the core would show."""
    runs = [verdicts_of(folder, tmp_path) for folder in ZEN5]
    for run in runs:
        for verdict in run.values():
            verdict["status"] = "ok"
    keys = contradicted(runs)
    assert ("mlp", "2m", "rob_entries") in keys or ("structures", "store", "store_queue") in keys
