"""
mutants: changes one token or statement of kernel/ or efi/ at a time and runs the tests that could see it.

usage: mutants.py [--sample N] [--seed N] [--all] [--jobs N] [--only PATH]... [--not PATH]... [--machines]

Each mutant is compiled alone and linked into those unit programs that come to its line; the first that fails
or takes too long kills it. One that does not compile, under -Werror too, is drawn again. One whose object,
as it is in the image, is the same byte for byte is equivalent and counted apart. With --machines, what
no unit kills is built into the image and booted, and files that no unit has are drawn from as well.

Everything happens on a copy of the tree, build/mutants/tree. What was found is kept beside it, so that a
run goes on where the last one was stopped: what was killed stays killed until its file changes, what survived
is tried again when anything has. Survivors that somebody has judged are in tests/mutants.csv and are not shown
again; its entries whose line is in no file any more are reported. Exit status 1: there are others, or such
entries.
"""

import argparse
import collections
import csv
import filecmp
import functools
import hashlib
import itertools
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

from changes import apply, changed_line, changes_of, plain

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "mutants"
TREE = FOLDER / "tree"
JUDGED = ROOT / "tests" / "mutants.csv"

COPIED = ["Makefile", "efi", "images", "kernel", "linker", "tests"]
MUTATED = ["kernel", "efi"]
LIBRARY = "build/unit-objects/library.a"  # all that the units are made of
INCLUDED = re.compile(r'(?m)^#include "(.*\.c)"')  # by a unit that is to see what is static in there

# Tests of the image, for --machines: a whole run and its files, a fault on the way, what the processors'
# registers are before and after, a reset with a run resumed, and a disk that fails. Those that measure for
# long are left out.
MACHINE_TESTS = [
    "test_boot.py::test_conditions_say_what_was_measured",
    "test_faults.py::test_a_fault_is_told_and_survived",
    "test_watch.py::test_a_run_leaves_all_as_it_was_and_never_runs_what_can_be_written",
    "test_cores.py::test_a_fault_on_another_core_leaves_all_as_it_was",
    "test_boots.py::test_configurations_of_a_directory_and_a_reset_in_the_second",
    "test_bad_disks.py::test_a_disk_that_fails_when_it_has_saved_something",
]

# A mutant may take that many times as long as the original, and seconds besides; of processor time, and of
# a clock that goes on while others have the processor.
TIMES, SECONDS, WALL = 10, 5, 6
MACHINE_TIMEOUT = 900

Mutant = collections.namedtuple("Mutant", "path line change")
Source = collections.namedtuple("Source", "path text digest")

# --- running ----------------------------------------------------------------------------------------


def run(command, cpu=None, wall=None, cwd=TREE, environment={}):
    """Runs something in the copy of the tree: (whether it ended well, what it said, or None for too long)."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if cpu:
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + 1, int(cpu) + 2))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))

    environment = {**os.environ, "ASAN_OPTIONS": "hard_rss_limit_mb=4000", **environment}
    process = subprocess.Popen(command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, text=True,
                               errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               preexec_fn=limit, start_new_session=True)
    try:
        said, _ = process.communicate(timeout=wall)
        return process.returncode == 0, said
    except subprocess.TimeoutExpired:
        return False, None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def make(*arguments):
    succeeded, said = run(["make", "--no-print-directory", *arguments])
    if not succeeded:
        sys.exit(f"make {' '.join(arguments)} failed in {TREE}:\n{said[-3000:]}")
    return said


def put(text, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def copy_tree():
    """Brings the copy to the state of the tree; files that are the same are left alone."""
    wanted = set()
    for path in itertools.chain(*([ROOT / name, *(ROOT / name).rglob("*")] for name in COPIED)):
        copy = TREE / path.relative_to(ROOT)
        if path.is_dir() or "__pycache__" in path.parts:
            continue
        wanted.add(copy)
        if not copy.exists() or not filecmp.cmp(path, copy, shallow=False):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    for copy in itertools.chain(*((TREE / name).rglob("*") for name in COPIED)):
        if not copy.is_dir() and copy not in wanted:
            copy.unlink()


def commands_of(said):
    """The words of each compiler's call in what make says; a line may do other things before it."""
    return [shlex.split(line.rsplit("&& ", 1)[-1]) for line in said.splitlines() if " -o build/" in line]


