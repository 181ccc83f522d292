"""references: prints the tables that the manual has of the reference data (images/data), beside published figures.

usage: references.py TABLE      one of agreement, table-6-1, arrays, shuffle, walks; page: the page's references.csv

`?` behind a value: the answer is in doubt; `-`: it is not known, or was not measured.
"""

import csv
import functools
import gzip
import io
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "tool"))
from mlpboot.cases import preference  # noqa: E402
from mlpboot.csv_text import number_text  # noqa: E402
from mlpboot.runs import parse_verdicts  # noqa: E402

UNKNOWN = "-"


class Reference:
    def __init__(self, folder):
        self.said = json.loads((folder / "run.json").read_text())
        self.published = [row for row in published() if is_of(row, self.said["processor"])]
        self.uarch = self.published[0]["uarch"]
        self.verdicts = parse_verdicts(str(folder), (folder / "verdicts.csv").read_bytes())
        text = gzip.decompress((folder / "results.csv.gz").read_bytes()).decode()
        self.rows = list(csv.DictReader(io.StringIO(text)))

    def verdict(self, name, *cases, experiments=("mlp", "structures", "array", "tlb", "patterns", "shuffle")):
        """Returns the best verdict of that name, ok before doubt, in the order of the cases; None: there is none with a value."""
        found = [v for v in self.verdicts if v.name == name and v.experiment in experiments
                 and (v.case in cases if cases else not {"shared", "prefetch", "store", "nt"} & set(v.case.split("-")[1:]))
                 and v.value == v.value]
        return min(found, key=lambda v: (v.status != "ok", cases.index(v.case)) if cases else preference(v), default=None)


def cell(verdict, decimals=1):
    """Returns a verdict's value, its interval, and whether it is in doubt."""
    if verdict is None:
        return UNKNOWN
    value, low, high = (number_text(number, decimals) for number in verdict[3:6])
    ends = f" [{low}..{high}]" if low and high and low != high else ""
    return f"{value}{'' if verdict.status == 'ok' else '?'}{ends}"


def table(titles, rows):
    return ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|", *("| " + " | ".join(row) + " |" for row in rows)]


# --- agreement ---------------------------------------------------------------------------------

# Figures that others publish, too; the second word: the accesses of whose case they are.
COUNTED = ["rob_entries", "load_queue", "loads_in_flight", "store_queue", "integer_registers", "vector_registers",
           "fill_buffers", "fill_buffers prefetch", "l1_bytes", "l2_bytes", "l1_latency_cycles", "l2_latency_cycles",
           "dtlb_entries", "stlb_entries"]
STRUCTURES = {"loads_in_flight": "load_queue", "loads_waiting": "load_queue"}  # of which published.csv has several kinds


@functools.cache
def kinds():
    """Returns what each verdict counts."""
    with open(HERE / "page" / "words.csv", newline="", encoding="utf-8") as file:
        return {row[1]: row[2] for row in csv.reader(file) if row[0] == "counted"}


