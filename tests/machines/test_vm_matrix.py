"""Four virtual machines in a row, host and guest pages large and small; emulated here, and labelled so."""

import csv
import json
import os
import subprocess

import pytest

from machine import BUILD, SHORT, mlp_alone

ROOT = BUILD.parent
COMBINATIONS = ["H0G0", "H0G1", "H1G1", "H1G0"]


def vm_matrix(folder, **environment):
    return subprocess.run(["bash", "images/vm-matrix.sh"], cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, "MATRIX_DIR": str(folder / "matrix"), **environment})


def test_emulated_it_completes_and_labels_every_file(tmp_path):
    config = tmp_path / "short.cfg"
    config.write_text(mlp_alone(SHORT.replace("1-3", "1-2").replace("0-64/32", "0")) + "label = mine\n")
    done = vm_matrix(tmp_path, ACCEL="tcg", CONFIG=str(config))
    assert done.returncode == 0, done.stdout + done.stderr
    for name in COMBINATIONS:
        folder = tmp_path / "matrix" / f"{name}-tcg"
        pages = "2m" if name.endswith("G0") else "4k"
        for table in ("results.csv", "verdicts.csv"):
            with open(folder / table, newline="") as file:
                cases = {row["case"] for row in csv.DictReader(file) if row["experiment"] == "mlp"}
            assert cases == {f"{pages}-{name.lower()}-tcg", f"{pages}-{name.lower()}-tcg-dependent"}
        run = json.loads((folder / "run.json").read_text())
        assert run["label"] == f"{name} under tcg: emulated, times mean nothing"
        log = (folder / "log.txt").read_text()
        assert f"label={run['label']}" in log
        assert log.rstrip("\0 \n").endswith("event=done status=done")
        assert f"{name}-tcg" in done.stdout
    assert "Emulated (tcg)" in done.stdout
    assert "Emulated (tcg)" in (tmp_path / "matrix" / "table.txt").read_text()


@pytest.mark.parametrize("environment, says", [
    ({"ACCEL": "xen"}, "ACCEL=xen is not known; accepted: tcg, kvm"),
    ({"ACCEL": "tcg", "CPU": "4096"}, "CPU=4096 is no processor"),
    ({"ACCEL": "tcg", "CONFIG": "/not/there"}, "CONFIG=/not/there is not a file that can be read"),
    ({"ACCEL": "tcg", "CONFIG": "/tmp"}, "CONFIG=/tmp is not a file that can be read"),
])
def test_wrong_input_is_named(tmp_path, environment, says):
    done = vm_matrix(tmp_path, **environment)
    assert done.returncode != 0
    assert says in done.stderr
    assert not (tmp_path / "matrix").exists()
