"""database: the tables that runs are collected in, the same in SQLite and PostgreSQL.

The drivers of both are alike (PEP 249); a Writer has their differences. Its functions raise DatabaseTrouble.
"""
import importlib
import io
import os
import pathlib
from collections import namedtuple
from contextlib import contextmanager, suppress

from .csv_text import csv_line
from .files import Trouble

SERVERS = ("postgresql://", "postgres://")
VERSION = 2  # of these tables; another one where any of them changes
TEXT, WHOLE, NUMBER, JSON = range(4)

# References: the table whose `id` it holds. Path: its place in run.json; None: it comes from elsewhere.
Column = namedtuple("Column", "name kind path is_key references", defaults=(None, False, None))

TABLES = {  # a table comes before those that refer to it
    # Properties of a machine: they stay as long as its id does.
    "machines": [
        Column("id", TEXT, "machine.id", is_key=True),
        Column("id_shared", TEXT, "machine.id_shared"),
        Column("vendor", TEXT, "processor.vendor"),
        Column("brand", TEXT, "processor.brand"),
        Column("family", WHOLE, "processor.family"),
        Column("model", WHOLE, "processor.model"),
        Column("stepping", WHOLE, "processor.stepping"),
        Column("system_manufacturer", TEXT, "machine.system.manufacturer"),
        Column("system_product", TEXT, "machine.system.product"),
        Column("system_version", TEXT, "machine.system.version"),
        Column("board_manufacturer", TEXT, "machine.board.manufacturer"),
        Column("board_product", TEXT, "machine.board.product"),
        Column("board_version", TEXT, "machine.board.version"),
    ],
    # Properties that the next run on the machine may change.
    "runs": [
        Column("id", TEXT, is_key=True),
        Column("machine", TEXT, references="machines"),
        Column("folder", TEXT),
        Column("label", TEXT, "label"),
        Column("version", TEXT, "version"),
        Column("platform", TEXT, "platform"),
        Column("status", TEXT, "status"),
        Column("suite", TEXT, "configuration.suite"),
        Column("experiments", TEXT, "configuration.experiments"),
        Column("utc_start", TEXT, "machine.utc_start"),
        Column("utc_end", TEXT, "machine.utc_end"),
        Column("seconds", NUMBER, "seconds"),
        Column("cores_measured", WHOLE, "machine.cores.measured"),
        Column("core_type", TEXT, "machine.cores.*.type"),
        Column("microcode", TEXT, "machine.cores.*.microcode"),
        Column("bios_vendor", TEXT, "machine.bios.vendor"),
        Column("bios_version", TEXT, "machine.bios.version"),
        Column("bios_date", TEXT, "machine.bios.date"),
        Column("hypervisor", TEXT, "hypervisor.name"),
        Column("kernel", TEXT, "linux.kernel"),
        Column("tsc_hz", WHOLE, "tsc_hz"),
        Column("prefetch", TEXT, "certificate.prefetch"),
        Column("turbo", TEXT, "certificate.turbo"),
        Column("siblings", TEXT, "certificate.siblings"),
        Column("interrupts", TEXT, "certificate.interrupts"),
        Column("max_gap_ns", NUMBER, "certificate.max_gap_ns"),
        Column("gaps_over_1us_per_second", NUMBER, "certificate.gaps_over_1us_per_second"),
        Column("smi_during_run", WHOLE, "certificate.smi_during_run"),
        Column("frequency_drift_percent", NUMBER, "certificate.frequency_drift_percent"),
        Column("cycles_per_tick", NUMBER, "certificate.cycles_per_tick"),
        Column("tsc_difference_ppm", NUMBER, "certificate.tsc_difference_ppm"),
        Column("core_shared_percent", NUMBER, "certificate.core_shared_percent"),
        Column("run_json", JSON),
    ],
    "verdicts": [
        Column("run", TEXT, is_key=True, references="runs"),
        Column("experiment", TEXT, is_key=True),
        Column("case", TEXT, is_key=True),
        Column("name", TEXT, is_key=True),
        *(Column(name, NUMBER) for name in ("value", "low", "high")),
        *(Column(name, TEXT) for name in ("unit", "status", "reason", "method")),
    ],
    # The key has the line of results.csv: the same point and metric may have been measured several times.
    "points": [
        Column("run", TEXT, is_key=True, references="runs"),
        Column("line", WHOLE, is_key=True),
        *(Column(name, TEXT) for name in ("experiment", "case")),
        *(Column(name, WHOLE) for name in ("n", "k", "bytes", "stage")),
        *(Column(name, TEXT) for name in ("metric", "unit")),
        *(Column(name, WHOLE) for name in ("samples", "discarded")),
        *(Column(name, NUMBER) for name in ("min", "p10", "median", "p90", "max", "mean", "p1")),
        Column("visits", WHOLE),
        *(Column(name, NUMBER) for name in ("center", "center_error", "mean_error")),
        Column("attempt", WHOLE),
    ],
}
MAY_BE_THERE = ("machines", "runs")


