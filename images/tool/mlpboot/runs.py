"""runs: the runs that a command is given: folders, a stick's `results`, report.html, or a .zip of any of these."""
import io
import json
import math
import os
import re
import stat
import zipfile
from collections import namedtuple

from .csv_text import FIELD_MOST, CsvError, records
from .database import SERVERS, SQLITE_START, DatabaseTrouble, read_runs
from .files import Trouble, check_kind, read_file, shown, warn, why

MOST = {"run.json": 16 << 20, "run.bak": 16 << 20, "verdicts.csv": 16 << 20, "results.csv": 256 << 20,
        "log.txt": 256 << 20}
PAGE_MOST = 1 << 30
ZIP_MEMBERS_MOST = 100000

VERDICT_COLUMNS = ["experiment", "case", "name", "value", "low", "high", "unit", "status", "reason", "method"]
REASON = VERDICT_COLUMNS.index("reason")
OLD_COLUMNS = VERDICT_COLUMNS[:REASON] + VERDICT_COLUMNS[REASON + 1:]  # of versions before there was that column
STATUSES = ["ok", "doubt", "skip", "error"]
Verdict = namedtuple("Verdict", VERDICT_COLUMNS)  # value, low, high: nan if missing

ELEMENT = re.compile(rb'<script type="application/json" class="file">(.*?)\r?\n?</script>|'
                     rb'<script type="application/json" class="file">(.*)$', re.MULTILINE)


class Run:
    """A run's files; `path` is its name in messages, `name` the shortest name that distinguishes it from the others."""

    def __init__(self, path, identity):
        self.path, self.identity, self.name = path, identity, path

    def read(self, file):
        """Returns a file's bytes, or None where the run lacks it. Raises Trouble."""
        raise NotImplementedError

    def where(self, file):
        return f"{self.path}/{file}"

    def need(self, file):
        data = self.read(file)
        if data is None:
            raise Trouble(f"{self.where(file)}: No such file or directory")
        return data

    def json_bytes(self):
        """Returns run.json's bytes and the file's name, or (None, name) if the run lacks it.

        Power that was cut while the image rewrote run.json leaves it broken; run.bak then has the older text.
        """
        data = self.read("run.json")
        if data is not None and not _is_json(data):
            spare = self.read("run.bak")
            if spare is not None and _is_json(spare):
                warn(f"{self.where('run.json')} is no JSON: power was cut while it was written; "
                     f"{self.where('run.bak')}, which was written before it, is taken")
                return spare, self.where("run.bak")
        return data, self.where("run.json")

    def json(self, **how):
        """Returns run.json as a dict. Raises Trouble."""
        data, where = self.json_bytes()
        if data is None:
            raise Trouble(f"{where}: No such file or directory; expected the run.json that a run leaves")
        return parse_json(where, data, **how)

    def verdicts(self):
        return parse_verdicts(self.where("verdicts.csv"), self.need("verdicts.csv"))


class FolderRun(Run):
    def __init__(self, path):
        super().__init__(path, os.path.realpath(path))

    def where(self, file):
        return os.path.join(self.path, file)

    def read(self, file):
        try:
            return read_file(self.where(file), MOST[file])
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Trouble(f"{self.where(file)}: {why(error)}") from None


class StoredRun(Run):
    """A run inside of one file: a page or an archive; `files` maps names to bytes, or to functions that read them."""

    def __init__(self, path, identity, files):
        super().__init__(path, identity)
        self.files = files

    def read(self, file):
        data = self.files.get(file)
        return data() if callable(data) else data


class LoneVerdicts(Run):
    """A verdicts.csv without its run."""

    def __init__(self, path):
        super().__init__(path, os.path.realpath(path))

    def where(self, file):
        return self.path if file == "verdicts.csv" else super().where(file)

    def read(self, file):
        if file != "verdicts.csv":
            return None
        try:
            return read_file(self.path, MOST[file], may_be_link=True)
        except OSError as error:
            raise Trouble(f"{self.path}: {why(error)}") from None

    def json(self, **how):
        return {}


# --- finding -----------------------------------------------------------------------------------

def find_runs(paths):
    """Returns the runs in the order of the paths, those of one folder in the order of their names, each once."""
    found = {}
    for path in paths:
        for run in runs_at(path):
            found.setdefault(run.identity, run)
    found = list(found.values())
    _name(found)
    return found


def readable_runs(paths, refuse):
    """Yields the runs that the paths stand for; `refuse` gets the Trouble of a path that has none."""
    for path in paths:
        try:
            runs = runs_at(path)
        except Trouble as trouble:
            refuse(trouble)
            continue
        yield from runs


