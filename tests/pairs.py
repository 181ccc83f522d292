"""
pairs: pairs of runs of one machine, each compared; `mlpboot.pyz compare` is to find nothing different.

usage: pairs.py [--pairs N] [--on silicon|model] [--seed N] [--set KEY=VALUE]... [--cpu N] [--of FOLDER] [--keep FOLDER]

On silicon twice as many runs are made, one after the other, and each is compared with the next. On the model each
pair is of one core with its vices, drawn as tests/coverage.py draws them, but for the TLBs, which take long; the
two runs differ in what is random.
`--of` compares the runs that a folder holds, by their names, and makes none. `--keep` keeps what is made.

For each verdict: in how many pairs it was the same, different, could not be told apart (ok in both, or not), and
which were different. Exit status 1: something could not run, or more than 5 % of what was compared was different,
of all pairs together or of one of them (of one, a single verdict is let pass).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import coverage

ROOT = Path(__file__).resolve().parents[1]
HOSTED = ROOT / "build" / "mlpboot-hosted"
TOOL = ROOT / "build" / "mlpboot.pyz"

MOST = 0.05  # of what is compared may be different
SILICON = "experiments=noise floor mlp structures tlb array"
MODEL = ["experiments=mlp structures array", "pages=2m", "array.loads=1", "array.bytes=1k-128m*2"]
COLUMNS = ["same", "different", "open", "not ok"]


# --- the runs -----------------------------------------------------------------------------------


def settings(given):
    return [word for each in given for word in ("--set", each)]


def run(command):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.strip()[-300:]}")


def silicon_pairs(given, folder):
    """One after the other, by `repeat`; they may not disturb each other."""
    cpu = ["--cpu", given.cpu] if given.cpu is not None else []
    command = [HOSTED, "repeat", "--runs", 2 * given.pairs, *cpu, "--out", folder,
               *settings([SILICON, f"seed={given.seed}", *given.set])]
    if subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL).returncode != 0:
        raise RuntimeError("repeat: a run failed")
    return pairs_of(folder)


def model_run(given, folder, number, which, core):
    """The model's own random numbers are others, too."""
    seed = 2 * number + which
    items = ",".join(f"{key}={value}" for key, value in {"counters": 0, **core, "seed": seed}.items())
    path = folder / f"{seed:04}"
    run([HOSTED, "run", "--platform", f"model:{items}", "--out", path,
         *settings([*MODEL, f"seed={seed}", *given.set])])
    return path


def model_pairs(given, folder):
    known = coverage.known_keys()
    drawn = (coverage.draw(given.seed, i, known, "all") for i in range(1, given.pairs + 1))
    cores = [{key: value for key, value in core.items() if not coverage.is_of_tlbs(key)} for core in drawn]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [[pool.submit(model_run, given, folder, i, which, core) for which in (0, 1)]
                for i, core in enumerate(cores, 1)]
        pairs = []
        for number, (a, b) in enumerate(jobs, 1):
            pairs.append((a.result(), b.result()))
            print(f"{number} of {len(jobs)} pairs", file=sys.stderr)
    return pairs


def pairs_of(folder):
    """Each with the next."""
    runs = sorted(path.parent for path in Path(folder).glob("*/verdicts.csv"))
    return list(zip(runs[::2], runs[1::2]))


# --- what compare says --------------------------------------------------------------------------


def compare(pair):
    done = subprocess.run([sys.executable, TOOL, "compare", "--json", *pair], capture_output=True, text=True)
    if not done.stdout:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)


def column_of(verdict):
    if verdict["outcome"] != "cannot be told apart":
        return verdict["outcome"]
    return "open" if verdict["low"] is not None else "not ok"


def report(answers, pairs):
    """Prints a line for each verdict, over all cases, and then what was different."""
    counts, different = defaultdict(Counter), []
    for answer, pair in zip(answers, pairs):
        for verdict in answer["verdicts"]:
            counts[verdict["experiment"], verdict["name"]][column_of(verdict)] += 1
            if verdict["outcome"] == "different":
                different.append((pair, verdict))
    print(f"{'verdict':36}" + "".join(f"{column:>11}" for column in COLUMNS))
    for (experiment, name), seen in counts.items():
        print(f"{experiment + ' ' + name:36}" + "".join(f"{seen[column]:11}" for column in COLUMNS))
    for (a, b), verdict in different:
        values = [" ".join(str(verdict[side][key]) for key in ("value", "low", "high")) for side in "ab"]
        print(f"different: {a.name} {b.name} {verdict['experiment']} {verdict['case']} {verdict['name']}: "
              f"{values[0]}; {values[1]} {verdict['unit']}")


def missed(answers, pairs):
    """What is more than it may be, in words."""
    compared = sum(answer["compared"] for answer in answers)
    different = sum(answer["different"] for answer in answers)
    free = sum(answer["different"] == 0 for answer in answers)
    print(f"\n{len(answers)} pairs, {compared} comparisons, {different} different "
          f"({100 * different / max(compared, 1):.2f} %); {free} pairs without any")
    for (a, b), answer in zip(pairs, answers):
        if answer["different"] > max(1, MOST * answer["compared"]):
            yield f"{a.name} and {b.name}: {answer['different']} of {answer['compared']} different"
    if compared == 0 or different > MOST * compared:
        yield f"{different} of {compared} different; accepted: 5 %, of one at least"


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--on", choices=["silicon", "model"], default="silicon")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--cpu", type=int)
    parser.add_argument("--of", type=Path)
    parser.add_argument("--keep", type=Path)
    return parser.parse_args()


def main():
    given = options()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        make = {"silicon": silicon_pairs, "model": model_pairs}[given.on]
        try:
            pairs = pairs_of(given.of) if given.of else make(given, folder)
            answers = [compare(pair) for pair in pairs]
        except RuntimeError as failure:
            print(f"could not run: {failure}", file=sys.stderr)
            return 1
    report(answers, pairs)
    bars = list(missed(answers, pairs))
    for bar in bars:
        print(f"more than 5 %: {bar}")
    return 1 if bars else 0


if __name__ == "__main__":
    sys.exit(main())
