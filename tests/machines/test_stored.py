"""Verdicts from rows that were stored by an earlier version: the same to the last byte."""

import random
import subprocess

import pytest

from machine import BUILD, ROOT

DATA = ROOT / "tests" / "data"
FOLDERS = ["silicon", "model", "counted", "qemu"]


def analyze(path):
    return subprocess.run([BUILD / "mlpboot-hosted", "analyze", path], check=True,
                          capture_output=True).stdout


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_same_verdicts(folder):
    assert analyze(DATA / folder / "results.csv") == (DATA / folder / "verdicts.csv").read_bytes()


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_order_of_rows_does_not_matter(folder, tmp_path):
    header, *rows = (DATA / folder / "results.csv").read_text().splitlines()
    random.Random(1).shuffle(rows)
    shuffled = tmp_path / "results.csv"
    shuffled.write_text("\n".join([header, *rows, ""]))
    verdicts = (DATA / folder / "verdicts.csv").read_text().splitlines()
    assert sorted(analyze(shuffled).decode().splitlines()) == sorted(verdicts)


def test_a_changed_row_is_noticed(tmp_path):
    """The comparison itself: one median that is another gives another verdict."""
    lines = (DATA / "silicon" / "results.csv").read_text().splitlines()
    fields = next(line for line in lines if line.startswith("mlp,2m-base,1,0,")).split(",")
    changed = fields[:12] + [str(float(fields[12]) + 1)] + fields[13:]
    lines[lines.index(",".join(fields))] = ",".join(changed)
    other = tmp_path / "results.csv"
    other.write_text("\n".join([*lines, ""]))
    assert analyze(other) != (DATA / "silicon" / "verdicts.csv").read_bytes()
