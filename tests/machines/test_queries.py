"""The manual's section for other programs: its blocks of code run as they are there, over fifty folders."""

import csv
import re
import sqlite3
import subprocess
import sys

import pytest

import schema
from machine import ROOT
from made_runs import MACHINES, MICROCODES, RUNS, fifty_folders, rob_of
from tool import TOOL

LAB, REFERENCE = ROOT / "images/manual/lab.md", ROOT / "images/manual/reference.md"

# Which block it is, by its language and its number among those.
BY_MICROCODE, CHANGED = ("sql", 0), ("sql", 1)
VALIDATE = ("python", 0)


def section():
    text = re.split(r"(?m)^## Data for others$", LAB.read_text())[1]
    return re.split(r"(?m)^## ", text)[0]


def blocks():
    """(language, number among those of it) -> text."""
    found, counts = {}, {}
    for language, text in re.findall(r"(?ms)^```(\w+)\n(.*?)^```$", section()):
        found[language, counts.setdefault(language, 0)] = text
        counts[language] += 1
    return found


def expected_by_microcode():
    """(brand, microcode) -> runs, least, mean, most: from what the runs were made of."""
    values = {}
    for machine in range(MACHINES):
        for run in range(RUNS):
            microcode = MICROCODES[run >= 3]
            values.setdefault((f"Made Up {machine % 3}", microcode), []).append(
                rob_of(machine, microcode))
    return {key: (len(of), min(of), sum(of) / len(of), max(of))
            for key, of in sorted(values.items())}


CHANGED_MACHINES = {f"{machine:016x}" for machine in range(MACHINES)
                    if len({rob_of(machine, microcode) for microcode in MICROCODES}) > 1}


def check_by_microcode(rows):
    """Rows of brand, microcode, runs, least, mean, most; numbers may be texts."""
    assert len(CHANGED_MACHINES) == 3
    told = {(brand, microcode): tuple(map(float, numbers))
            for brand, microcode, *numbers in rows}
    assert told == {key: pytest.approx(value) for key, value in expected_by_microcode().items()}
    assert list(told) == sorted(told)


def check_changed(rows):
    """Rows of machine, experiment, case, name, runs, lowest_high, highest_low."""
    assert {row[0] for row in rows} == CHANGED_MACHINES
    assert {row[3] for row in rows} == {"rob_cliff_k", "rob_entries"}
    for machine, experiment, case, name, *numbers in rows:
        assert (experiment, case) == ("mlp", "4k")
        runs, lowest_high, highest_low = map(float, numbers)
        assert runs == RUNS and (name != "rob_entries" or (lowest_high, highest_low) == (56, 64))


def did(*words, cwd, stdin=""):
    done = subprocess.run([str(word) for word in words], input=stdin, text=True, cwd=cwd,
                          capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    return fifty_folders(tmp_path_factory.mktemp("queries"))


@pytest.fixture(scope="module")
def collected(lab):
    path = lab.parent / "runs.sqlite"
    assert did(sys.executable, TOOL, "collect", lab, "--out", path, cwd=lab).startswith("50 runs added")
    return path


def test_there_are_no_other_blocks():
    assert set(blocks()) == {BY_MICROCODE, CHANGED, VALIDATE}


def test_sqlite(collected):
    def ask(block):
        return list(csv.reader(did("sqlite3", "-csv", collected, cwd="/",
                                   stdin=blocks()[block]).splitlines()))
    check_by_microcode(ask(BY_MICROCODE))
    check_changed(ask(CHANGED))


def test_the_schema_is_used_as_shown(lab, tmp_path):
    (tmp_path / "run.schema.json").write_bytes(schema.PATH.read_bytes())
    run = (lab.parent / "rob-64/run.json").read_text()
    (tmp_path / "run.json").write_text(run)
    did("/usr/bin/python3", "-c", blocks()[VALIDATE], cwd=tmp_path)
    (tmp_path / "run.json").write_text(run.replace('"status": "done"', '"status": "fine"'))
    with pytest.raises(AssertionError, match="'fine' is not one of"):
        did("/usr/bin/python3", "-c", blocks()[VALIDATE], cwd=tmp_path)


def test_every_column_is_explained(collected):
    """Those of the files are explained with the files."""
    said = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`\n]+)`", section()))))
    with sqlite3.connect(collected) as database:
        for table in ("machines", "runs", "verdicts", "points"):
            named = {row[1] for row in database.execute(f"pragma table_info({table})")}
            if table in ("verdicts", "points"):
                file = "verdicts.csv" if table == "verdicts" else "results.csv"
                header = REFERENCE.read_text().partition(f"### Columns of {file}\n\n`")[2]
                named -= set(header.partition("`")[0].split(","))
            assert named - said == set(), table