def object_of(path, kind):
    return f"build/{kind}/{Path(path).with_suffix('.o')}"


class Units:
    """The unit programs in the copy: how each is linked, how long it takes, what it comes to."""

    def __init__(self, sources, jobs):
        self.jobs = jobs
        self.names = sorted(path.name[len("test_"):-len(".c")] for path in (TREE / "tests/unit").glob("test_*.c"))
        programs = [f"build/unit/{name}" for name in self.names]
        print(f"building {len(programs)} unit programs in {TREE.relative_to(ROOT)}", flush=True)
        make(f"-j{jobs}", "build/unit-objects/library.a", *(
            f"build/unit-objects/tests/unit/{path.stem}.o" for path in (TREE / "tests/unit").glob("*.c")))
        self.read_commands(sources, programs)
        self.start(everything(sources))

    def read_commands(self, sources, programs):
        """How make would compile each source, for the units and for the image, and link each unit."""
        shutil.rmtree(TREE / "build/unit", ignore_errors=True)
        tests = [str(path.relative_to(TREE)) for path in (TREE / "tests/unit").glob("test_*.c")]
        objects = [object_of(path, "unit-objects") for path in [*sources, *tests]]
        objects += [object_of(path, "efi") for path in sources]
        said = make("-n", "-k", *itertools.chain(*(("-W", path) for path in [*sources, *tests])), *objects, *programs)
        words = commands_of(said)
        self.compile = {line[-1]: line for line in words if "-c" in line}
        self.link = {line[line.index("-o") + 1]: line for line in words if LIBRARY in line}
        self.included = {test: {os.path.normpath(Path(test).parent / name) for name in INCLUDED.findall(
            (TREE / test).read_text())} for test in tests}

    def start(self, state):
        """What the programs do unmutated, unless that is known already."""
        known = FOLDER / "units.json"
        kept = json.loads(known.read_text()) if known.exists() else {}
        if kept.get("state") != state:
            print("running them, to see what each takes and comes to", flush=True)
            make(f"-j{self.jobs}", "FLAVOUR=unit-coverage", *(f"build/unit-coverage/{name}" for name in self.names))
            shutil.rmtree(FOLDER / "coverage", ignore_errors=True)
            with ThreadPoolExecutor(self.jobs) as pool:
                found = list(pool.map(self.start_one, self.names))
            kept = {"state": state, "units": {name: result for name, result in zip(self.names, found)}}
            known.write_text(json.dumps(kept))
        self.units = kept["units"]

    def start_one(self, name):
        """Seconds, and which lines it comes to."""
        program = f"build/unit/{name}"
        (TREE / program).parent.mkdir(exist_ok=True)
        linked, said = run(self.link[program])
        if not linked:
            sys.exit(f"{program} does not link:\n{said}")
        start = time.monotonic()
        ended_well, said = run([f"./{program}"])
        if not ended_well:
            sys.exit(f"{program} fails without any change:\n{(said or '')[-3000:]}")
        seconds = time.monotonic() - start
        (TREE / program).unlink()
        return {"seconds": seconds, "reached": self.reached(name)}

    def reached(self, name):
        """Of each file the lines with code that the unit program comes to, and those that it does not."""
        counts = FOLDER / "coverage" / name
        run([f"./build/unit-coverage/{name}"], environment={"GCOV_PREFIX": str(counts)})
        copies = list(counts.rglob("*.gcda"))
        for copy in copies:
            notes = copy.with_suffix(".gcno")
            notes.symlink_to("/" / notes.relative_to(counts))
        _, said = run(["gcov", "--json-format", "--stdout", *map(str, copies)])
        shutil.rmtree(counts, ignore_errors=True)
        lines = collections.defaultdict(lambda: ([], []))
        for document in map(json.loads, filter(lambda line: line.startswith("{"), said.splitlines())):
            for file in document["files"]:
                if file["file"].startswith(tuple(MUTATED)):
                    for line in file["lines"]:
                        lines[file["file"]][line["count"] == 0].append(line["line_number"])
        return lines

    def has(self, path):
        """Whether any unit comes to that file."""
        return any(path in unit["reached"] for unit in self.units.values())

    def users_of(self, mutant):
        """Those that come to its line, or where that has no code of its own, to its function, or to any of the
        file if it is in none: first the file's own, then from the quickest on."""
        around = next((set(lines) for lines in self.functions(mutant.path) if mutant.line in lines), None)

        def comes_to(reached, passed):
            if mutant.line in reached or mutant.line in passed:
                return mutant.line in reached
            return bool(reached if around is None else around.intersection(reached))

        names = [name for name in self.names
                 if comes_to(*self.units[name]["reached"].get(mutant.path, ((), ())))]
        return sorted(names, key=lambda name: (name != Path(mutant.path).stem, self.units[name]["seconds"]))

    @functools.lru_cache(maxsize=None)
    def functions(self, path):
        """The lines of each of its functions: by the layout, a brace in the first column begins and ends one."""
        ranges, start = [], None
        for number, line in enumerate((TREE / path).read_text().split("\n"), 1):
            if line == "{":
                start = number
            elif line.startswith("}") and start:
                ranges.append(range(start, number + 1))
                start = None
        return ranges


