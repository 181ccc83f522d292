"""Runs of many machines in one database: mlpboot collect, into SQLite and into PostgreSQL."""

import contextlib
import csv
import hashlib
import importlib.util
import json
import os
import re
import pty
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from machine import ROOT
from made_runs import fifty_folders, run
from server import Server
from tool import TOOL, tool

NEEDS = ["postgresql", "python3-psycopg2"]

FILES = ["run.json", "verdicts.csv", "results.csv"]
PYTHON = [sys.executable, "-I", "-W", "error"]
COLLECT = [*PYTHON, TOOL, "collect"]
TABLES = {"verdicts": "verdicts.csv", "points": "results.csv"}
HOSTILE = '</script><b> "q" \'s\' \\N \\t {1,2} $1 -- ; %s Bär €'


def start(*words):
    return subprocess.Popen([*COLLECT, *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def collect(*words, **how):
    return tool("collect", *words, **how)


def said_of(added, there=0, refused=0):
    return f"{added} runs added, {there} there already, {refused} refused\n"


def id_of(folder):
    """As the manual says it is made."""
    run, verdicts, results = ((folder / name).read_bytes() for name in FILES)
    return hashlib.sha256(run.rstrip() + verdicts + results).hexdigest()


def rows_of(folder, file):
    with open(folder / file, newline="") as table:
        return list(csv.DictReader(table))


def select(path, statement, *values):
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(statement, values)]


def assert_same_row(row, written):
    """A row of the database against one of the file: nothing for nothing, numbers as numbers."""
    for name, text in written.items():
        value = row[name]
        if text == "":
            assert value is None, name
        elif isinstance(value, str):
            assert value == text, name
        else:
            assert value == float(text), name


def assert_whole(path, folders):
    """Every run that is there is one of these, with all of its rows."""
    by_id = {id_of(folder): folder for folder in folders}
    there = [row["id"] for row in select(path, "select id from runs")]
    assert set(there) <= set(by_id) and len(there) == len(set(there))
    for table, file in TABLES.items():
        counts = {row["run"]: row["rows"] for row in
                  select(path, f"select run, count(*) as rows from {table} group by run")}
        assert counts == {run: len(rows_of(by_id[run], file)) for run in there}
    return len(there)


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    return fifty_folders(tmp_path_factory.mktemp("lab"))


@pytest.fixture(scope="module")
def folders(lab):
    return sorted(lab.iterdir())


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """This processor, with a label that tries to be something else."""
    folder = tmp_path_factory.mktemp("measured") / "run"
    run(folder, f"label={HOSTILE}", "experiments=floor mlp", "mlp.loads=1-2", "mlp.fillers=0-32/16", "samples.max=30", "pages=4k",
        "case=mine", platform="linux")
    return folder


# --- SQLite ---


def test_what_is_in_the_files_is_in_the_tables(measured, tmp_path):
    path = tmp_path / "runs.sqlite"
    assert collect(measured, "--out", path) == (0, said_of(1), "")
    conditions = json.loads((measured / "run.json").read_text())
    [run] = select(path, "select * from runs")
    [machine] = select(path, "select * from machines")
    core = next(core for core in conditions["machine"]["cores"].values() if core != 1)
    assert run["id"] == id_of(measured) and run["folder"] == str(measured)
    assert run["label"] == HOSTILE == conditions["label"]
    assert json.loads(run["run_json"]) == conditions
    assert run["machine"] == machine["id"] == conditions["machine"]["id"]
    assert machine["brand"] == conditions["processor"]["brand"].strip()
    assert machine["family"] == conditions["processor"]["family"]
    assert (run["microcode"] or "") == core["microcode"]  # some hypervisors tell none
    assert run["core_type"] == core["type"]
    assert run["status"] == "done" and run["suite"] == "quick" and run["platform"] == "linux"
    assert run["tsc_hz"] == conditions["tsc_hz"] and run["seconds"] == conditions["seconds"]
    assert run["max_gap_ns"] == conditions["certificate"]["max_gap_ns"]
    assert run["smi_during_run"] is None
    for table, file in TABLES.items():
        rows = {(row["line"] - 2 if "line" in row else
                 (row["experiment"], row["case"], row["name"])): row
                for row in select(path, f"select * from {table}")}
        written = rows_of(measured, file)
        assert len(rows) == len(written) > 15
        for i, line in enumerate(written):
            key = i if table == "points" else (line["experiment"], line["case"], line["name"])
            assert_same_row(rows[key], line)
            assert rows[key]["run"] == run["id"]
    assert any(row["n"] is None for row in select(path, "select n from points"))


def test_keys_are_kept(lab, tmp_path):
    path = tmp_path / "runs.sqlite"
    assert collect(lab / "00-1", "--out", path)[0] == 0
    assert select(path, "pragma foreign_key_check") == []
    with sqlite3.connect(path) as database:
        database.execute("pragma foreign_keys = on")
        for table in TABLES:
            with pytest.raises(sqlite3.IntegrityError):
                database.execute(f"update {table} set run = 'none'")
        with pytest.raises(sqlite3.IntegrityError):
            database.execute("insert into verdicts select * from verdicts")


def test_a_run_twice_is_a_run_once(lab, folders, tmp_path):
    path = tmp_path / "runs.sqlite"
    assert collect(*folders[:3], "--out", path)[1] == said_of(3)
    assert collect(lab, "--out", path)[1] == said_of(47, 3)
    copy = shutil.copytree(folders[0], tmp_path / "copy")
    with open(copy / "run.json", "a") as padded:
        padded.write(" " * 4000 + "\n")
    assert collect(lab, copy, "--out", path) == (0, said_of(0, 51), "")
    assert assert_whole(path, folders) == 50
    assert len(select(path, "select * from machines")) == 10


def test_a_model_is_no_machine(lab, tmp_path):
    path = tmp_path / "runs.sqlite"
    assert collect(lab.parent / "rob-64", "--out", path)[1] == said_of(1)
    assert select(path, "select machine, microcode from runs") == [{"machine": None, "microcode": None}]
    assert select(path, "select * from machines") == []


def replace(file, before, after):
    def damage(folder):
        data = (folder / file).read_bytes()
        assert before in data
        (folder / file).write_bytes(data.replace(before, after, 1))
    return damage


def cut(file, bytes):
    return lambda folder: os.truncate(folder / file, (folder / file).stat().st_size - bytes)


DAMAGES = [
    (cut("results.csv", 2), "results.csv"),
    (cut("results.csv", 1), "results.csv: its last line was cut short"),
    (cut("verdicts.csv", 5), "verdicts.csv: its last line was cut short"),
    (cut("run.json", 200), "run.json: line"),
    (replace("run.json", b'"mlpboot"', b'"other"'), '"program" is "other"; expected "mlpboot"'),
    (replace("run.json", b'"schema": 1', b'"schema": 2'), '"schema" is 2; this version knows 1'),
    (replace("run.json", b"host", b"h\xffst"), "run.json: not printable UTF-8"),
    (replace("results.csv", b",30,", b",x,"), 'is not a number'),
    (replace("verdicts.csv", b"timer_step", b"timer_floor"), "UNIQUE constraint failed"),
]


def test_damaged_folders_hide_no_others(lab, tmp_path):
    """Nothing of them arrives, each is named, and the rest is there."""
    for i, (damage, _) in enumerate(DAMAGES):
        damage(shutil.copytree(lab / "00-1", tmp_path / f"runs/{i:02}"))
    shutil.copytree(lab / "01-1", tmp_path / "runs/98")
    shutil.copytree(lab / "02-1", tmp_path / "runs/99")
    (tmp_path / "empty").mkdir()
    path = tmp_path / "runs.sqlite"
    code, said, complaint = collect(tmp_path / "none", tmp_path / "empty", tmp_path / "runs",
                                    lab / "00-1", "--out", path)
    assert code == 1 and said == said_of(3, 0, len(DAMAGES) + 2), complaint
    lines = complaint.splitlines()
    assert "none: cannot be read" in lines[0] and "empty: no run" in lines[1]
    for i, (line, (_, why)) in enumerate(zip(lines[2:], DAMAGES, strict=True)):
        assert f"/runs/{i:02}" in line and why in line
    assert assert_whole(path, [lab / "00-1", lab / "01-1", lab / "02-1"]) == 3


def test_what_is_not_ours_is_not_touched(lab, tmp_path):
    texts = tmp_path / "texts"
    texts.write_text("no database\n" * 100)
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as database:
        database.execute("create table runs (id text)")
    newer = tmp_path / "newer.sqlite"
    assert collect(lab / "00-1", "--out", newer)[0] == 0
    with sqlite3.connect(newer) as database:
        database.execute("pragma user_version = 3")
    for path, why in ((texts, "not a database"), (other, "holds something else"),
                      (newer, "tables are of version 3; this command writes version 2"),
                      (tmp_path, "database file: Is a directory; accepted: "),
                      (tmp_path / "none/x", "database file: No such file or directory; accepted: "),
                      (Path("/sys/x"), "database file: Permission denied; accepted: ")):
        before = path.read_bytes() if path.is_file() else None
        code, said, complaint = collect(lab / "00-1", "--out", path)
        assert (code, said) == (1, "") and f"{path}: " in complaint and why in complaint
        assert before is None or path.read_bytes() == before
        assert before is not None or not path.is_file()


def test_an_empty_file_is_as_good_as_none(lab, tmp_path):
    path = tmp_path / "runs.sqlite"
    path.write_bytes(b"")
    assert collect(lab / "00-1", "--out", path)[1] == said_of(1)


def test_a_terminal_shows_how_far_it_is(folders, tmp_path):
    terminal, end = pty.openpty()
    shutil.copytree(folders[0], tmp_path / "damaged")
    (tmp_path / "damaged/results.csv").write_bytes(b"")
    done = subprocess.run([*COLLECT, *folders[:9], tmp_path / "none", tmp_path / "damaged",
                           "--out", tmp_path / "x"], stdout=subprocess.PIPE, stderr=end, text=True)
    os.close(end)
    shown = ""
    with contextlib.suppress(OSError):  # which is how a terminal ends
        while piece := os.read(terminal, 65536):
            shown += piece.decode()
    os.close(terminal)
    assert done.stdout == said_of(9, 0, 2)
    assert "\rrun 1 of 10\r" in shown and shown.endswith("\rrun 10 of 10\r\n")
    lines = [line.rstrip().split("\r")[-1] for line in shown.split("\r\n")]
    assert "none: cannot be read" in lines[0] and "results.csv: is empty" in lines[1]


def test_wrong_usage():
    assert collect("--out", "x")[0] == 2
    code, _, complaint = collect("/tmp")
    assert code == 2 and "--out" in complaint


def test_a_full_disk_leaves_whole_runs(folders, tmp_path):
    """SQLite says so; those that were not tried are counted."""
    path = tmp_path / "runs.sqlite"
    limited = ["sh", "-c", 'ulimit -f 1000; trap "" XFSZ; exec "$@"', "sh", *COLLECT,
               *folders, "--out", path]
    done = subprocess.run(limited, capture_output=True, text=True)
    assert done.returncode == 1 and "more were not tried" in done.stderr, done.stderr
    there = assert_whole(path, folders)
    assert 0 < there < 50 and done.stdout == said_of(there, 0, 50 - there)
    assert collect(*folders, "--out", path) == (0, said_of(50 - there, there), "")


def has_runs(path):
    with contextlib.suppress(sqlite3.Error, TypeError):  # it is not made yet, or is being written
        return select(path, "select id from runs limit 1") != []
    return False


def test_killed_at_any_moment_it_leaves_whole_runs(folders, tmp_path):
    """Before it has written anything, while it starts, and when it has written some runs."""
    path, chance, seen = tmp_path / "runs.sqlite", random.Random(5), []
    while len(seen) < 6 or len(seen) < 60 and not any(0 < there < 50 for there in seen):
        path.unlink(missing_ok=True)
        with start(*folders, "--out", path) as process:
            if len(seen) % 2 == 0:
                time.sleep(chance.uniform(0, 0.5))
            else:
                while process.poll() is None and not (path.exists() and has_runs(path)):
                    pass
            process.send_signal(signal.SIGKILL)
        is_made = path.exists() and path.stat().st_size > 0 and select(path, "select * from sqlite_master")
        seen.append(assert_whole(path, folders) if is_made else 0)
    assert any(0 < there < 50 for there in seen)
    assert collect(*folders, "--out", path)[0] == 0
    assert assert_whole(path, folders) == 50


def test_two_at_once_into_one_file(folders, tmp_path):
    path = tmp_path / "runs.sqlite"
    writers = [start(*folders[i:], *folders[:i], "--out", path) for i in (0, 25)]
    said = [writer.communicate() for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], said
    added = [int(out.split()[0]) for out, _ in said]
    assert sum(added) == 50 and assert_whole(path, folders) == 50
    assert list(tmp_path.iterdir()) == [path]  # and no journal


def test_a_hostile_name_is_shown_harmlessly(lab, tmp_path):
    """Neither terminal nor database is given a control character, or a byte that is no character."""
    good, bad = (os.fsencode(tmp_path) + name for name in (b"/\x1b[2J\n\xff\xc2\x9b.good", b"/\x1b[2J\n\xff.bad"))
    for folder in good, bad:
        shutil.copytree(lab / "00-1", os.fsdecode(folder))
    os.unlink(bad + b"/verdicts.csv")
    path = tmp_path / "runs.sqlite"
    code, said, complaint = collect(os.fsdecode(good), os.fsdecode(bad), "--out", path)
    assert (code, said) == (1, said_of(1, 0, 1))
    assert complaint == f"mlpboot: {tmp_path}/?[2J??.bad/verdicts.csv: No such file or directory\n"
    assert select(path, "select folder from runs") == [{"folder": f"{tmp_path}/?[2J???.good"}]


def test_pages_and_archives_hold_runs(lab, folders, tmp_path):
    """From each of them a run is the same run; the page leaves out the blanks at run.json's end."""
    page, archive, path = tmp_path / "report.html", tmp_path / "lab.zip", tmp_path / "runs.sqlite"
    assert tool("report", *folders[:6], "--out", page)[0] == 0
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        for folder in folders:
            for file in FILES:
                zipped.write(folder / file, f"{folder.name}/{file}")
    assert collect(archive, "--out", path) == (0, said_of(50), "")
    assert assert_whole(path, folders) == 50
    assert collect(page, lab, "--out", path) == (0, said_of(0, 56), "")
    assert collect(page, "--out", tmp_path / "of-page.sqlite") == (0, said_of(6), "")
    assert assert_whole(tmp_path / "of-page.sqlite", folders[:6]) == 6
    [one, *_] = select(path, "select folder from runs order by folder")
    assert one == {"folder": f"{archive}/00-1"}


def test_a_page_of_many_machines_says_which_it_lacks(lab, tmp_path):
    page = tmp_path / "report.html"
    assert tool("report", lab, "--out", page)[0] == 0
    code, said, complaint = collect(page, "--out", tmp_path / "runs.sqlite")
    count = int(re.match(r"(\d+) runs added", said)[1])
    assert code == 0 and 0 < count < 50
    assert complaint == f"mlpboot: {page}: a page of many machines has no results of {50 - count} of them: name their folders\n"


def test_corpora_of_the_fuzzers(lab, tmp_path):
    """Whatever a fuzzer found once, in the place of a run's file: each run arrives, or is refused by its name."""
    made = []
    for corpus, files in (("results", FILES[2:]), ("csv", FILES[1:]), ("verdicts", FILES[1:2]), ("json", FILES[:1])):
        for found in sorted((ROOT / "tests/fuzz/corpus" / corpus).iterdir()):
            for file in files:
                made.append(shutil.copytree(lab / "00-1", tmp_path / "runs" / f"{len(made):03}"))
                shutil.copy(found, made[-1] / file)
    assert len(made) > 100
    code, said, complaint = collect(tmp_path / "runs", "--out", tmp_path / "runs.sqlite", timeout=60)
    added, there, refused = (int(word) for word in said.split() if word.isdigit())
    assert code == 1 and added + there + refused == len(made) and refused > 50
    named = [line.partition(": ")[2] for line in complaint.splitlines() if "run.bak" not in line]
    assert len(named) == refused, complaint
    assert all(name.startswith(f"{tmp_path}/runs/") for name in named), complaint


def without(*modules):
    """Starts the tool in a Python that lacks these."""
    hidden = f"import sys; sys.modules.update(dict.fromkeys({modules!r})); sys.path.insert(0, {str(TOOL)!r}); "
    return [*PYTHON, "-c", hidden + "from mlpboot.__main__ import main; sys.exit(main())"]


def test_other_commands_need_no_database(lab):
    done = subprocess.run([*without("sqlite3", "psycopg", "psycopg2"), "table", lab], capture_output=True, text=True)
    assert done.returncode == 0 and len(done.stdout.splitlines()) > 50, done.stderr


# --- PostgreSQL ---


def dump(path):
    """All rows of a SQLite file, as psql would show them, without the whole run.json."""
    shown = {}
    for table in ("machines", "runs", *TABLES):
        names = [name for row in select(path, f"select name from pragma_table_info('{table}')")
                 if (name := row["name"]) != "run_json"]
        quoted = ", ".join(f'"{name}"' for name in names)
        shown[table] = (quoted, sorted(tuple(row.values()) for row in
                                       select(path, f"select {quoted} from {table}")))
    return shown


def typed(cell, like):
    return None if cell == "NULL" else type(like)(cell) if like is not None else cell


def check_same_as_sqlite(server, uri, path):
    for table, (names, rows) in dump(path).items():
        told = server.say(uri, f"select {names} from {table}")
        keyed = {tuple(row[:4]) if table != "points" else tuple(row[:2]): row for row in told}
        assert len(keyed) == len(told) == len(rows)
        for row in rows:
            key = tuple("NULL" if cell is None else str(cell)
                        for cell in row[:2 if table == "points" else 4])
            assert tuple(map(typed, keyed[key], row)) == row
    json_there = {run: json.loads(text) for run, text in
                  server.say(uri, "select id, run_json from runs")}
    assert json_there == {row["id"]: json.loads(row["run_json"])
                          for row in select(path, "select id, run_json from runs")}


def check_four_writers(server, folders):
    """Each has all of them, in an order of its own, and finds an empty database."""
    uri, chance = server.database("four"), random.Random(4)
    orders = [chance.sample(folders, len(folders)) for _ in range(4)]
    writers = [start(*order, "--out", uri) for order in orders]
    said = [writer.communicate() for writer in writers]
    assert [(writer.returncode, err) for writer, (_, err) in zip(writers, said)] == [(0, "")] * 4
    counts = [list(map(int, (out.split()[0], out.split()[3]))) for out, _ in said]
    assert sum(added for added, _ in counts) == 50
    assert all(added + there == 50 for added, there in counts)
    assert_whole_on_server(server, uri, folders)


def assert_whole_on_server(server, uri, folders):
    told = server.say(uri, "select id, (select count(*) from verdicts where run = id), "
                           "(select count(*) from points where run = id) from runs")
    assert sorted(told) == sorted(
        [id_of(folder), *(str(len(rows_of(folder, file))) for file in TABLES.values())]
        for folder in folders)


def check_refusals(server, lab, tmp_path):
    other = server.database("other")
    server.say(other, "create table runs (id text)")
    code, said, complaint = collect(lab / "00-1", "--out", other)
    assert (code, said) == (1, "") and "`collect` made none of them" in complaint
    assert server.say(other, "select count(*) from pg_tables where schemaname = 'public'") == [["1"]]
    newer = server.database("newer")
    assert collect(lab / "00-1", "--out", newer)[1] == said_of(1)
    server.say(newer, "update mlpboot set version = 3")
    assert "of version 3; this command writes version 2" in collect(lab, "--out", newer)[2]
    assert server.say(newer, "select count(*) from runs") == [["1"]]
    code, _, complaint = collect(lab / "00-1", "--out", server.uri("none") + "&password=secret")
    assert code == 1 and 'database "none" does not exist' in complaint and "secret" not in complaint
    damaged = tmp_path / "damaged"
    replace("run.json", b"host", b"\\u0000st")(shutil.copytree(lab / "00-1", damaged))
    twice = tmp_path / "twice"
    replace("verdicts.csv", b"timer_step", b"timer_floor")(shutil.copytree(lab / "00-1", twice))
    good = server.database("good")
    code, said, complaint = collect(damaged, twice, lab / "01-1", "--out", good)
    assert (code, said) == (1, said_of(1, 0, 2))
    assert "damaged: unsupported Unicode escape" in complaint
    assert "twice: duplicate key value" in complaint
    assert server.say(good, "select folder from runs") == [[str(lab / "01-1")]]


def check_killed(server, folders):
    uri = server.database("killed")
    with start(*folders, "--out", uri) as process:
        deadline = time.monotonic() + 120
        while not (server.say(uri, "select to_regclass('runs')") != [["NULL"]]
                   and server.say(uri, "select count(*) from runs") != [["0"]]):
            assert time.monotonic() < deadline
        process.kill()
    assert {tuple(map(int, row[1:])) for row in server.say(
        uri, "select id, (select count(*) from verdicts where run = id), "
             "(select count(*) from points where run = id) from runs")} <= {
        tuple(len(rows_of(folder, file)) for file in TABLES.values()) for folder in folders}
    assert collect(*folders, "--out", uri)[0] == 0
    assert server.say(uri, "select count(*) from runs") == [["50"]]


def check_lost(server, folders):
    """The server ends the connection: what was not tried is counted, and nothing hangs."""
    uri = server.database("lost")
    assert collect(folders[0], "--out", uri)[0] == 0
    server.say(uri, "create function lose() returns trigger language plpgsql as $$ begin perform "
                    "pg_terminate_backend(pg_backend_pid()); return new; end $$")
    server.say(uri, "create trigger lose before insert on runs for each row when "
                    f"(new.id = '{id_of(folders[3])}') execute function lose()")
    code, said, complaint = collect(*folders[:10], "--out", uri)
    assert (code, said) == (1, said_of(2, 1, 7)), complaint
    assert "terminating connection" in complaint or "closed the connection" in complaint  # each driver's words
    assert "6 more were not tried" in complaint


def check_server_killed(server, folders):
    """What was not tried is counted; when the server is back, the rest is added, and nothing twice."""
    uri = server.database("dying")
    process = start(*folders, "--out", uri)
    deadline = time.monotonic() + 120
    while not (server.say(uri, "select to_regclass('runs')") != [["NULL"]]
               and server.say(uri, "select count(*) from runs") != [["0"]]):
        assert time.monotonic() < deadline
    server.crash()
    said, complaint = process.communicate(timeout=60)
    assert process.returncode == 1 and "more were not tried" in complaint, said + complaint
    added = int(said.split()[0])
    server.start()
    code, said, complaint = collect(*folders, "--out", uri)
    assert code == 0 and added <= int(said.split()[3]) <= added + 1, complaint
    assert_whole_on_server(server, uri, folders)


def check_drivers(server, folders):
    """With each of them alone, and with neither."""
    for name, missing in (("psycopg", "psycopg2"), ("psycopg2", "psycopg")):
        if name == "psycopg" and importlib.util.find_spec(name) is None:
            continue  # the tests ask for psycopg2 alone
        uri = server.database(f"with_{name}")
        done = subprocess.run([*without(missing), "collect", *map(str, folders), "--out", uri],
                              capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, said_of(50)), done.stderr
        assert_whole_on_server(server, uri, folders)
    done = subprocess.run([*without("psycopg", "psycopg2"), "collect", folders[0], "--out", uri],
                          capture_output=True, text=True)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert "install the Debian package python3-psycopg2" in done.stderr


def test_a_server(lab, folders, measured, tmp_path):
    """One test, since its server takes a second to make."""
    path = tmp_path / "runs.sqlite"
    with Server() as server:
        uri = server.database("runs")
        for out in (path, uri):
            assert collect(lab, measured, lab.parent / "rob-64", "--out", out) == (0, said_of(52), "")
        assert collect(lab, measured, "--out", uri) == (0, said_of(0, 51), "")
        check_same_as_sqlite(server, uri, path)
        check_four_writers(server, folders)
        check_refusals(server, lab, tmp_path)
        check_killed(server, folders)
        check_lost(server, folders)
        check_drivers(server, folders)
        check_server_killed(server, folders)
