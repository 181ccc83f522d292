"""
constants: which numeric constants of the judging matter: each is halved and doubled, and stored rows are judged again.

usage: constants.py [--count] [--only NAME...] [--rows DIR --cores N --seed N] [--out FILE]

A constant is a line `#define NAME number` of kernel/experiments, kernel/analysis or kernel/engine; --count prints how many there
are, and how many of them have decimals. Of those, the ones in rules, in the analysis and in what decides are tried: in a copy
of the tree, build/constants/tree, which is built anew for each. A line is printed for each: its value, and how many of the
verdicts on the stored runs (tests/data, images/data) and on the rows that `coverage.py --rows DIR` kept are others then; of the latter's
`ok` also how many are wrong. Where no stored row has its case, the unit tests are to fail. --out keeps the lines as a table.
Exit status 1: some changed nothing, or do not build.
"""

import argparse
import csv
import re
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/machines"))
from stored_runs import FOLDERS, stored_text  # noqa: E402

FOLDER = ROOT / "build" / "constants"
TREE = FOLDER / "tree"
ROOMS = ["kernel/experiments", "kernel/analysis", "kernel/engine"]
JUDGING = re.compile(r"kernel/analysis/|_rule\.[ch]$|/cache_levels\.[ch]$|kernel/experiments/[a-z]+\.[ch]$")
LINE = re.compile(r"(?m)^#define (\w+) +(\(?[-\d.][\w.() <*+/-]*?)(?= *(?:/\*|$))")
DECIMALS = re.compile(r"\d\.\d|\de-")

Constant = namedtuple("Constant", "path name value")


def constants(root=ROOT):
    found = []
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.[ch]")):
            for line in LINE.finditer(path.read_text()):
                found.append(Constant(str(path.relative_to(root)), line[1], line[2]))
    return found


def changed(value, factor):
    """Half a number, or twice as much; a whole one stays whole."""
    if DECIMALS.search(value):
        return f"(({value}) * {factor})"
    return f"(({value}) / 2)" if factor < 1 else f"(({value}) * 2)"


def units_of(stem):
    """The targets of units that have a source's name: they are to see its constants, and are soon made."""
    name = stem.removesuffix("_rule")
    return [f"run-{unit}" for unit in sorted(path.stem.removeprefix("test_") for path in (ROOT / "tests/unit").glob("test_*.c"))
            if unit.startswith(name) or name.startswith(unit.removesuffix("_rule"))]


def make(target):
    done = subprocess.run(["make", "-s", "-j2", "INSTALL=skip", target], cwd=TREE, capture_output=True, text=True)
    return done.returncode == 0


def judge(files):
    """All verdicts of the files, but for their words."""
    verdicts = {}
    for path in files:
        said = subprocess.run(["build/mlpboot-hosted", "analyze", path], cwd=TREE, capture_output=True, text=True, timeout=300)
        for row in csv.DictReader(said.stdout.splitlines()):
            key = (path.name, row["experiment"], row["case"], row["name"], row["unit"])
            verdicts[key] = (row["status"], row["reason"], row["value"], row["low"], row["high"])
    return verdicts


def wrong_ones(given):
    """How many answers on the kept cores are ok and wrong."""
    if not given.rows:
        return None
    said = subprocess.run([sys.executable, "-B", "tests/coverage.py", "--cores", str(given.cores), "--seed", str(given.seed),
                           "--rows", given.rows], cwd=TREE, capture_output=True, text=True).stdout
    total = re.search(r"(?m)^total +\d+ +\d+ +\d+ +\d+ +\d+ +\d+ +(\d+)", said)
    return int(total[1]) if total else None


def stored_rows(given):
    FOLDER.mkdir(parents=True, exist_ok=True)
    files = []
    for run in FOLDERS:
        files.append(FOLDER / f"{run}.csv")
        files[-1].write_text(stored_text(run, "results.csv"))
    return files + (sorted(given.rows.glob("*.csv"))[:4 * given.cores] if given.rows else [])


def copy_tree():
    for name in ("Makefile", "efi", "kernel", "linker", "images", "tests"):
        source, copy = ROOT / name, TREE / name
        if source.is_dir():
            shutil.copytree(source, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            TREE.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy)


def try_constant(constant, before, files, given):
    """[verdicts changed by half, by twice], [wrong ones by each], whether units fail, where no verdict changes; "-": not built."""
    path, text = TREE / constant.path, (ROOT / constant.path).read_text()
    changes, wrong, failed = [], [], None

    def put(factor):
        path.write_text(re.sub(rf"(?m)^(#define {constant.name} +){re.escape(constant.value)}",
                               lambda line: line[1] + changed(constant.value, factor), text, count=1))

    for factor in (0.5, 2):
        put(factor)
        after = judge(files) if make("build/mlpboot-hosted") else None
        changes.append("-" if after is None else sum(before.get(key) != after.get(key) for key in before.keys() | after.keys()))
        wrong.append(wrong_ones(given) if after is not None and changes[-1] else None)
    for factor in (2, 0.5) if changes == [0, 0] else ():
        if not failed:
            put(factor)
            failed = not all(make(target) for target in [*units_of(path.stem), "unit"])
    path.write_text(text)
    return changes, wrong, failed


def options():
    parser = argparse.ArgumentParser(description=__doc__.strip().partition("\n")[0])
    parser.add_argument("--count", action="store_true", help="only count them")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="constants of these names")
    parser.add_argument("--rows", type=lambda name: Path(name).resolve(), metavar="DIR", help="rows that coverage.py --rows kept")
    parser.add_argument("--cores", type=int, default=40, metavar="N", help="so many of those cores")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="their seed")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the table there")
    return parser.parse_args()


def main():
    given, every = options(), constants()
    print(f"{len(every)} numeric constants, {sum(bool(DECIMALS.search(c.value)) for c in every)} of them with decimals")
    if given.count:
        return 0
    tried = [c for c in every if JUDGING.search(c.path) and (not given.only or c.name in given.only)]
    copy_tree()
    if not make("build/mlpboot-hosted"):
        sys.exit("constants: the tree does not build: make build/mlpboot-hosted")
    files = stored_rows(given)
    before, idle, lines = judge(files), 0, []
    print(f"{len(tried)} are tried on {len(before)} verdicts of {len(files)} files; wrong before: {wrong_ones(given)}", flush=True)
    for constant in tried:
        changes, wrong, failed = try_constant(constant, before, files, given)
        idle += not failed and not any(isinstance(n, int) and n > 0 for n in changes)
        units = {None: "", False: "pass", True: "fail"}[failed]
        lines.append([constant.name, constant.path, constant.value, *changes, *wrong, units])
        print(f"{constant.name:24} {constant.value:14} half: {changes[0]!s:>5}  twice: {changes[1]!s:>5}  wrong: {wrong[0]}, {wrong[1]}  "
              f"{'units ' + units if units else ''}  {constant.path}", flush=True)
    if given.out:
        with open(given.out, "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(
                [["name", "file", "value", "changes_by_half", "changes_by_twice", "wrong_by_half", "wrong_by_twice", "units"], *lines])
    print(f"{idle} of {len(tried)} change nothing")
    return 1 if idle else 0


if __name__ == "__main__":
    sys.exit(main())