def runs_at(path, may_be_verdicts=False):
    """Returns the runs at a path, one at least; `may_be_verdicts`: or a verdicts.csv alone. Raises Trouble."""
    path = os.fspath(path)
    if path.startswith(SERVERS):
        return _runs_in_database("the server", path)
    try:
        runs = _runs_in_folder(path) if os.path.isdir(path) else _runs_in_file(path, may_be_verdicts)
    except OSError as error:
        raise Trouble(f"{path}: cannot be read: {why(error)}") from None
    if not runs:
        raise Trouble(f"{path}: no run: neither it nor a folder in it holds a run.json or a results.csv")
    return runs


def _runs_in_folder(path):
    if _is_run(path):
        return [FolderRun(path)]
    inner = [os.path.join(path, name) for name in sorted(os.listdir(path)) if not name.startswith(".")]
    return [FolderRun(one) for one in inner if stat.S_ISDIR(os.lstat(one).st_mode) and _is_run(one)]


def _is_run(path):
    return any(os.path.lexists(os.path.join(path, file)) for file in ("run.json", "results.csv"))


NOT_STORED = re.compile(rb'"is_stored": ?false')  # of a fleet's row: the page has the machine's figures alone
ZIP_START = b"PK\x03\x04"
PAGE_START = re.compile(rb"<html|<!doctype html", re.IGNORECASE)


def is_run_file(path):
    """Returns True if a file may hold runs. Raises OSError and Trouble."""
    start = read_file_start(path)
    return start.startswith((SQLITE_START, ZIP_START)) or PAGE_START.search(start) is not None


def _runs_in_file(path, may_be_verdicts):
    start = read_file_start(path)
    if start.startswith(SQLITE_START):
        return _runs_in_database(path, path)
    if start.startswith(ZIP_START):
        return _runs_in_zip(path)
    if PAGE_START.search(start):
        return runs_in_page(path, read_file(path, PAGE_MOST, may_be_link=True))
    if may_be_verdicts:
        return [LoneVerdicts(path)]
    raise Trouble(f"{path}: expected a run's folder, a folder of such folders, a report.html, or a .zip of these")


def read_file_start(path):
    check_kind(path, os.stat(path).st_mode)
    with open(path, "rb") as file:
        return file.read(1024)


def runs_in_page(path, data):
    """Returns the runs whose files a page holds, in its order."""
    files = {}
    for match in ELEMENT.finditer(data):
        try:
            part = json.loads(match.group(1) or match.group(2))
            run, file, how, text = (part[key] for key in ("run", "file", "how", "text"))
            if file not in MOST or not isinstance(run, str):
                continue
            pieces = files.setdefault(run, {}).setdefault(file, [])
            if how == "replace":
                pieces.clear()
            pieces.append(text.encode("utf-8", "surrogatepass"))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            warn(f"{path}: a part that is damaged is left out")
    left = len(NOT_STORED.findall(data))
    if left > 0:
        warn(f"{path}: a page of many machines has no results of {left} of them: name their folders")
    return [StoredRun(os.path.join(path, run), (os.path.realpath(path), run),
                      {file: b"".join(pieces) for file, pieces in parts.items()})
            for run, parts in files.items()]


def _runs_in_zip(path):
    try:
        archive = zipfile.ZipFile(path)
        members = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise Trouble(f"{path}: no archive that can be read: {error}") from None
    if len(members) > ZIP_MEMBERS_MOST:
        raise Trouble(f"{path}: {len(members)} files; {ZIP_MEMBERS_MOST} at most")
    folders, pages = {}, []
    for member in members:
        folder, _, file = member.filename.rpartition("/")
        if file in MOST:
            folders.setdefault(folder, {})[file] = lambda m=member, most=MOST[file]: _unzip(archive, path, m, most)
        elif file.endswith(".html"):
            pages.append(member)
    runs = [StoredRun(os.path.join(path, folder) if folder else path, (os.path.realpath(path), folder), files)
            for folder, files in sorted(folders.items()) if files.keys() & {"run.json", "results.csv"}]
    for page in [] if runs else pages:
        runs += runs_in_page(os.path.join(path, page.filename), _unzip(archive, path, page, PAGE_MOST))
    return runs


def _runs_in_database(name, path):
    """Returns the runs of a database. Messages leave out a server's address, which may hold a password."""
    try:
        runs = [StoredRun(os.path.join(name, folder), (name, run_id), files)
                for run_id, folder, files in read_runs(path)]
    except DatabaseTrouble as trouble:
        raise Trouble(f"{name}: {trouble}") from None
    if not runs:
        raise Trouble(f"{name}: the database holds no run")
    return runs


def _unzip(archive, path, member, most):
    try:
        with archive.open(member) as file:
            data = file.read(most + 1)
    except Exception as error:  # zlib.error and lzma.LZMAError among others: these modules need not be there
        raise Trouble(f"{path}: {member.filename}: {error}") from None
    if len(data) > most:
        raise Trouble(f"{path}: {member.filename}: longer than {most >> 20} MB")
    return data