class Tries:
    """What became of each mutant that was ever tried, kept in a file."""

    def __init__(self, sources, machines):
        self.path = FOLDER / "tried.jsonl"
        self.lock = threading.Lock()
        self.everything = everything(sources)
        self.machines = machines and digest_of(*MACHINE_TESTS, *(
            path.read_bytes() for path in sorted((TREE / "tests/machines").glob("*.py"))))
        self.kept = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                entry = json.loads(line)
                self.kept[entry["key"]] = entry

    def key(self, source, mutant):
        return digest_of(source.path, source.digest, *map(str, mutant.change))

    def known(self, source, mutant):
        """The entry, if it still holds."""
        entry = self.kept.get(self.key(source, mutant))
        if entry and entry["result"] == "survived" and (
                entry["everything"] != self.everything or self.machines not in (False, entry["machines"])):
            return None
        return entry

    def keep(self, source, mutant, result, by):
        entry = {"key": self.key(source, mutant), "result": result, "by": by, "machines": self.machines,
                 "everything": self.everything, "path": source.path, "line": mutant.line}
        with self.lock, open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
        return entry


def everything(sources):
    """A digest of all that units are made of."""
    return digest_of(*(source.digest for source in sources.values()), *(
        path.read_bytes() for top in ("kernel", "efi", "tests") for path in sorted((TREE / top).rglob("*.[ch]"))))


def digest_of(*parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode() if isinstance(part, str) else part)
        digest.update(b"\0")
    return digest.hexdigest()[:24]