# --- statements --------------------------------------------------------------------------------

def names(table):
    """Returns the columns' names, quoted: `case` is a word of SQL."""
    return ", ".join(f'"{column.name}"' for column in TABLES[table])


def create(table, types, clustered):
    """Returns the statement; `clustered` follows the definition of a table whose key has several columns."""
    parts = []
    for column in TABLES[table]:
        parts.append(f'"{column.name}" {types[column.kind]}' + " NOT NULL" * column.is_key
                     + (f' REFERENCES "{column.references}" ("id")' if column.references else ""))
    key = [f'"{column.name}"' for column in TABLES[table] if column.is_key]
    return (f'CREATE TABLE "{table}" ({", ".join(parts)}, PRIMARY KEY ({", ".join(key)}))'
            + clustered * (len(key) > 1))


def insert(table, parameter):
    """Returns the statement; a machine or run that is there stays as it is."""
    values = ", ".join([parameter] * len(TABLES[table]))
    return (f'INSERT INTO "{table}" ({names(table)}) VALUES ({values})'
            + " ON CONFLICT DO NOTHING" * (table in MAY_BE_THERE))


# --- writing -----------------------------------------------------------------------------------

class DatabaseTrouble(Trouble):
    """The database's reason."""


class Writer:
    """A connection in which a transaction begins and ends by statements.

    After a failure that no other run would survive, `is_broken` is set.
    """
    BEGIN, PARAMETER, TYPES, CLUSTERED = "BEGIN", "?", {}, ""
    ROWS_AT_ONCE = 1  # a transaction takes runs until they have so many: one run

    def __init__(self, driver, connection):
        """Creates the tables in an empty database; closes the connection if that fails."""
        self.driver, self.connection, self.is_broken = driver, connection, False
        try:
            self.cursor = connection.cursor()
            self.set_up()
            self._in_transaction(self.make_tables)
        except BaseException:
            self.close()
            raise

    def set_up(self):
        """Prepares the connection."""

    def make_tables(self):
        """Makes the tables in an empty database; refuses one that is neither empty nor ours.

        Locks first: of two writers that open an empty database at once, the second one finds the tables.
        """
        raise NotImplementedError

    def add_rows(self, table, rows):
        raise NotImplementedError

    def is_lost(self, error):
        """Returns True if no other run would fare better after this error."""
        raise NotImplementedError

    def reason(self, error):
        return str(error)

    def has_run(self, run_id):
        return self.query(f'SELECT count(*) FROM "runs" WHERE "id" = {self.PARAMETER}', [run_id]) > 0

    def add_runs(self, runs):
        """Adds runs in one transaction, each with all of its rows or not at all, nothing if that fails.

        Each is (machine, run, rows); `machine` None: it is unknown. Returns for each run True if it was not there yet,
        else False, or the DatabaseTrouble that only this run has. Waits for others who write the same run or machine.
        """
        return self._in_transaction(lambda: [self._try_run(*one) for one in runs])

    def _try_run(self, machine, run, rows):
        self.execute("SAVEPOINT run")
        try:
            result = self._add_run(machine, run, rows)
        except DatabaseTrouble as trouble:
            if self.is_broken:
                raise
            self.execute("ROLLBACK TO SAVEPOINT run")
            result = trouble
        self.execute("RELEASE SAVEPOINT run")
        return result

    def _add_run(self, machine, run, rows):
        if machine is not None:
            self.execute(insert("machines", self.PARAMETER), machine)
        self.execute(insert("runs", self.PARAMETER), run)
        if self.cursor.rowcount == 0:
            return False
        for table, lines in rows.items():
            with self.errors():
                self.add_rows(table, lines)
        return True

    def _in_transaction(self, work):
        self.execute(self.BEGIN)
        try:
            result = work()
            self.execute("COMMIT")
            return result
        except BaseException:
            with suppress(self.driver.Error):  # a failure may have undone it by itself
                self.cursor.execute("ROLLBACK")
            raise

    def execute(self, statement, values=()):
        with self.errors():
            self.cursor.execute(statement, values)

    def query(self, statement, values=()):
        """Returns the value of a query for a single value."""
        self.execute(statement, values)
        return self.cursor.fetchone()[0]

    @contextmanager
    def errors(self):
        try:
            yield
        except self.driver.Error as error:
            self.is_broken = self.is_lost(error)
            raise DatabaseTrouble(self.reason(error)) from None

    def create_tables(self):
        for table in TABLES:
            self.execute(create(table, self.TYPES, self.CLUSTERED))

    def close(self):
        self.connection.close()