def _name(runs):
    """Names each run by as many last parts of its path as distinguish it from the others."""
    parts = [re.split(r"[/\\]" if os.name == "nt" else "/", "/".join(_parts(run))) for run in runs]
    for run, own in zip(runs, parts):
        count = 1
        while count < len(own) and sum(other[-count:] == own[-count:] for other in parts) > 1:
            count += 1
        run.name = "/".join(own[-count:])


def _parts(run):
    return [part for part in (run.identity if isinstance(run.identity, tuple) else (run.identity,)) if part]


# --- the files ---------------------------------------------------------------------------------

def parse_json(where, data, **how):
    """Returns a JSON object (RFC 8259). Raises Trouble that names the line."""
    def refuse(name):
        raise ValueError(f"{name} is no number of JSON")
    try:
        said = json.loads(data.decode("utf-8-sig"), parse_constant=refuse, **how)
    except UnicodeDecodeError:
        raise Trouble(f"{where}: not printable UTF-8; it has to be JSON as a run leaves it") from None
    except json.JSONDecodeError as error:
        raise Trouble(f"{where}: line {error.lineno}: {error.msg}; it has to be JSON as a run leaves it") from None
    except (ValueError, RecursionError) as error:
        reason = "too many objects in each other" if isinstance(error, RecursionError) else error
        raise Trouble(f"{where}: {reason}; it has to be JSON as a run leaves it") from None
    if not isinstance(said, dict):
        raise Trouble(f"{where}: line 1: no object; it has to be JSON as a run leaves it")
    return said


def _is_json(data):
    try:
        parse_json("", data)
        return True
    except Trouble:
        return False


def member(said, path):
    """Returns the member at `path`, names with dots between; None if it is missing. Any text comes without spaces around it,
    with which CPUID pads a brand.

    The name `*` stands for any name; of several members the last one that is there counts.
    """
    name, _, rest = path.partition(".")
    if not isinstance(said, dict):
        return None
    if name == "*":
        found = [member(one, rest) if rest else one for one in said.values()]
        found = [one for one in found if one is not None]
        return found[-1] if found else None
    found = said.get(name)
    return member(found, rest) if rest else found.strip() if isinstance(found, str) else found


def as_text(value):
    """Returns a member as text; "" for an object and where it is missing."""
    return "" if value is None or isinstance(value, (dict, list)) else \
        str(value).lower() if isinstance(value, bool) else shown(value)


def as_number(value):
    """Returns a member as a number; nan for anything else."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number else math.nan


NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def number(text):
    """Returns a decimal number, nan for an empty text. Raises ValueError."""
    if text == "":
        return math.nan
    if not NUMBER.fullmatch(text):
        raise ValueError("not a number")
    value = float(text)
    if math.isinf(value):
        raise ValueError("not a number")
    return value


def parse_verdicts(where, data):
    """Returns a verdicts.csv's verdicts. Raises Trouble that names the line."""
    text = decode(data)
    header = text.partition("\n")[0].split(",")
    has_reason = "reason" in header
    if not data:
        raise Trouble(f"{where}: is empty")
    if header not in (VERDICT_COLUMNS, OLD_COLUMNS):
        raise Trouble(f"{where}: another header than verdicts.csv has")
    if not text.endswith("\n"):
        raise Trouble(f"{where}: its last line was cut short")
    verdicts, line = [], 1
    try:
        for line, fields in records(io.StringIO(text, newline="")):
            if line > 1 and fields:
                verdicts.append(_verdict(fields if has_reason else [*fields[:REASON], "", *fields[REASON:]]))
    except CsvError as error:
        raise Trouble(f"{where}: line {error.line}: {error}") from None
    except ValueError as error:
        raise Trouble(f"{where}: line {line}: {error}") from None
    return verdicts


def decode(data):
    """Returns text; what is not ASCII becomes `?`, since names are compared and shown."""
    return data.decode("utf-8-sig", "replace").translate(_QUESTION_MARKS) if data else ""


class _QuestionMarks(dict):
    def __missing__(self, code):
        self[code] = chr(code) if 0x20 <= code < 0x7f or code in (0, 0xa, 0xd) else "?"
        return self[code]


_QUESTION_MARKS = _QuestionMarks()


def _verdict(fields):
    if len(fields) != len(VERDICT_COLUMNS):
        raise ValueError("not as many columns as the header has")
    if max(map(len, fields)) > FIELD_MOST:
        raise ValueError("a field longer than any column has")
    verdict = Verdict(*fields)
    if verdict.status not in STATUSES:
        raise ValueError("no such status")
    return verdict._replace(value=number(verdict.value), low=number(verdict.low), high=number(verdict.high))