class Trial:
    """Tries mutants: compiles, compares, links, runs."""

    def __init__(self, sources, units, machines):
        self.sources, self.units, self.machines = sources, units, machines
        self.machine = threading.Lock()
        self.image = {}  # path: the object of the unchanged source
        if machines:
            print("booting the image as it is", flush=True)
            make("build/watch.efi", "build/mlpboot-hosted")
            how = self.booted()
            if how:
                sys.exit(f"{how} fails without any change")

    def compiled(self, path, kind, folder):
        """The object of a source that is in a folder as it is in the tree, by make's command; None: it does not
        compile. What it includes is there, or else in the tree."""
        command = list(self.units.compile[object_of(path, kind)])
        result = folder / object_of(path, kind)
        result.parent.mkdir(parents=True, exist_ok=True)
        command[command.index("-c") + 1] = str(folder / path)
        command[-1] = str(result)
        around = [word for include in [path, *self.units.included.get(path, ())]
                  for word in ("-iquote", str(Path(include).parent))]
        succeeded, _ = run([*command, "-g0", *around],
                           environment={"CCACHE_DISABLE": "1"})  # nothing of a mutant is worth keeping
        return result if succeeded else None

    def original(self, path):
        """The image's object of the unchanged source."""
        if path not in self.image:
            folder = FOLDER / "originals"
            put(self.sources[path].text, folder / path)
            self.image[path] = self.compiled(path, "efi", folder).read_bytes()
        return self.image[path]

    def attempt(self, mutant):
        """What becomes of a mutant, and by whom. Most are killed, so whether it is one at all comes last."""
        source = self.sources[mutant.path]
        folder = FOLDER / "jobs" / str(threading.get_ident())
        shutil.rmtree(folder, ignore_errors=True)
        put(apply(source.text, mutant.change), folder / mutant.path)
        for name in self.units.users_of(mutant):
            linked = self.linked(name, mutant, folder)
            how = self.kills(name, folder) if linked else None
            if how or not linked:
                return ("killed", how) if linked else ("broken", "")
        changed = self.compiled(mutant.path, "efi", folder)
        if changed is None:
            return "broken", ""
        if changed.read_bytes() == self.original(mutant.path):
            return "equivalent", ""
        with self.machine:
            how = self.boot(mutant, source) if self.machines else None
        return ("killed", how) if how else ("survived", "")

    def linked(self, name, mutant, folder):
        """Makes that unit program with the change in it. False: it does not compile."""
        test = f"tests/unit/test_{name}.c"
        command = list(self.units.link[f"build/unit/{name}"])
        command[command.index("-o") + 1] = str(folder / name)
        path = test if mutant.path in self.units.included[test] else mutant.path
        if not (folder / path).exists():
            put((TREE / path).read_text(), folder / path)
        changed = folder / object_of(path, "unit-objects")
        if not changed.exists() and self.compiled(path, "unit-objects", folder) is None:
            return False
        if path == test:
            command[command.index(object_of(test, "unit-objects"))] = str(changed)
        else:
            command.insert(command.index(LIBRARY), str(changed))
        succeeded, said = run(command)
        if not succeeded:
            sys.exit(f"{name} does not link with {changed}:\n{said}")
        return True

    def kills(self, name, folder):
        """How that unit program ends; None: well."""
        allowed = TIMES * self.units.units[name]["seconds"] + SECONDS
        ended_well, said = run([str(folder / name)], cpu=allowed, wall=WALL * allowed)
        if not ended_well and said is not None:  # once more: what fails now and then kills nobody
            ended_well, said = run([str(folder / name)], cpu=allowed, wall=WALL * allowed)
        (folder / name).unlink()
        return None if ended_well else name if said is not None else f"{name} (takes too long)"

    def boot(self, mutant, source):
        """How the image ends in QEMU with the change in it, made in the copy; None: well."""
        path = TREE / source.path
        path.write_text(apply(source.text, mutant.change))
        try:
            return self.booted()
        finally:
            path.write_text(source.text)

    @staticmethod
    def booted():
        """The first test of the image that fails; None: they pass."""
        built, _ = run(["make", "--no-print-directory", "build/mlpboot.img"])
        if not built:
            return "image (does not link)"
        for _ in range(2):  # what fails now and then kills nobody
            passed, said = run(["/usr/bin/python3", "-B", "-m", "pytest", "-q", "-x", *MACHINE_TESTS],
                               wall=MACHINE_TIMEOUT, cwd=TREE / "tests/machines")
            if passed:
                return None
            if said is None:
                return "image (takes too long)"
        failed = re.search(r"(?m)^(?:FAILED|ERROR) (\S+)", said)
        return failed[1] if failed else sys.exit(f"the tests of the image cannot be run:\n{said[-3000:]}")


# --- which, and what is said of them ----------------------------------------------------------------


def read_sources():
    sources = {}
    for top in MUTATED:
        for path in sorted((TREE / top).rglob("*.c")):
            name, text = str(path.relative_to(TREE)), path.read_text(encoding="utf-8")
            sources[name] = Source(name, text, digest_of(text))
    return sources


def drawn(sources, paths, seed, every):
    """Mutants in a random order: any line that can be changed is as likely as any other, then each of its
    changes. All of them, if asked to, as they are in the files. The order is that of a digest of what each line
    says, so that a seed draws the same mutants again wherever nobody has changed their lines."""
    lines = []
    for path in paths:
        text = sources[path].text
        written, alike = text.splitlines(), collections.Counter()
        of_line = collections.defaultdict(list)
        for change in changes_of(text):
            of_line[change.line].append(Mutant(path, change.line, change))
        for number, mutants in of_line.items():
            words = written[number - 1]
            lines.append((digest_of(str(seed), path, words, str(alike[words])), mutants))
            alike[words] += 1
    if every:
        yield from itertools.chain(*(mutants for _, mutants in lines))
        return
    lines.sort()
    chances = [random.Random(order) for order, _ in lines]
    while any(mutants for _, mutants in lines):
        for chance, (_, mutants) in zip(chances, lines):
            if mutants:
                yield mutants.pop(chance.randrange(len(mutants)))


