"""Started over a network: the configuration comes from the server, and results go there."""

import re
import subprocess

import pytest

import watch
from machine import BUILD, FILES, SHORT, boot
from network import NO_PXE, RANGE, SERVER, Lab, Networked, arrived
from report import runs_of, without_padding

TINY = SHORT.replace("2m 4k", "2m").replace("1-3", "1-2") + "finish = shutdown\n"
COUNTED = ["-icount", "shift=5", "-rtc", "base=2026-01-01,clock=vm"]


@pytest.fixture
def lab():
    with Lab() as opened:
        yield opened


def served(folder, label):
    """A folder to be served, with a configuration of its own."""
    place = folder / "served"
    place.mkdir()
    (place / "mlpboot.cfg").write_text(TINY + f"label = {label}\n")
    return place


def check_arrived(folder, label, machine):
    """All files of a run that was done; the same are in its report, and are good enough to be judged."""
    results, name = arrived(folder)
    assert sorted(results.files) == FILES, machine.evidence()
    assert results.log[-1] == "event=done status=done"
    assert results.run["status"] == "done"
    assert results.run["label"] == label
    assert runs_of(results.files["report.html"]) == {name: without_padding(results.files)}
    assert re.fullmatch(r"[0-9a-f]{16}-\d{8}T\d{6}Z", name)
    assert name.startswith(results.run["machine"]["id"])
    done = subprocess.run([BUILD / "mlpboot-hosted", "analyze", folder / "results" / name / "results.csv"],
                          capture_output=True)
    assert done.returncode == 0
    assert done.stdout == results.files["verdicts.csv"]
    return results


def test_pxe(lab, tmp_path):
    folder = served(tmp_path, "by PXE")
    lab.serve(folder, "--range", RANGE)
    with Networked(lab, tmp_path, extra=COUNTED) as machine:
        machine.wait(120)
        print(machine.seconds)
        check_arrived(folder, "by PXE", machine)
        assert machine.says(f"trying http://{SERVER}/results")
        assert not machine.says("safe to remove")
