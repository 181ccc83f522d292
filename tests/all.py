"""all: runs every kind of test, shows its output, and ends with one line of counts for each."""

import os
import re
import subprocess
import sys
import tempfile

# Kind, command, and how its output tells passed, failed and skipped; without patterns it is one test itself, and each
# line of it that begins with "skipped:" is another.
CMOCKA = (r"\[  PASSED  \] (\d+) test", r"\[  FAILED  \] (\d+) test", r"\[  SKIPPED \] (\d+) test")
NODE = (r"(?m)^# pass (\d+)", r"(?m)^# fail (\d+)", r"(?m)^# skipped (\d+)")
PYTEST = (r"(\d+) passed", r"(\d+) (?:failed|error)", r"(\d+) skipped")
# How each of them tells the reason of a skip.
REASON = r"(?m)^(?:skipped: .*|SKIPPED \[\d+\] .*|\[  SKIPPED \] \D.*|ok .* # SKIP .*)$"
# In one, since some of them keep one processor busy, and no more.
FIRST = ("format, shell, statics, names, words, texts, walls, changes, compilers",
         ["make", "--keep-going", "--output-sync", "compile-both", "all", "check-warnings", "check-format",
          "check-shell", "lint", "check-statics", "check-names", "check-words", "check-texts", "walls", "check-changes"], None)
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
    """(passed, failed, skipped) of one kind; a kind that ended badly has failed at least once."""
    if patterns is None:
        return int(succeeded), int(not succeeded), len(re.findall(r"(?m)^skipped: ", said))
    passed, failed, skipped = (sum(map(int, re.findall(pattern, said))) for pattern in patterns)
    if not succeeded or passed == 0:
        failed = max(failed, 1)
    return passed, failed, skipped


def main():
    kind, words, patterns = FIRST
    shown = [(kind, show(words), patterns)]
    beside = [(kind, Beside(words), patterns) for kind, words, patterns in BESIDE]
    machines, words, patterns = MACHINES
    of_machines = (machines, show(words), patterns)
    shown += [(kind, running.show(), patterns) for kind, running, patterns in beside]
    shown.append(of_machines)
    print()
    totals = [0, 0, 0]
    for kind, (said, succeeded), patterns in shown:
        counts = count(said, succeeded, patterns)
        totals = [total + one for total, one in zip(totals, counts)]
        print("{}: {} passed, {} failed, {} skipped".format(kind, *counts))
        for reason in sorted(set(re.findall(REASON, said))):
            print(f"  {reason}")
    print("{} passed, {} failed, {} skipped".format(*totals))
    return 1 if totals[1] else 0


sys.exit(main())
