"""
stored: which verdicts of the stored runs (tests/data, images/data) are others than the ones kept beside them.

usage: stored.py [--write]

Judges the rows of each run again by build/mlpboot-hosted and prints each verdict that changed, before and after. --write keeps
what is judged now. Exit status 1: there are differences, and they were not kept.
"""

import argparse
import difflib
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/machines"))
from stored_runs import JUDGED, keep, stored_text  # noqa: E402


def judged(run):
    """The verdicts of a run's rows, as text."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write(stored_text(run, "results.csv"))
        file.flush()
        return subprocess.run([ROOT / "build/mlpboot-hosted", "analyze", file.name], check=True, text=True, capture_output=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.strip().partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="keep the verdicts of now")
    given, changes = parser.parse_args(), 0
    for run in JUDGED:
        before, now = stored_text(run, "verdicts.csv"), judged(run)
        lines = [line for line in difflib.unified_diff(before.splitlines(), now.splitlines(), n=0, lineterm="")
                 if not line.startswith(("---", "+++", "@@"))]
        changes += len(lines)
        print("\n".join([f"{run}: {len(lines)} lines", *lines]))
        if lines and given.write:
            keep(run, "verdicts.csv", now)
    return 1 if changes and not given.write else 0


if __name__ == "__main__":
    sys.exit(main())
