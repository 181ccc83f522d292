"""table: runs of any machines side by side, a line for each case of mlp."""
import math
import os

from .columns import lay_out
from .csv_text import csv_line, number_text
from .files import Trouble, shown, warn, write_new
from .runs import as_number, as_text, member, readable_runs

DOES = "runs of any machines side by side, a line for each case"
HELP = """\
A RUN is a folder that a run left, or one that holds such folders, as `results` of a stick does; a
report.html; or a .zip of any of these. One that cannot be read is named, and the others are shown."""
EXIT_TROUBLE = 1

# Titles of the printed column (None: only the CSV has it) and of the CSV's; its place in run.json; True if it is text.
COLUMNS = [
    ("folder", "folder", None, True),
    ("platform", "platform", "platform", True),
    ("processor", "processor", "processor.brand", True),
    ("label", "label", "label", True),
    ("case", "case", None, True),
    ("status", "status", None, True),
    ("MLP", "mlp", None, False),
    ("one load", "one_load", None, False),
    ("at MLP + 1", "time_at_mlp_plus_1", None, False),
    ("overhead %", "overhead", None, False),
    ("walk cost", "walk_cost", None, False),
    ("interrupts", "interrupts", "certificate.interrupts", True),
    ("max gap ns", "max_gap_ns", "certificate.max_gap_ns", False),
    ("gaps/s", "gaps_over_1us_per_second", "certificate.gaps_over_1us_per_second", False),
    ("SMI", "smi_during_run", "certificate.smi_during_run", False),
    ("drift %", "frequency_drift_percent", "certificate.frequency_drift_percent", False),
    (None, "tsc_hz", "tsc_hz", False),
    ("run status", "run_status", "status", True),
    ("machine", "machine", "machine.id", True),
    ("UTC", "utc", "machine.utc_start", True),
]
OF_CASE = ["mlp", "one_load", "time_at_mlp_plus_1", "overhead"]  # verdicts of one case


def add_arguments(parser):
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument("--out", metavar="DIR", help="writes DIR/summary.csv too, which must be new; its columns: "
                        + ",".join(name for _, name, _, _ in COLUMNS))


def run(given):
    rows, refused = [], []

    def refuse(trouble):
        warn(trouble)
        refused.append(trouble)

    for one in readable_runs(given.runs, refuse):
        try:
            rows += rows_of(one)
        except Trouble as trouble:
            refuse(trouble)
    if not rows:
        return 1
    if given.out is not None:
        save(given.out, rows)
    print("\n".join(lines_of(rows)))
    return 1 if refused else 0


def rows_of(one):
    """Returns a dict of the CSV's columns for each case of mlp, and one for a run without such a case."""
    verdicts, said = one.verdicts(), one.json()
    told = {name: as_text(member(said, path)) if is_text else as_number(member(said, path))
            for _, name, path, is_text in COLUMNS if path is not None}
    told["folder"] = one.path
    cases = [v for v in verdicts if v.name == "mlp" and v.status != "skip" and v.experiment != "smt"]
    return [{**told, **case_row(case, verdicts)} for case in cases] or [{**told, "case": "", "status": ""}]


def case_row(case, verdicts):
    values = {v.name: v.value for v in reversed(verdicts)
              if (v.experiment, v.case) == (case.experiment, case.case) and v.name in OF_CASE}
    walks = [v.value for v in verdicts if v.name == "walk_cost" and v.case == case.case]
    return {**values, "case": case.case, "status": case.status, "walk_cost": walks[0] if walks else math.nan}


def save(folder, rows):
    os.makedirs(folder, exist_ok=True)
    write_new(os.path.join(folder, "summary.csv"),
              [csv_line([name for _, name, _, _ in COLUMNS]).encode()]
              + [csv_line(csv_cells(row)).encode("utf-8", "replace") for row in rows])


def csv_cells(row):
    return [row[name] if is_text else number_text(row.get(name, math.nan)) for _, name, _, is_text in COLUMNS]


def lines_of(rows):
    printed = [column for column in COLUMNS if column[0] is not None]
    cells = [[text_cell(row[name]) if is_text else number_text(row.get(name, math.nan), 1) or "-"
              for _, name, _, is_text in printed] for row in rows]
    left = {i for i, column in enumerate(printed[:-1]) if column[3]}
    return lay_out([column[0] for column in printed], cells, left, last_unpadded=False)


def text_cell(text):
    """Returns a text for a terminal; of a long one the end, since the last part of a path says most."""
    return shown(text if len(text) < 64 else text[-40:]) or "-"
