"""all: runs every kind of test, shows its output, and ends with one line of counts for each."""

import os
import re
import subprocess
import sys

# Kind, command, and how its output tells passed and failed; without patterns it is one test itself.
CMOCKA = (r"\[  PASSED  \] (\d+) test", r"\[  FAILED  \] (\d+) test")
NODE = (r"(?m)^# pass (\d+)", r"(?m)^# fail (\d+)")
PYTEST = (r"(\d+) passed", r"(\d+) (?:failed|error)")
STEPS = [
    # In one, since some of them keep one processor busy, and no more.
    ("format, shell, statics, names, walls, changes, compilers",
     ["make", "--keep-going", "--output-sync", "compile-both", "all", "check-warnings", "check-format",
      "check-shell", "check-statics", "check-names", "walls", "check-changes", "modules"], None),
    ("unit", ["make", "unit"], CMOCKA),
    ("page", ["make", "page-tests"], NODE),
    ("machines", ["make", "machines"], PYTEST),
]


def show(command):
    """Runs a command with its output passed on as it comes: (what it said, whether it succeeded)."""
    process = subprocess.Popen([command[0], f"-j{os.cpu_count()}", "--no-print-directory",
                                *command[1:]], text=True, errors="replace",
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = []
    for line in process.stdout:
        sys.stdout.write(line)
        sys.stdout.flush()
        said.append(line)
    return "".join(said), process.wait() == 0


def count(said, succeeded, patterns):
    """(passed, failed) of one kind; a kind that ended badly has failed at least once."""
    if patterns is None:
        return (1, 0) if succeeded else (0, 1)
    passed, failed = (sum(map(int, re.findall(pattern, said))) for pattern in patterns)
    if not succeeded or passed == 0:
        failed = max(failed, 1)
    return passed, failed


def main():
    counts = []
    for kind, command, patterns in STEPS:
        said, succeeded = show(command)
        counts.append((kind, *count(said, succeeded, patterns)))
    print()
    for kind, passed, failed in counts:
        print(f"{kind}: {passed} passed, {failed} failed")
    passed, failed = (sum(row[i] for row in counts) for i in (1, 2))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