def check_version(version):
    if version != VERSION:
        raise DatabaseTrouble(f"its tables are of version {version}; this command writes version {VERSION}")


# --- SQLite ------------------------------------------------------------------------------------

APPLICATION_ID = 0x6d6c7062  # "mlpb", in the file's header; `file` shows it
BUSY_SECONDS = 60  # that others may write meanwhile


def open_sqlite(path):
    """Returns a writer into a file. Raises DatabaseTrouble."""
    import sqlite3
    try:
        # SQLite takes "" and ":memory:" for a database that is gone at the end, but no absolute path.
        connection = sqlite3.connect(os.path.abspath(path), timeout=BUSY_SECONDS, isolation_level=None)
    except sqlite3.Error as error:
        raise DatabaseTrouble(f"{error}{_system_word(path)}; accepted: a database of collect's, or a new file in a "
                              "folder that is there") from None
    return SqliteWriter(sqlite3, connection)


def _system_word(path):
    """Returns the system's reason why a file cannot be opened to write; the module sqlite3 leaves it out."""
    is_new = not os.path.lexists(path)
    try:
        os.close(os.open(path, os.O_RDWR | (os.O_CREAT | os.O_EXCL if is_new else 0)))
        if is_new:
            os.unlink(path)
        return ""
    except OSError as error:
        return f": {error.strerror}"


class SqliteWriter(Writer):
    BEGIN = "BEGIN IMMEDIATE"
    ROWS_AT_ONCE = 1000  # every transaction waits for the disk several times
    TYPES = {TEXT: "text", WHOLE: "integer", NUMBER: "real", JSON: "text"}
    CLUSTERED = " WITHOUT ROWID"  # rows are stored in the order of the key: a run's id is there once

    def set_up(self):
        self.execute("PRAGMA foreign_keys = ON")

    def make_tables(self):
        application, version = self.query("PRAGMA application_id"), self.query("PRAGMA user_version")
        if (application, version, self.query("SELECT count(*) FROM sqlite_master")) == (0, 0, 0):
            self.create_tables()
            self.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self.execute(f"PRAGMA user_version = {VERSION}")
        elif application != APPLICATION_ID:
            raise DatabaseTrouble("this database holds something else; expected one that `collect` made, an empty "
                                  "file or none")
        else:
            check_version(version)

    def add_rows(self, table, rows):
        self.cursor.executemany(insert(table, self.PARAMETER), rows)

    def is_lost(self, error):
        return not isinstance(error, (self.driver.IntegrityError, self.driver.DataError))  # these concern only the row


# --- PostgreSQL --------------------------------------------------------------------------------

LOCK = 7813016  # any number that no other program locks; its holder makes the tables
COPY_ESCAPES = {ord("\\"): "\\\\", ord("\t"): "\\t", ord("\n"): "\\n", ord("\r"): "\\r"}


def copy_cell(value):
    return "\\N" if value is None else value.translate(COPY_ESCAPES) if isinstance(value, str) else repr(value)


def copy_lines(rows):
    """Returns what COPY reads. Most values of a column are alike: each is written once."""
    columns = []
    for values in zip(*rows):
        written = {value: copy_cell(value) for value in set(values)}
        columns.append(map(written.__getitem__, values))
    return "".join("\t".join(cells) + "\n" for cells in zip(*columns)).encode()


def load_driver():
    """Returns psycopg2, or else psycopg, which is slower unless it has its part in C. Raises DatabaseTrouble."""
    for name in ("psycopg2", "psycopg"):
        try:
            return importlib.import_module(name)
        except ImportError:
            pass
    raise DatabaseTrouble("Python has neither psycopg2 nor psycopg; install the Debian package python3-psycopg2")


def open_postgresql(uri):
    """Returns a writer into a server's database. Raises DatabaseTrouble, which never holds the address."""
    return PostgresqlWriter(*_connect(uri))


