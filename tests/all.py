"""all: runs every kind of test, shows its output, and ends with one line of counts for each."""

import os
import re
import subprocess
import sys
import tempfile

# Kind, command, and how its output tells passed and failed; without patterns it is one test itself.
CMOCKA = (r"\[  PASSED  \] (\d+) test", r"\[  FAILED  \] (\d+) test")
NODE = (r"(?m)^# pass (\d+)", r"(?m)^# fail (\d+)")
PYTEST = (r"(\d+) passed", r"(\d+) (?:failed|error)")
# In one, since some of them keep one processor busy, and no more.
FIRST = ("format, shell, statics, names, words, walls, changes, compilers",
         ["make", "--keep-going", "--output-sync", "compile-both", "all", "check-warnings", "check-format",
          "check-shell", "check-statics", "check-names", "check-words", "walls", "check-changes", "modules"], None)
# Machines wait now and then: these use what they leave of the processors, and are shown after them.
BESIDE = [("unit", ["nice", "make", "unit"], CMOCKA), ("page", ["nice", "make", "page-tests"], NODE)]
MACHINES = ("machines", ["make", "machines"], PYTEST)


def command_of(words):
    return [*words, f"-j{os.cpu_count()}", "--no-print-directory"]


def show(words):
    """Runs a command with its output passed on as it comes: (what it said, whether it succeeded)."""
    process = subprocess.Popen(command_of(words), text=True, errors="replace", stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    said = []
    for line in process.stdout:
        sys.stdout.write(line)
        sys.stdout.flush()
        said.append(line)
    return "".join(said), process.wait() == 0


class Beside:
    """A command that runs while others are shown."""

    def __init__(self, words):
        self.said = tempfile.TemporaryFile("w+", errors="replace")
        self.process = subprocess.Popen(command_of(words), stdout=self.said, stderr=subprocess.STDOUT)

    def show(self):
        """Waits for its end, and passes its output on, as `show` does."""
        succeeded = self.process.wait() == 0
        self.said.seek(0)
        said = self.said.read()
        sys.stdout.write(said)
        return said, succeeded


def count(said, succeeded, patterns):
    """(passed, failed) of one kind; a kind that ended badly has failed at least once."""
    if patterns is None:
        return (1, 0) if succeeded else (0, 1)
    passed, failed = (sum(map(int, re.findall(pattern, said))) for pattern in patterns)
    if not succeeded or passed == 0:
        failed = max(failed, 1)
    return passed, failed


def main():
    kind, words, patterns = FIRST
    counts = [(kind, *count(*show(words), patterns))]
    beside = [(kind, Beside(words), patterns) for kind, words, patterns in BESIDE]
    machines, words, patterns = MACHINES
    of_machines = (machines, *count(*show(words), patterns))
    counts += [(kind, *count(*running.show(), patterns)) for kind, running, patterns in beside]
    counts.append(of_machines)
    print()
    for kind, passed, failed in counts:
        print(f"{kind}: {passed} passed, {failed} failed")
    passed, failed = (sum(row[i] for row in counts) for i in (1, 2))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
