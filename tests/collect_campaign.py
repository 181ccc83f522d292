"""collect_campaign: a thousand folders into SQLite, and by four writers at once into PostgreSQL.

usage: collect_campaign.py [RUNS [FOLDER]]

Makes the runs by the model where FOLDER has none yet, and says how long collecting takes; by hand,
since making them takes minutes.
"""

import random
import resource
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "machines"))

from machine import BUILD  # noqa: E402
from made_runs import model  # noqa: E402
from server import Server  # noqa: E402
from tool import TOOL  # noqa: E402

SECONDS_MAX = 60
WRITERS = 4


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def collect(folders, out):
    """Starts them all, each with folders of its own; what they say, and the seconds they took, all in
    all and of a processor."""
    begun, used = time.monotonic(), processor_seconds()
    writers = [subprocess.Popen([sys.executable, TOOL, "collect", *folders_of, "--out", out], text=True,
                                stdout=subprocess.PIPE) for folders_of in folders]
    said = [writer.communicate()[0].strip() for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * len(writers), said
    return said, time.monotonic() - begun, processor_seconds() - used


def check(what, said, seconds, used, counts, runs):
    added = sum(int(line.split()[0]) for line in said)
    print(f"{what}: {seconds:.1f} s, {used:.1f} of a processor; {counts}; {'; '.join(said)}")
    assert added == counts["runs"] == runs and seconds < SECONDS_MAX


def main(runs=1000, folder=BUILD / "campaign"):
    folder = Path(folder)
    if not folder.exists():
        begun = time.monotonic()
        model(folder, number=runs)
        print(f"made {runs} runs in {time.monotonic() - begun:.0f} s")
    folders = sorted(path for path in folder.iterdir() if path.is_dir())
    assert len(folders) == runs, f"{folder} has {len(folders)} runs: remove it, or ask for so many"
    tables = ("runs", "verdicts", "points")

    path = folder / "runs.sqlite"
    path.unlink(missing_ok=True)
    said, seconds, used = collect([[folder]], path)
    with sqlite3.connect(path) as database:
        counts = {table: database.execute(f"select count(*) from {table}").fetchone()[0]
                  for table in tables}
    check("SQLite", said, seconds, used, counts, runs)
    said, seconds, used = collect([[folder]], path)
    print(f"SQLite, a second time: {seconds:.1f} s; {said[0]}")

    with Server() as server:
        uri = server.database("campaign")
        chance = random.Random(1)
        said, seconds, used = collect([chance.sample(folders, runs) for _ in range(WRITERS)], uri)
        there = {table: int(server.say(uri, f"select count(*) from {table}")[0][0])
                 for table in tables}
    assert there == counts
    check(f"PostgreSQL, {WRITERS} writers, all of them with every run", said, seconds, used, there, runs)


main(*(kind(word) for kind, word in zip((int, str), sys.argv[1:])))