@functools.cache
def published():
    """Returns the rows of published.csv."""
    with open(HERE / "page" / "published.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def is_of(row, processor):
    ranges = [part.split("-") for part in row["models"].split()]
    return (row["vendor"], row["family"]) == (processor["vendor"], str(processor["family"])) and row["core"] in ("", "P") and \
        any(int(ends[0], 16) <= processor["model"] <= int(ends[-1], 16) for ends in ranges)


def published_text(reference, name, kind, pages):
    for row in reference.published:
        if row["figure"] == STRUCTURES.get(name, name) and row["kind"] == kind and row["pages"] in ("", pages):
            return f"{row['low']} to {row['high']}" if row["value"] == "" else row["value"]
    return UNKNOWN


def agreement(references):
    rows = []
    for figure in COUNTED:
        name, _, access = figure.partition(" ")
        cells = [f"`{name}`" + (f" ({access})" if access else ""), kinds()[figure]]
        for reference in references:
            verdict = reference.verdict(name, f"2m-{access}", f"4k-{access}") if access else reference.verdict(name)
            pages = "4k" if verdict and "4k" in verdict.case.split("-") else "2m"
            cells += [cell(verdict), published_text(reference, name, kinds()[figure], pages)]
        rows.append(cells)
    titles = [word for one in references for word in (one.uarch, "published")]
    return table(["verdict", "counts", *titles], rows)


def page(references):
    """Returns the rows of the answers that are ok, in the columns of published.csv."""
    lines = ["vendor,family,models,core,uarch,figure,kind,pages,value,low,high,source,confidence,note"]
    for one in references:
        processor, models = one.said["processor"], one.published[0]["models"]
        for figure, kind in kinds().items():
            name, _, access = figure.partition(" ")
            for pages in ("2m", "4k", "1g") if name.startswith(("dtlb", "stlb")) else ("",):
                cases = [f"{page}-{access}" for page in ("2m", "4k")] if access else [f"chain-{pages}"] if pages else []
                verdict = one.verdict(name, *cases)
                if verdict is not None and verdict.status == "ok":
                    value, low, high = (number_text(number) for number in verdict[3:6])
                    ends = ["", ""] if low == high else [low, high]
                    lines.append(",".join([processor["vendor"], str(processor["family"]), models, "", one.uarch, STRUCTURES.get(name, name),
                                           kind, pages, value, *ends, "mlpboot", "high", ""]))
    return lines


# --- the source material's figures ----------------------------------------------------------------

# IIT Delhi, 2018, chapters 1 to 3: Xeon E5-2640 v3 (Haswell), 2.6 GHz; times in cycles of that rate.
HASWELL_HZ = 2.6e9
HASWELL = [
    ("2m", "bare metal", "10", "200", "420", "420"), ("4k", "bare metal", "4 to 5", "260", "490 to 570", "520"),
    ("2m", "guest, large pages of the host", "10", "200", UNKNOWN, UNKNOWN),
    ("4k", "guest, large pages of the host", "3 to 4", "340 to 360", UNKNOWN, "650"),
    ("2m", "guest, small pages of the host", "3", "330", UNKNOWN, "600"),
    ("4k", "guest, small pages of the host", "3", "420 to 450", UNKNOWN, "800"),
]


def in_published_unit(reference, verdict):
    """Returns a verdict whose unit is ticks in Haswell's cycles, and any other as it is."""
    if verdict is None or verdict.unit != "ticks":
        return verdict
    scale = HASWELL_HZ / reference.said["tsc_hz"]
    return verdict._replace(value=verdict.value * scale, low=verdict.low * scale, high=verdict.high * scale)


def table_6_1(references):
    rows = [["Haswell, published", pages, where, mlp, one, most, two, UNKNOWN] for pages, where, mlp, one, most, two in HASWELL]
    for one in references:
        where = "guest" if one.said["processor"]["virtual"] else "bare metal"
        for page in ("2m", "4k"):
            rows.append([one.uarch, page, where, *(cell(in_published_unit(one, one.verdict(name, page, experiments=("mlp",))), decimals=decimals)
                         for name, decimals in (("mlp", 0), ("one_load", 0), ("time_at_mlp_plus_1", 0), ("two_sequential", 0),
                                                ("overhead", 0)))])
    return table(["core", "pages", "where", "MLP", "one access", "MLP + 1", "two sequential", "overhead, %"], rows)


def time_of(reference, case, chains, size):
    """Returns the time of an access in Haswell's cycles: many accesses less few, by the accesses between; None: not measured."""
    own = sorted((row for row in reference.rows
                  if (row["experiment"], row["case"], row["metric"], row["n"], row["bytes"]) == ("array", case, "tsc", str(chains), str(size))
                  and row["samples"] != "0"), key=lambda row: int(row["k"]))
    count = chains * (int(own[-1]["k"]) - int(own[0]["k"])) if own else 0
    ticks = (float(own[-1]["center"]) - float(own[0]["center"])) / count if count else None
    return ticks and ticks * HASWELL_HZ / reference.said["tsc_hz"]


def size_text(size):
    unit, name = next((unit, name) for unit, name in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")) if size >= unit)
    return f"{size // unit} {name}"


def arrays(references):
    lines = []
    for one in references:
        case = next(case for case in ("2m", "4k") if any(row["experiment"] == "array" and row["case"] == case for row in one.rows))
        sizes = [size for size in (1 << bits for bits in range(10, 31)) if time_of(one, case, 1, size) is not None]
        cells = [[size_text(size), *(UNKNOWN if time is None else number_text(time, 1 if time < 100 else 0)
                                     for time in (time_of(one, case, chains, size) for chains in range(1, 12)))] for size in sizes]
        lines += [f"{one.uarch}, case `{case}`:", "", *table(["array", *map(str, range(1, 12))], cells), ""]
    return lines[:-1]


# Startin, 2018: operations in a time unit, by stage.
STARTIN = [("plain, precomputed", ["0.347", "0.352", "0.345", "0.370"]), ("plain, on the fly", ["0.217", "0.233", "0.231", "0.214"]),
           ("staged, on the fly", ["0.248", "0.307", "0.326", "0.345"])]
LOOPS = {"plain, precomputed": "plain-precomputed-2m", "plain, on the fly": "plain-onthefly-2m", "staged, on the fly": "staged-onthefly-2m"}
STAGES = [8, 16, 32, 64]


def swaps(reference, case, stage):
    """Returns the swaps of the largest array that 10 ns hold; `-`: not measured."""
    rows = [row for row in reference.rows if row["experiment"] == "shuffle" and row["case"] == case and row["metric"] == "tsc"]
    most = max((int(row["bytes"]) for row in rows), default=0)
    times = [float(row["center"]) / int(row["k"]) for row in rows if row["bytes"] == str(most) and row["stage"] == str(stage)]
    return number_text(len(times) / sum(times) * reference.said["tsc_hz"] / 1e8, 3) if times else UNKNOWN


def shuffle(references):
    return table(["loop", "core", *(f"stage {stage}" for stage in STAGES)], [
        row for loop, figures in STARTIN for row in [[loop, "published", *figures], *(
            [loop, one.uarch, *(swaps(one, LOOPS[loop], stage) for stage in STAGES)] for one in references)]])


# Thompson, 2012: nanoseconds per access.
THOMPSON = [("U4100, 1.3 GHz, published", "2.4", "12.2", "152"), ("i7-860, 2.8 GHz, published", "1.0", "3.8", "29"),
            ("i7-2760QM, 2.4 GHz, published", "0.9", "3.3", "9.5")]


def walks(references):
    measured = [[one.uarch, *(cell(one.verdict("ns_per_access", f"{pattern}-2m"), decimals=2)
                              for pattern in ("linear", "page", "heap", "random"))] for one in references]
    return table(["core", "linear", "random page", "random heap", "random"], [*([*row, UNKNOWN] for row in THOMPSON), *measured])


TABLES = {"agreement": agreement, "page": page, "table-6-1": table_6_1, "arrays": arrays, "shuffle": shuffle, "walks": walks}


def main():
    if sys.argv[1:2] in ([], ["--help"], ["-h"]) or sys.argv[1] not in TABLES:
        print(__doc__.strip())
        sys.exit(0 if sys.argv[1:2] in (["--help"], ["-h"]) else 2)
    print("\n".join(TABLES[sys.argv[1]]([Reference(path.parent) for path in sorted(HERE.glob("data/*/run.json"))])))


if __name__ == "__main__":
    main()
