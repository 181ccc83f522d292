"""Verdicts from rows that were stored by an earlier version: the same to the last byte."""

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
