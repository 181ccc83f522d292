"""Verdicts from the rows of stored runs: the same to the last byte; and three runs of one machine agree."""

import collections
import csv
import random
import subprocess

import pytest

from machine import BUILD
from stored_runs import JUDGED, stored_text


def lines_of(folder, name):
    return stored_text(folder, f"{name}.csv").splitlines()


def analyze(lines, folder):
    """The verdicts from these lines of results.csv."""
    path = folder / "results.csv"
    path.write_text("\n".join([*lines, ""]))
    return subprocess.run([BUILD / "mlpboot-hosted", "analyze", path], check=True, text=True,
                          capture_output=True).stdout.splitlines()


@pytest.mark.parametrize("folder", JUDGED)
def test_the_same_verdicts(folder, tmp_path):
    assert analyze(lines_of(folder, "results"), tmp_path) == lines_of(folder, "verdicts")


@pytest.mark.parametrize("folder", JUDGED)
def test_the_order_of_rows_does_not_matter(folder, tmp_path):
    header, *rows = lines_of(folder, "results")
    random.Random(1).shuffle(rows)
    assert sorted(analyze([header, *rows], tmp_path)) == sorted(lines_of(folder, "verdicts"))


def test_a_changed_row_is_noticed(tmp_path):
    """The comparison itself: a center that is another gives another verdict."""
    lines = lines_of("zen4", "results")
    at = next(i for i, line in enumerate(lines) if line.startswith("mlp,2m,1,0,"))
    fields, center = lines[at].split(","), lines[0].split(",").index("center")
    fields[center] = str(float(fields[center]) + 1)
    lines[at] = ",".join(fields)
    assert analyze(lines, tmp_path) != lines_of("zen4", "verdicts")


def test_whatever_is_not_ok_has_a_reason():
    rows = [row for folder in JUDGED for row in csv.DictReader(lines_of(folder, "verdicts"))]
    assert all((row["reason"] == "") == (row["status"] == "ok") for row in rows)
    assert len({row["reason"] for row in rows if row["status"] == "doubt"}) > 10


def verdicts_of(folder, tmp_path):
    """By experiment, case and name."""
    rows = csv.DictReader(analyze(lines_of(folder, "results"), tmp_path))
    return {(row["experiment"], row["case"], row["name"]): row for row in rows}


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


SHARED = ["shared-1", "shared-2", "shared-3"]


def test_states_of_a_core_contradict_no_ok(tmp_path):
    """A sibling thread took half of many structures; what it left is told apart from the whole core."""
    runs = [verdicts_of(folder, tmp_path) for folder in SHARED]
    assert contradicted(runs) == []
    for whole in runs[:2]:  # the third never had the core to itself
        for shared in runs:
            assert 0.45 < (float(shared["mlp", "2m-shared", "rob_cliff_k"]["value"])
                           / float(whole["mlp", "2m", "rob_cliff_k"]["value"])) < 0.55
    assert len([key for key in runs[0] if all(run.get(key, {}).get("status") == "ok" for run in runs)]) > 5


def test_contradictions_are_noticed(tmp_path):
    """The comparison itself: had one run called the whole core shared, it would contradict the others."""
    runs = [verdicts_of(folder, tmp_path) for folder in SHARED]
    runs[0]["mlp", "2m-shared", "rob_cliff_k"] = runs[0]["mlp", "2m", "rob_cliff_k"]
    assert contradicted(runs) == [("mlp", "2m-shared", "rob_cliff_k")]
