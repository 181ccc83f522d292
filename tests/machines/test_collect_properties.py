"""What is true of any bytes that collect may find in the place of a run's files."""

import contextlib
import json
import sqlite3
import subprocess
import tempfile
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

import tool  # noqa: F401  where the modules are
from made_runs import HOSTED
from stored_runs import stored_text

from mlpboot import points
from mlpboot.collect import StoredFiles
from mlpboot.csv_text import csv_line
from mlpboot.database import TABLES, SqliteWriter
from mlpboot.files import Trouble
from mlpboot.points import COLUMNS, parse_points
from mlpboot.runs import StoredRun

SILICON = stored_text("zen4", "results.csv").splitlines()
HEADER = SILICON[0].split(",")
# Times and counts, several samples and one, with and without coordinates and errors, and a case that was skipped.
CHOSEN = [*SILICON[1:4], *SILICON[300:3000:450], next(line for line in SILICON if ",skipped," in line)]
GOOD = [line.split(",") for line in CHOSEN]
VERDICTS = "experiment,case,name,value,low,high,unit,status,reason,method\nmlp,2m,mlp,10,9,11,loads,ok,,m\n"
CONDITIONS = {"program": "mlpboot", "schema": 1, "label": "x", "machine": {"id": "m", "cores": {"measured": 1}}}

CELLS = st.one_of(
    st.sampled_from(["", "0", "1", "-1", "-0", "+1", "1.", ".5", ".", "1e3", "1e", "1e999", "1e-999", "nan", "inf", "0x10", "1_0",
                     " 1", "٣", "²", "9007199254740992", "9007199254740993", "9223372036854775807",
                     "9223372036854775808", "18446744073709551615", "18446744073709551616", "tsc", "ns", "skipped",
                     "x" * 95, "x" * 96, "x" * 119, "x" * 120, "x" * 239, "x" * 240, "a\rb", "a\nb", "\r", "é", "\x7f",
                     "a,b", 'a"b', '""', "007", "1.2.3", "0" * 238 + "1", "0" * 239 + "1", "0.0005"]),
    st.floats(0, 1e16).map("{:.3f}".format), st.integers(0, 2**65).map(str), st.text(max_size=5),
    st.text(st.characters(max_codepoint=0x7f), max_size=5))
ROUGH = st.sampled_from([b'"', b",", b"\n", b"\r", b"\r\n", b"\0", b"\xef\xbb\xbf", b"\xff", b"-", b"0", b".", b'""', b'","'])


@st.composite
def tables(draw):
    """A good results.csv, in which a cell, a column, a row or a few bytes are others."""
    header, rows = list(HEADER), [list(row) for row in draw(st.lists(st.sampled_from(GOOD), min_size=1, max_size=4))]
    for _ in range(draw(st.integers(0, 2))):
        row, at = draw(st.sampled_from(rows)), draw(st.integers(0, len(HEADER) - 1))
        row[at] = draw(st.one_of(CELLS, st.sampled_from(row)))
    if draw(st.booleans()):
        order = draw(st.permutations(range(len(HEADER))))
        header, *rows = [[line[i] for i in order] for line in (header, *rows)]
    change = draw(st.sampled_from(["", "", "", "drop", "twice", "further", "short", "rename"]))
    at = draw(st.integers(0, len(HEADER) - 1))
    for line in (header, *rows) if change != "short" else rows[:1]:
        if change in ("drop", "short"):
            del line[at]
        elif change in ("twice", "further"):
            line.insert(at, line[at])
    if change in ("further", "rename"):
        header[at] = draw(st.sampled_from(["other", "", "N", "x" * 239, "x" * 240]))
    is_quoted = draw(st.booleans())
    write = csv_line if is_quoted else lambda cells: ",".join(cells) + "\n"
    data = "".join(map(write, (header, *rows))).encode("utf-8", "replace")
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(ROUGH) + data[at + draw(st.integers(0, 1)):]
    return data


def seen_by_tool(where, data):
    """None, or why it is refused."""
    try:
        parse_points(where, data)
    except Trouble as trouble:
        return str(trouble)
    return None


def seen_by_analyze(path, data):
    path.write_bytes(data)
    done = subprocess.run([HOSTED, "analyze", path], capture_output=True)
    complaint = done.stderr.decode("utf-8", "replace").rstrip("\n")
    is_read = done.returncode == 0 or "holds no rows" in complaint or "none of its experiments is known" in complaint
    assert is_read or done.returncode == 1
    return None if is_read else complaint


# Python reads a record whole, and looks at the header in another order.
IN_OTHER_WORDS = ("NUL", "longer than any column", "missing from the header", "more than 64 columns")


