"""
mutants: changes one token or statement of kernel/ or efi/ at a time and runs the tests that could see it.

usage: mutants.py [--sample N] [--seed N] [--all] [--jobs N] [--only PATH]... [--not PATH]... [--machines]

Each mutant is compiled alone and linked into those unit programs that have its object; the first that fails
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

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "mutants"
TREE = FOLDER / "tree"
JUDGED = ROOT / "tests" / "mutants.csv"

COPIED = ["Makefile", "efi", "images", "kernel", "linker", "tests"]
MUTATED = ["kernel", "efi"]

# Tests of the image, for --machines: a whole run and its files, a fault on the way, several processors, what
# the processor's registers are before and after, resets and resumed runs.
MACHINE_TESTS = ["test_boot.py::test_conditions_say_what_was_measured", "test_watch.py", "test_faults.py",
                 "test_cores.py", "test_boots.py"]

# A mutant may take that many times as long as the original, and seconds besides; of processor time, and of
# a clock that goes on while others have the processor.
TIMES, SECONDS, WALL = 10, 5, 6
MACHINE_TIMEOUT = 900

Mutant = collections.namedtuple("Mutant", "path line start end new")  # text[start:end] becomes `new`
Source = collections.namedtuple("Source", "path text digest")

# --- what can be changed --------------------------------------------------------------------------

TOKEN = re.compile(r"""
    (?P<skip>\s+|/\*.*?\*/|//[^\n]*)
  | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<number>(?:0[xX][0-9a-fA-F]+(?:\.[0-9a-fA-F]*)?(?:[pP][+-]?\d+)?|\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)[uUlLfF]*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<mark><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
""", re.X | re.S)

Token = collections.namedtuple("Token", "kind text start end line")

# What an operator between two values, or a word, may become.
BECOMES = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"],
    "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["|"],
    "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="], "%=": ["*="], "&=": ["|="], "|=": ["&="],
    "^=": ["|="], "<<=": [">>="], ">>=": ["<<="], "++": ["--"], "--": ["++"],
    "true": ["false"], "false": ["true"],
}
# Those that are something else where no blank is on both sides, which the sources' layout has.
SPACED = set("+-*&")

OPENING, CLOSING = "([{", ")]}"
TYPES = re.compile(r"(struct|enum|union|static|const|extern|typedef|void|char|bool|unsigned|signed|int|long|short"
                   r"|float|double|size_t|\w+_t|[A-Z][A-Z0-9_]*)$")
ENDS_LEFT = {"return", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
NOT_CALLED = {"if", "while", "for", "switch", "return", "sizeof", "__attribute__", "defined"}


def tokens_of(text):
    """The tokens that may be changed: not those of directives, but of what a macro stands for."""
    found, line, at = [], 1, 0
    while at < len(text):
        match = TOKEN.match(text, at)
        kind = match.lastgroup
        end = match.end()
        if match.group() == "#" and not text[text.rfind("\n", 0, at) + 1:at].strip():
            macro = re.compile(r"#\s*define\s+\w+(\([^)]*\))?").match(text, at)
            end = macro.end() if macro else re.compile(r"(\\\n|[^\n])*").match(text, at).end()
        elif kind != "skip":
            found.append(Token(kind, match.group(), at, end, line))
        line += text.count("\n", at, end)
        at = end
    return without(found, "__attribute__", "_Static_assert", "__asm__")


def without(tokens, *words):
    """Less what those words have in their parentheses."""
    left, depth, inside = [], 0, False
    for token in tokens:
        inside = inside or token.text in words
        if not inside:
            left.append(token)
        elif token.text in ("(", ")"):
            depth += 1 if token.text == "(" else -1
            inside = depth > 0
    return left


def partners(tokens):
    """The index of the closing bracket for that of each opening one, and the other way."""
    other, open_ones = {}, []
    for i, token in enumerate(tokens):
        if token.text in OPENING:
            open_ones.append(i)
        elif token.text in CLOSING and open_ones:
            other[i] = open_ones.pop()
            other[other[i]] = i
    return other


def numbers_near(token):
    if re.match(r"0[xX]|\d+[uUlL]*$", token.text):
        digits = token.text.rstrip("uUlL") if token.text[:2].lower() != "0x" else re.match(
            r"0[xX][0-9a-fA-F]+", token.text).group()
        suffix = token.text[len(digits):]
        if "." in suffix or "p" in suffix.lower():
            return
        value = int(digits, 0 if digits[:2].lower() == "0x" or digits == "0" else 10)
        for near in {value + 1, max(value - 1, 0)} - {value}:
            yield (hex(near) if digits[:2].lower() == "0x" else str(near)) + suffix
    else:
        yield f"({token.text} * 2)"
        yield f"({token.text} / 2)"


def arguments(tokens, other, opening):
    """(first, last) index of each argument of a call, by the index of its parenthesis."""
    start = i = opening + 1
    while i < other[opening]:
        if tokens[i].text in OPENING and i in other:
            i = other[i]
        elif tokens[i].text == ",":
            yield start, i - 1
            start = i + 1
        i += 1
    if start < other[opening]:
        yield start, other[opening] - 1


class Changes:
    """All mutants of one file."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.tokens = tokens_of(text)
        self.other = partners(self.tokens)
        self.found = []
        for i, token in enumerate(self.tokens):
            self.token(i, token)
            self.statement(i, token)
            self.call(i, token)

    def add(self, first, last, new):
        """The tokens from one index to another become something else, which may use the old as {}."""
        start, end = self.tokens[first].start, self.tokens[last].end
        new = new.replace("{}", self.text[start:end])
        line = self.tokens[first].line
        self.found.append(Mutant(self.path, line, start, end, new))

    def token(self, i, token):
        if token.kind == "number":
            for near in numbers_near(token):
                self.add(i, i, near)
        elif token.text in BECOMES and (token.text not in SPACED or self.is_spaced(token)):
            for new in BECOMES[token.text]:
                self.add(i, i, new)
        elif token.text == "!":
            self.add(i, i, "!!")
        elif token.text in ("-", "~") and i > 0 and not self.is_spaced(token):
            self.add(i, i, "+")
        elif token.text == "?":
            self.choice(i)

    def is_spaced(self, token):
        return self.text[token.start - 1].isspace() and self.text[token.end].isspace()

    def choice(self, i):
        """The condition before a question mark, turned round."""
        first = i
        while first > 0:
            before = self.tokens[first - 1]
            if before.text in CLOSING and first - 1 in self.other:
                first = self.other[first - 1]
            elif before.text in "([{,;:?}" or before.text in ENDS_LEFT:
                break
            else:
                first -= 1
        if first < i:
            self.add(first, i - 1, "!({})")

    def statement(self, i, token):
        if token.text in ("if", "while") and i + 1 in self.other:
            first, last = i + 2, self.other[i + 1] - 1
            self.add(first, last, "!({})")
            self.add(first, last, "({}) && false")
            if token.text == "if":
                self.add(first, last, "({}) || true")
        elif token.text == "return" and self.tokens[i + 1].text != ";":
            last = self.end_of(i) - 1
            if last > i and self.tokens[i + 1].text not in ("0", "NULL", "true", "false"):
                self.add(i + 1, last, "0")
                self.add(i + 1, last, "!({})")
        if self.starts_statement(i):
            self.dropped(i, token)

    def dropped(self, i, token):
        """A statement that is never done; what it names is still used."""
        follows = self.tokens[min(i + 1, len(self.tokens) - 1)].text
        if token.text in ("break", "continue", "return"):
            self.add(i, self.end_of(i), "while (false) {}" if token.text == "return" else "(void)0;")
        elif token.kind == "word" and (follows in ("(", "=", "[", "->", ".", "++", "--") or follows[-1] == "=") \
                and token.text not in NOT_CALLED and token.text not in ("do", "else"):
            self.add(i, i, "while (false) {}")
        elif token.text in ("*", "(", "++", "--"):
            self.add(i, i, "while (false) {}")

    def starts_statement(self, i):
        """In a function's body; there, declarations apart, which have a type in front."""
        if i == 0:
            return False
        before = self.tokens[i - 1]
        if before.text == ")" and i - 1 in self.other:
            return self.tokens[self.other[i - 1] - 1].text in ("if", "while", "for", "switch")
        is_label = before.text == ":" and self.text[before.end] == "\n"
        return (is_label or before.text in (";", "{", "}", "else")) and not self.in_parentheses(i)

    def in_parentheses(self, i):
        """Such as the semicolons of `for`; and values in braces are not statements."""
        while i > 0:
            i -= 1
            if self.tokens[i].text in CLOSING and i in self.other:
                i = self.other[i]
            elif self.tokens[i].text in "([":
                return True
            elif self.tokens[i].text == "{":
                return self.tokens[i - 1].text in ("=", ",", "(", "{")
        return True

    def end_of(self, i):
        """The index of the semicolon that ends the statement; what a macro stands for may have none."""
        start = i
        while i < len(self.tokens) and self.tokens[i].text != ";":
            i = self.other[i] + 1 if self.tokens[i].text in OPENING else i + 1
        return i if i < len(self.tokens) else start

    def call(self, i, token):
        """Two arguments side by side that change places; the compiler refuses other types."""
        if token.kind != "word" or token.text in NOT_CALLED or i + 1 not in self.other \
                or self.tokens[i + 1].text != "(":
            return
        given = list(arguments(self.tokens, self.other, i + 1))
        if any(len([t for t in self.tokens[first:last + 1] if t.kind in ("word", "mark")]) > 1
               and TYPES.match(self.tokens[first].text) for first, last in given):
            return  # a declaration
        for (a, b), (c, d) in itertools.pairwise(given):
            left, right = (self.text[self.tokens[x].start:self.tokens[y].end] for x, y in ((a, b), (c, d)))
            if left != right and self.tokens[a].line == self.tokens[d].line:
                self.add(a, d, f"{right}, {left}".replace("{}", "{ }"))


def apply(text, mutant):
    return text[:mutant.start] + mutant.new + text[mutant.end:]


def plain(text):
    return " ".join(text.split())


def changed_line(source, mutant):
    """(the line as it is, as it is then); all that the change is on, as one, if there are several."""
    first = source.text.rfind("\n", 0, mutant.start) + 1
    last = source.text.find("\n", mutant.end)
    old, behind = source.text[first:last], source.text[mutant.end:last]
    return plain(old), plain(source.text[first:mutant.start] + mutant.new + behind)


# --- running ----------------------------------------------------------------------------------------


def run(command, cpu=None, wall=None, cwd=TREE):
    """Runs something in the copy of the tree: (whether it ended well, what it said, or None for too long)."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if cpu:
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + 1, int(cpu) + 2))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))

    environment = {**os.environ, "ASAN_OPTIONS": "hard_rss_limit_mb=4000"}
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


def copy_tree():
    """Brings the copy to the state of the tree; files that are the same keep their times."""
    TREE.mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        subprocess.run(["cp", "-a", "--update", ROOT / name, TREE], check=True)
    kept = {path.relative_to(ROOT) for name in COPIED for path in [ROOT / name, *(ROOT / name).rglob("*")]}
    for name in COPIED:
        for path in (TREE / name).rglob("*"):
            if path.relative_to(TREE) not in kept and not path.is_dir():
                path.unlink()


class Units:
    """The unit programs in the copy: how each is linked, which objects it has, how long it takes."""

    def __init__(self, sources, jobs):
        self.jobs = jobs
        tests = sorted(path.name[len("test_"):-len(".c")] for path in (TREE / "tests/unit").glob("test_*.c"))
        programs = [f"build/unit/{name}" for name in tests]
        print(f"building {len(programs)} unit programs in {TREE.relative_to(ROOT)}", flush=True)
        make(f"-j{jobs}", "build/unit-objects/library.a", *(
            f"build/unit-objects/tests/unit/{path.stem}.o" for path in (TREE / "tests/unit").glob("*.c")))
        self.read_commands(sources, programs)
        self.start()

    def read_commands(self, sources, programs):
        """How make would compile each source, for the units and for the image, and link each unit."""
        shutil.rmtree(TREE / "build/unit", ignore_errors=True)
        objects = [f"build/{kind}/{Path(path).with_suffix('.o')}" for kind in ("unit-objects", "efi")
                   for path in sources]
        said = make("-n", "-k", *itertools.chain(*(("-W", path) for path in sources)), *objects, *programs)
        words = [shlex.split(line) for line in said.splitlines() if re.match(r"\S+ .* -o build/|rm -f \S+library.a", line)]
        self.compile = {line[-1]: line for line in words if line[-4:-3] == ["-c"]}
        library = next(line for line in words if line[0] == "rm")
        members = library[library.index("qcs") + 2:]
        archive = "all.a"
        (TREE / archive).unlink(missing_ok=True)
        subprocess.run(["ar", "qcsT", archive, *members], cwd=TREE, check=True)
        self.link = {line[line.index("-o") + 1]: [archive if word == library[2] else word for word in line]
                     for line in words if any(word.endswith("library.a") for word in line) and line[0] != "rm"}

    def start(self):
        """Links and runs each unmutated, which tells what it has and what it takes."""
        self.users = collections.defaultdict(list)  # object: programs
        self.seconds = {}
        with ThreadPoolExecutor(self.jobs) as pool:
            for program, objects, seconds in pool.map(self.start_one, self.link):
                self.seconds[program] = seconds
                for name in objects:
                    self.users[name].append(program)

    def start_one(self, program):
        (TREE / program).parent.mkdir(parents=True, exist_ok=True)
        linked, said = run([*self.link[program], "-Wl,--trace"])
        if not linked:
            sys.exit(f"{program} does not link:\n{said}")
        start = time.monotonic()
        ended_well, shown = run([f"./{program}"])
        if not ended_well:
            sys.exit(f"{program} fails without any change:\n{(shown or '')[-3000:]}")
        return program, set(re.findall(r"(?m)^build/\S+\.o$", said)), time.monotonic() - start

    def users_of(self, path):
        """Those that have its object: first its own, then from the quickest on."""
        stem = Path(path).stem
        own = f"build/unit/{stem}"
        return sorted(self.users[f"build/unit-objects/{Path(path).with_suffix('.o')}"],
                      key=lambda program: (program != own, self.seconds[program]))


class Tries:
    """What became of each mutant that was ever tried, kept in a file."""

    def __init__(self, sources):
        self.path = FOLDER / "tried.jsonl"
        self.lock = threading.Lock()
        self.everything = digest_of(*(source.digest for source in sources.values()),
                                    *(path.read_bytes() for path in sorted((TREE / "tests").rglob("*.[ch]"))))
        self.kept = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                entry = json.loads(line)
                self.kept[entry["key"]] = entry

    def key(self, source, mutant):
        return digest_of(source.path, source.digest, *map(str, mutant[1:]))

    def known(self, source, mutant, machines):
        """The entry, if it still holds."""
        entry = self.kept.get(self.key(source, mutant))
        if entry and entry["result"] == "survived" and (
                entry["everything"] != self.everything or machines > entry["machines"]):
            return None
        return entry

    def keep(self, source, mutant, result, by, machines):
        entry = {"key": self.key(source, mutant), "result": result, "by": by, "machines": machines,
                 "everything": self.everything, "path": source.path, "line": mutant.line}
        with self.lock, open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
        return entry


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

    def compiled(self, path, kind, folder, debugging=True):
        """The object of the source of that name in a folder, by make's command; None: it does not compile."""
        command = list(self.units.compile[f"build/{kind}/{Path(path).with_suffix('.o')}"])
        result = folder / f"{Path(path).stem}-{kind}{'' if debugging else '-bare'}.o"
        command[command.index("-c") + 1] = str(folder / Path(path).name)
        command[-1] = str(result)
        succeeded, _ = run([*command, "-iquote", str(Path(path).parent), *([] if debugging else ["-g0"])])
        return result if succeeded else None

    def original(self, path):
        if path not in self.image:
            folder = FOLDER / "originals" / Path(path).with_suffix("")
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(TREE / path, folder)
            compiled = self.compiled(path, "efi", folder, debugging=False)
            if compiled is None:
                sys.exit(f"{path} does not compile")
            self.image[path] = compiled.read_bytes()
        return self.image[path]

    def attempt(self, mutant):
        """What becomes of a mutant, and by whom."""
        source = self.sources[mutant.path]
        folder = FOLDER / "jobs" / str(threading.get_ident())
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / Path(mutant.path).name).write_text(apply(source.text, mutant))
        bare = self.compiled(mutant.path, "efi", folder, debugging=False)
        if bare is None:
            return "broken", ""
        if bare.read_bytes() == self.original(mutant.path):
            return "equivalent", ""
        users = self.units.users_of(mutant.path)
        changed = self.compiled(mutant.path, "unit-objects", folder) if users else None
        if users and changed is None:
            return "broken", ""
        for program in users:
            how = self.kills(program, changed, folder)
            if how:
                return "killed", how
        if self.machines:
            with self.machine:
                return self.boot(mutant, source)
        return "survived", ""

    def kills(self, program, changed, folder):
        """How that unit program ends with the changed object in it; None: well."""
        name = Path(program).name
        mutated = folder / name
        command = list(self.units.link[program])
        command[command.index("-o") + 1] = str(mutated)
        command.insert(command.index("all.a"), str(changed))
        linked, _ = run(command)
        if not linked:
            return f"{name} (does not link)"
        allowed = TIMES * self.units.seconds[program] + SECONDS
        ended_well, said = run([str(mutated)], cpu=allowed, wall=WALL * allowed)
        if not ended_well and said is not None:  # once more: what fails now and then kills nobody
            ended_well, said = run([str(mutated)], cpu=allowed, wall=WALL * allowed)
        mutated.unlink()
        return None if ended_well else name if said is not None else f"{name} (takes too long)"

    def boot(self, mutant, source):
        """The same by the image in QEMU, built in the copy."""
        path = TREE / source.path
        path.write_text(apply(source.text, mutant))
        try:
            built, _ = run(["make", "--no-print-directory", "build/mlpboot.img"])
            if not built:
                return "killed", "image (does not link)"
            passed, said = run(["/usr/bin/python3", "-m", "pytest", "-q", "-x", *MACHINE_TESTS],
                               wall=MACHINE_TIMEOUT, cwd=TREE / "tests/machines")
        finally:
            path.write_text(source.text)
        if passed:
            return "survived", ""
        failed = re.search(r"(?m)^(?:FAILED|ERROR) (\S+)", said or "")
        return "killed", failed.group(1) if failed else "machines (takes too long)"


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
    changes. All of them, if asked to, as they are in the files."""
    lines = []
    for path in paths:
        of_line = collections.defaultdict(list)
        for mutant in Changes(path, sources[path].text).found:
            of_line[mutant.line].append(mutant)
        lines += of_line.values()
    if every:
        yield from itertools.chain(*lines)
        return
    chance = random.Random(seed)
    while lines:
        chance.shuffle(lines)
        for mutants in lines:
            yield mutants.pop(chance.randrange(len(mutants)))
        lines = [mutants for mutants in lines if mutants]


class Judgements:
    """The survivors that somebody has judged."""

    def __init__(self, sources):
        with open(JUDGED, encoding="utf-8", newline="") as file:
            self.rows = list(csv.DictReader(file))
        self.of = {(row["file"], row["line"], row["change"]): row["judgement"] for row in self.rows}
        texts = {path: plain(source.text) for path, source in sources.items()}
        self.stale = [row for row in self.rows if row["line"] not in texts.get(row["file"], "")]

    def find(self, source, mutant):
        return self.of.get((source.path, *changed_line(source, mutant)))


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
            source = self.sources[mutant.path]
            print(f"\n{mutant.path}:{mutant.line}")
            for sign, line in zip("-+", changed_line(source, mutant)):
                print(f"  {sign} {line}")
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
        entry = tries.known(source, mutant, given.machines)
        if entry is None:
            entry = tries.keep(source, mutant, *trial.attempt(mutant), given.machines)
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
    unseen = [path for path in asked_for if not units.users_of(path)]
    paths = asked_for if given.machines else [path for path in asked_for if path not in unseen]
    judgements = Judgements(sources)
    report = Report(sources, 0 if given.all else given.sample)
    trial = Trial(sources, units, given.machines)
    try_all(drawn(sources, paths, given.seed, given.all), given, sources, trial, Tries(sources), judgements, report)
    report.show(judgements.stale, [] if given.machines else unseen)
    return 1 if report.survivors or judgements.stale else 0


if __name__ == "__main__":
    sys.exit(main())