def _connect(uri):
    """Returns the driver and a connection."""
    driver = load_driver()
    try:
        connection = driver.connect(uri, client_encoding="utf8")
    except driver.Error as error:
        raise DatabaseTrouble(_first_line(error)) from None
    connection.autocommit = True
    return driver, connection


class PostgresqlWriter(Writer):
    PARAMETER = "%s"
    TYPES = {TEXT: "text", WHOLE: "bigint", NUMBER: "double precision", JSON: "jsonb"}

    def make_tables(self):
        self.execute(f"SELECT 1 FROM pg_advisory_xact_lock({LOCK})")
        marks, others = self._count(["mlpboot"]), self._count(TABLES)
        if marks == 0 and others == 0:
            self.create_tables()
            self.execute("CREATE TABLE mlpboot (version bigint NOT NULL)")
            self.execute(f"INSERT INTO mlpboot VALUES ({VERSION})")
        elif marks == 0:
            raise DatabaseTrouble("tables called machines, runs, verdicts or points are there, and `collect` made "
                                  "none of them; expected a database or schema without")
        else:
            check_version(self.query("SELECT coalesce(max(version), 0) FROM mlpboot"))

    def _count(self, tables):
        """Returns how many tables of these names there are where ours would be."""
        quoted = ", ".join(f"'{table}'" for table in tables)
        return self.query("SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace "
                          f"AND relname IN ({quoted})")

    def add_rows(self, table, rows):
        statement, lines = f'COPY "{table}" ({names(table)}) FROM STDIN', copy_lines(rows)
        if hasattr(self.cursor, "copy_expert"):  # psycopg2
            self.cursor.copy_expert(statement, io.BytesIO(lines))
        else:
            with self.cursor.copy(statement) as copy:
                copy.write(lines)

    def is_lost(self, error):
        return bool(self.connection.closed)

    def reason(self, error):
        return _first_line(error.diag.message_primary or error)


def _first_line(words):
    return str(words).partition("\n")[0]


# --- reading -----------------------------------------------------------------------------------

SQLITE_START = b"SQLite format 3\0"


def read_runs(path):
    """Yields the id, the folder and the files of each run, in the order of the folders: a file's name maps to a
    function that returns its bytes. `path`: a file of SQLite or a server's address. Raises DatabaseTrouble."""
    is_server = path.startswith(SERVERS)
    query = _server_reader(path) if is_server else _sqlite_reader(path)
    parameter = (PostgresqlWriter if is_server else SqliteWriter).PARAMETER
    for run_id, folder, text in query("""SELECT "id", "folder", CAST("run_json" AS text) FROM "runs" ORDER BY 2, 1"""):
        yield run_id, folder or run_id, {
            "run.json": text.encode(), "verdicts.csv": _table_reader(query, parameter, "verdicts", run_id),
            "results.csv": _table_reader(query, parameter, "points", run_id)}


def _table_reader(query, parameter, table, run_id):
    """Returns a function that returns a run's rows of a table as the file that they came from."""
    key = "line" if table == "points" else "case"
    columns = [column.name for column in TABLES[table] if column.name not in ("run", "line")]
    quoted = ", ".join(f'"{name}"' for name in columns)

    def read():
        rows = query(f'SELECT {quoted} FROM "{table}" WHERE "run" = {parameter} ORDER BY "{key}"', [run_id])
        return "".join(csv_line(["" if cell is None else cell if isinstance(cell, str) else repr(cell) for cell in row])
                       for row in [columns, *rows]).encode()
    return read


def _sqlite_reader(path):
    import sqlite3
    try:
        connection = sqlite3.connect(f"{pathlib.Path(path).absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS)
        ours = connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.Error as error:
        raise DatabaseTrouble(str(error)) from None
    if not ours:
        raise DatabaseTrouble("this database holds something else; expected one that `collect` made")
    check_version(version)
    return _reader(sqlite3, connection)


def _server_reader(uri):
    query = _reader(*_connect(uri))
    check_version(query("SELECT coalesce(max(version), 0) FROM mlpboot")[0][0])
    return query


def _reader(driver, connection):
    """Returns a function that returns all rows of a query."""
    cursor = connection.cursor()

    def query(statement, values=()):
        try:
            cursor.execute(statement, values)
            return cursor.fetchall()
        except driver.Error as error:
            raise DatabaseTrouble(_first_line(error)) from None
    return query