@given(tables())
@example(b"")
@example(b"\xef\xbb\xbf")
@example(b"\n" + ",".join(HEADER).encode())
@example(",".join([*HEADER, *["further"] * 42]).encode())
@example(",".join([*HEADER, *["further"] * 43]).encode())
@example("\n".join([SILICON[0], "", SILICON[1], "", ""]).encode())
def test_a_table_is_refused_as_by_analyze(data):
    """The reader of the measurement is the one to follow: the same tables, for the same reason."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.csv"
        expected, told = seen_by_analyze(path, data), seen_by_tool(path, data)
    assert (told is None) == (expected is None), (told, expected)
    if told is not None and not any(words in told + expected for words in IN_OTHER_WORDS) and b'"' not in data:
        assert told == expected


@given(st.lists(st.sampled_from([line.split(",") for line in SILICON[1:]]), min_size=1, max_size=40),
       st.integers(0, len(HEADER) - 1), st.one_of(st.none(), CELLS))
def test_the_quick_way_reads_as_the_careful_one(rows, at, cell):
    rows = [list(row) for row in rows]
    if cell is not None:
        rows[0][at] = cell
    measured = [row for row in rows if row[HEADER.index("samples")] != "0"]
    quick = points._read_quickly(HEADER, measured or rows)
    assert quick is not None or cell is not None or not measured
    if quick is not None:
        assert [tuple(map(repr, row)) for row in quick] == \
            [tuple(map(repr, points._read_row(HEADER, row))) for row in measured or rows]


def test_most_rows_are_read_quickly():
    """Or the careful way would be the only one, and nobody would see it."""
    careful = []
    read = points._read_row
    points._read_row = lambda header, fields: careful.append(fields) or read(header, fields)
    try:
        rows = parse_points("results.csv", ("\n".join(SILICON) + "\n").encode())
    finally:
        points._read_row = read
    assert len(rows) == len(SILICON) - 1 and 0 < len(careful) < 20
    assert all(len(row) == len(COLUMNS) == len(HEADER) for row in rows)


def rows_of(conditions, verdicts=VERDICTS.encode(), results=("\n".join(SILICON[:3]) + "\n").encode()):
    """The rows of each table, or None: it was refused, and the file that is wrong was named."""
    run = StoredRun("run", "/run", {"run.json": conditions, "verdicts.csv": verdicts, "results.csv": results})
    try:
        stored = StoredFiles(run)
        machine, row = stored.conditions()
        return machine, row, {"verdicts": stored.verdicts(), "points": stored.points()}
    except Trouble as trouble:
        assert str(trouble).startswith("run/"), trouble
        return None


def check_database_takes(rows):
    """Whatever is not refused: no number too large, no text that is none."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        writer = SqliteWriter(sqlite3, database)
        assert writer.add_runs([rows]) == [True]
        for table in ("verdicts", "points"):
            assert writer.query(f"select count(*) from {table}") == len(rows[2][table])
        assert writer.query("select count(*) from pragma_foreign_key_check") == 0


@given(st.binary(max_size=300), st.sampled_from(["run.json", "verdicts.csv", "results.csv"]), st.integers(0, 3))
def test_any_bytes_are_read_or_refused(data, file, how):
    """Alone, and behind the start of what is right."""
    right = {"run.json": json.dumps(CONDITIONS).encode(), "verdicts.csv": VERDICTS.encode(),
             "results.csv": ("\n".join(SILICON[:4]) + "\n").encode()}
    kept = right[file][:[0, len(SILICON[0]) + 1, -5, len(right[file])][how]]
    rows = rows_of(*{**right, file: kept + data}.values())
    if rows is not None:
        check_database_takes(rows)


PATHS = [column.path for table in TABLES.values() for column in table if column.path is not None]
VALUES = st.recursive(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.sampled_from(
    ["mlpboot", 1, 9e18, 9.2e18, 2**63, -2**63, 10**400, 1e308, "\ud800", "\0", "\x1b[2J", "\x9b", "€" * 100, "", 2, 0.5])),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.sampled_from(["type", "id", "x"]), inner,
                                                                        max_size=2)), max_leaves=3)


@given(st.dictionaries(st.sampled_from([path.replace("*", core) for path in PATHS for core in ("core_0", "core_1")]
                                       + ["program", "schema", "machine", "certificate"]), VALUES, max_size=4),
       st.booleans())
def test_any_members_are_rows_or_refused(members, is_ascii):
    said = json.loads(json.dumps(CONDITIONS))
    for path, value in members.items():
        *above, name = path.split(".")
        at = said
        for part in above:
            if not isinstance(at.get(part), dict):
                at[part] = {}
            at = at[part]
        at[name] = value
    rows = rows_of(json.dumps(said, ensure_ascii=is_ascii).encode("utf-8", "replace"))
    if rows is not None:
        check_database_takes(rows)


@given(st.lists(st.lists(CELLS, min_size=9, max_size=9), max_size=3), st.booleans())
def test_any_verdicts_are_rows_or_refused(lines, has_status):
    for line in lines if has_status else []:
        line[3:6], line[7] = ["1", "", "2"], "ok"
    names = {tuple(line[:3]) for line in lines}
    rows = rows_of(json.dumps(CONDITIONS).encode(),
                   (VERDICTS + "".join(map(csv_line, lines))).encode("utf-8", "replace"))
    if rows is not None and len(names) == len(lines) == len({row[1:4] for row in rows[2]["verdicts"]}) - 1:
        check_database_takes(rows)
