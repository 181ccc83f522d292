"""collect: puts runs of many machines into one database."""
import hashlib
import math
import os
import re

from .database import SERVERS, TABLES, TEXT, WHOLE, DatabaseTrouble, open_postgresql, open_sqlite
from .files import Trouble, show_progress, warn
from .points import parse_points
from .runs import member, parse_json, parse_verdicts, readable_runs

DOES = "runs of many machines into one database, SQLite or PostgreSQL"
HELP = """\
A RUN is a folder that a run left, or one that holds such folders, as `results` of a stick does; a
report.html; or a .zip of any of these. Every run becomes a row of table runs, its machine one of machines,
verdicts.csv and results.csv rows of verdicts and points. A run that is there already is left alone, from
whichever folder it came. Several may collect into one database at the same time. A run that cannot be read
is named, and the others are collected. The manual explains the columns.

PostgreSQL needs Python's psycopg: the Debian package python3-psycopg2, or python3-psycopg."""
EXIT_TROUBLE = 1

SCHEMA = 1  # of run.json: the one whose members TABLES knows
TEXT_MOST = 255  # bytes of a text from run.json
WHOLE_MOST = 9e18
UNPRINTABLE = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff]")
NO_TEXT_FILE = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def add_arguments(parser):
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument("--out", required=True, metavar="FILE|postgresql://...",
                        help="a file of SQLite, or a PostgreSQL server; creates the tables in an empty database")


def run(given):
    runs, refused = find(given.runs)
    added = there = 0
    if runs:
        writer = open_database(given.out)
        try:
            added, there, failed = collect_all(writer, runs)
        finally:
            writer.close()
        refused += failed
    print(f"{added} runs added, {there} there already, {refused} refused")
    return 1 if refused else 0


def find(paths):
    """Returns the runs, and the number of paths without a run; names these paths."""
    refused = []

    def refuse(trouble):
        warn(trouble)
        refused.append(trouble)

    return list(readable_runs(paths, refuse)), len(refused)


def open_database(out):
    """Returns a writer. Messages leave out a server's address, which may hold a password."""
    is_server = out.startswith(SERVERS)
    try:
        return open_postgresql(out) if is_server else open_sqlite(out)
    except DatabaseTrouble as trouble:
        raise Trouble(f"{'the server' if is_server else out}: {trouble}") from None


def collect_all(writer, runs):
    """Returns how many runs were added, were there, and failed; names the runs that failed."""
    results = []  # for each run: True if it was added, False if it is there, or the Trouble
    waiting, rows = [], 0
    for done, one in enumerate(runs, 1):
        try:
            stored = StoredFiles(one)
            if writer.has_run(stored.id):
                results.append(False)
            else:
                machine, run_, tables = stored.rows()
                waiting.append((one, (machine, run_, tables)))
                rows += sum(map(len, tables.values()))
        except Trouble as trouble:
            results.append(told(one, trouble))
        if rows >= writer.ROWS_AT_ONCE or done == len(runs):
            results += add_runs(writer, waiting)
            waiting, rows = [], 0
        if writer.is_broken:
            break
        show_progress(done, len(runs), "run")
    added, there = results.count(True), results.count(False)
    if len(results) < len(runs):
        warn(f"{len(runs) - len(results)} more were not tried")
    return added, there, len(runs) - added - there


def add_runs(writer, waiting):
    """Returns the result of each run; if all fail together, the one reason for all."""
    try:
        results = writer.add_runs([rows for _, rows in waiting])
    except DatabaseTrouble as trouble:
        results = [trouble]
    return [told(one, result) if isinstance(result, Trouble) else result
            for (one, _), result in zip(waiting, results)]


def told(one, trouble):
    warn(f"{one.path}: {trouble}" if isinstance(trouble, DatabaseTrouble) else trouble)
    return trouble


class StoredFiles:
    """A run's files, which become rows.

    The id is SHA-256 of the bytes of run.json without the blanks at its end, of verdicts.csv and of results.csv,
    one behind the other: a copy of a run has the id of the run.
    """

    def __init__(self, one):
        self.one = one
        conditions, self.where = one.json_bytes()
        if conditions is None:
            raise Trouble(f"{self.where}: No such file or directory")
        self.files = [conditions.rstrip(b" \t\r\n"), one.need("verdicts.csv"), one.need("results.csv")]
        self.id = hashlib.sha256(b"".join(self.files)).hexdigest()

    def rows(self):
        """Returns what Writer.add_runs takes. Raises Trouble."""
        return *self.conditions(), {"verdicts": self.verdicts(), "points": self.points()}

    def conditions(self):
        """Returns the rows of the machine, None where it is unknown, and of the run."""
        said, text = parse_json(self.where, self.files[0], parse_int=float), self.files[0].decode()
        if NO_TEXT_FILE.search(text):
            raise Trouble(f"{self.where}: not printable UTF-8")
        self._check_program(said)
        machine = {column.name: self._cell(said, column) for column in TABLES["machines"]}
        run_ = {column.name: self._cell(said, column) for column in TABLES["runs"]}
        run_.update(id=self.id, machine=machine["id"], folder=folder_of(self.one), run_json=text)
        if run_["cores_measured"] != 1:
            run_["core_type"] = None  # of several cores: the last one's was read, and each case tells its own
        return list(machine.values()) if machine["id"] else None, list(run_.values())

    def _check_program(self, said):
        program, schema = self._text(said, "program"), self._number(said, "schema")
        if program != "mlpboot":
            raise Trouble(f'{self.where}: "program" is "{program or ""}"; expected "mlpboot"')
        if schema not in (None, SCHEMA):
            raise Trouble(f'{self.where}: "schema" is {schema:.15g}; this version knows {SCHEMA}')

    def _cell(self, said, column):
        if column.path is None:
            return None
        if column.kind == TEXT:
            return self._text(said, column.path)
        value = self._number(said, column.path)
        if column.kind == WHOLE and value is not None:
            return int(value) if abs(value) < WHOLE_MOST else None
        return value

    def _text(self, said, path):
        """Returns a text as a database takes it, None for an empty one."""
        value = member(said, path)
        if not isinstance(value, (str, type(None))):
            raise Trouble(f'{self.where}: expected a text or null for "{path}"')
        text = UNPRINTABLE.sub("?", value or "")
        return text.encode()[:TEXT_MOST].decode(errors="ignore") or None

    def _number(self, said, path):
        value = member(said, path)
        if not isinstance(value, (float, type(None))) or value is not None and math.isinf(value):
            raise Trouble(f'{self.where}: expected a number or null for "{path}"')
        return value

    def verdicts(self):
        found = parse_verdicts(self.one.where("verdicts.csv"), self.files[1])
        return [(self.id, v.experiment, v.case, v.name, *(none_if_nan(x) for x in (v.value, v.low, v.high)),
                 v.unit or None, v.status, v.reason or None, v.method or None) for v in found]

    def points(self):
        where, data = self.one.where("results.csv"), self.files[2]
        found = parse_points(where, data)
        if not data.endswith(b"\n"):
            raise Trouble(f"{where}: its last line was cut short")
        return [(self.id, line, *point) for line, point in enumerate(found, 2)]


def folder_of(one):
    """Returns a run's path; a folder's name is any bytes, and a database takes characters."""
    parts = one.identity if isinstance(one.identity, tuple) else (one.identity,)
    return UNPRINTABLE.sub("?", os.path.join(*filter(None, parts)))


def none_if_nan(value):
    return None if math.isnan(value) else value