class Judgements:
    """The survivors that somebody has judged."""

    def __init__(self, sources):
        with open(JUDGED, encoding="utf-8", newline="") as file:
            self.rows = list(csv.DictReader(file))
        self.of = {(row["file"], row["line"], row["change"]): row["judgement"] for row in self.rows}
        texts = {path: plain(source.text) for path, source in sources.items()}
        self.stale = [row for row in self.rows if row["line"] not in texts.get(row["file"], "")]

    def find(self, source, mutant):
        return self.of.get((source.path, *changed_line(source.text, mutant.change)))


def folder_of(path):
    return str(Path(path).parent)


class Report:
    """Counts as they come, and the end."""

    def __init__(self, sources, wanted):
        self.sources, self.wanted = sources, wanted
        self.counts = collections.defaultdict(collections.Counter)
        self.survivors = []
        self.valid = self.broken = 0

    def add(self, mutant, result, by):
        if result == "broken":
            self.broken += 1
            return
        self.valid += result != "equivalent"
        self.counts[folder_of(mutant.path)][result] += 1
        print(f"{self.valid:5}{f'/{self.wanted}' if self.wanted else ''} {result:10} "
              f"{mutant.path}:{mutant.line} {by}", flush=True)
        if result == "survived":
            self.survivors.append(mutant)
            self.show_change(mutant)

    def show_change(self, mutant):
        lines = changed_line(self.sources[mutant.path].text, mutant.change)
        print("".join(f"  {sign} {line}\n" for sign, line in zip("-+", lines)), end="", flush=True)

    def show(self, stale, unseen):
        columns = ["killed", "survived", "judged", "equivalent"]
        print(f"\n{'folder':24}{'mutants':>10}" + "".join(f"{name:>12}" for name in columns) + f"{'rate':>8}")
        total = collections.Counter()
        for folder, counts in sorted(self.counts.items()):
            self.show_row(folder, counts, columns)
            total.update(counts)
        self.show_row("all", total, columns)
        print(f"{self.broken} more did not compile; rate: killed, of those that are not equivalent")
        if unseen:
            print(f"{len(unseen)} files are in no unit and were left out: MACHINES=1 boots theirs")
        for mutant in sorted(self.survivors):
            print(f"\n{mutant.path}:{mutant.line}")
            self.show_change(mutant)
        for row in stale:
            print(f"\nstale: {row['file']} has no line \"{row['line']}\" any more")

    @staticmethod
    def show_row(name, counts, columns):
        tried = sum(counts.values()) - counts["equivalent"]
        rate = f"{100 * counts['killed'] / tried:.0f} %" if tried else ""
        print(f"{name:24}{tried:10}" + "".join(f"{counts[column]:12}" for column in columns) + f"{rate:>8}")


def try_all(mutants, given, sources, trial, tries, judgements, report):
    """Keeps the jobs busy until there are as many as wanted, or no more."""
    def one(mutant):
        source = sources[mutant.path]
        if judgements.find(source, mutant):
            return mutant, "judged", ""
        entry = tries.known(source, mutant)
        if entry is None:
            entry = tries.keep(source, mutant, *trial.attempt(mutant))
        return mutant, entry["result"], entry["by"]

    with ThreadPoolExecutor(given.jobs) as pool:
        running = set()
        while given.all or report.valid < given.sample:
            room = given.jobs if given.all else min(given.jobs, given.sample - report.valid)
            running |= {pool.submit(one, mutant)
                        for mutant in itertools.islice(mutants, max(room - len(running), 0))}
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                report.add(*future.result())


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--not", action="append", default=[], dest="without")
    parser.add_argument("--machines", action="store_true")
    return parser.parse_args()


def main():
    given = options()
    copy_tree()
    sources = read_sources()
    units = Units(sources, given.jobs)
    asked_for = [path for path in sources if path.startswith(tuple(given.only or [""]))
                 and not (given.without and path.startswith(tuple(given.without)))]
    unseen = [path for path in asked_for if not units.has(path)]
    paths = asked_for if given.machines else [path for path in asked_for if path not in unseen]
    judgements = Judgements(sources)
    report = Report(sources, 0 if given.all else given.sample)
    trial = Trial(sources, units, given.machines)
    try_all(drawn(sources, paths, given.seed, given.all), given, sources, trial, Tries(sources, given.machines),
            judgements, report)
    report.show(judgements.stale, [] if given.machines else unseen)
    return 1 if report.survivors or judgements.stale else 0


if __name__ == "__main__":
    sys.exit(main())
