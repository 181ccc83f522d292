"""
stored: which verdicts of the stored runs (tests/data) are others than the ones kept beside them.

usage: stored.py [--write]

Judges the rows of each run again by build/mlpboot-hosted and prints each verdict that changed, before and after. --write keeps
what is judged now. Exit status 1: there are differences, and they were not kept.
"""

import argparse
import difflib
import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def judged(rows):
    """The verdicts of packed rows, as text."""
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        file.write(gzip.decompress(rows.read_bytes()))
        file.flush()
        return subprocess.run([ROOT / "build/mlpboot-hosted", "analyze", file.name], check=True, text=True, capture_output=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.strip().partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="keep the verdicts of now")
    given, changes = parser.parse_args(), 0
    for kept in sorted((ROOT / "tests/data").glob("*/verdicts.csv.gz")):
        before, now = gzip.decompress(kept.read_bytes()).decode(), judged(kept.with_name("results.csv.gz"))
        lines = [line for line in difflib.unified_diff(before.splitlines(), now.splitlines(), n=0, lineterm="")
                 if not line.startswith(("---", "+++", "@@"))]
        changes += len(lines)
        print("\n".join([f"{kept.parent.name}: {len(lines)} lines", *lines]))
        if lines and given.write:
            kept.write_bytes(gzip.compress(now.encode(), mtime=0))
    return 1 if changes and not given.write else 0


if __name__ == "__main__":
    sys.exit(main())
