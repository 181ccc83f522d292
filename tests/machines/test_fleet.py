"""Many machines: the odd ones are named with what may explain them, and no others."""

import csv
import json
import random
import re
import shutil
import sqlite3
import tarfile

import pytest

from made_fleet import BENT, make_fleet
from measured_fleet import EMPTY, STORED, bent_machines
from tool import tool

from mlpboot.points import COLUMNS
from mlpboot.outliers import FALSE_FLEETS, GROUP_LEAST, Value, far_values, spreads_by_chance, t_tail

ALIKE, ODD, TROUBLE = 0, 1, 2


def fleet(*words):
    """The exit status, and what --json says."""
    code, said, complaint = tool("fleet", "--json", *words)
    return code, json.loads(said) if said else None, complaint


@pytest.fixture(scope="module")
def forty(tmp_path_factory):
    folder = tmp_path_factory.mktemp("forty")
    return folder, make_fleet(folder, 40, 1, list(BENT))


# --- the rule ---


@pytest.mark.parametrize("t, degrees, tail", [(12.706, 1, 0.05), (4.303, 2, 0.05), (3.182, 3, 0.05), (2.228, 10, 0.05),
                                              (5.893, 6, 0.001064), (3.883, 19, 0.001)])
def test_students_tails(t, degrees, tail):
    """By the tables of Abramowitz and Stegun, 26.10."""
    assert t_tail(t, degrees) == pytest.approx(tail, rel=2e-2)


def test_a_small_group_needs_more_spreads():
    bounds = [spreads_by_chance(others, 20 * (others + 1)) for others in (4, 7, 11, 39, 399)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] > 40 and bounds[-1] < 6.1


@pytest.mark.parametrize("machines", [GROUP_LEAST, 8, 40])
def test_equal_machines_are_seldom_odd(machines):
    """100 fleets with 20 figures each; the intervals are no help: each is its value."""
    rng, false = random.Random(machines), 0
    for _ in range(100):
        figures = [[rng.gauss(100, 10) for _ in range(machines)] for _ in range(20)]
        false += any(far_values([Value(x, x, x) for x in figure], 20 * machines) for figure in figures)
    assert false <= 100 * FALSE_FLEETS + 3 * (100 * FALSE_FLEETS) ** 0.5


def values(*numbers, reach=1):
    return [Value(number, number - reach, number + reach) for number in numbers]


@pytest.mark.parametrize("odd, floor, is_far", [(104, 0, True), (102.9, 0, False), (97, 0, False), (96, 0, True),
                                               (104, 5, False)])
def test_far_is_more_than_three_percent(odd, floor, is_far):
    """The others are exactly alike."""
    found = far_values(values(*[100] * 9, odd, reach=0.1), 10, floor)
    assert [far.index for far in found] == [9] * is_far


def test_a_wide_interval_is_not_far():
    group = values(*[100] * 9)
    assert far_values([*group, Value(120, 101.1, 140)], 10) != []
    assert far_values([*group, Value(120, 100, 140)], 10) == []
    assert far_values([*group, Value(80, 60, 100)], 10) == []


def test_many_odd_ones_do_not_hide_each_other():
    found = far_values(values(*[100, 101, 99] * 10, *[150] * 7), 37)
    assert [far.index for far in found] == list(range(30, 37))


# --- what it names ---


def test_seven_faults_of_forty_measured_machines(tmp_path):
    """Each is named by its figure and the condition that came with it, and no other machine is."""
    with tarfile.open(STORED) as stored:
        stored.extractall(tmp_path)
    code, said, complaint = fleet(tmp_path)
    assert code == ODD and complaint == ""
    assert {one["machine"] for one in said["odd"]} == {f"slot {number}" for number in bent_machines()}
    for one in said["odd"]:
        fault = bent_machines()[int(one["machine"].split()[1])]
        assert [seen["figure"] for seen in one["figures"]] == ([fault.figure] if fault.figure else [])
        assert list(one["conditions"]) == ([fault.condition] if fault.condition else [])


def test_seven_odd_machines_of_forty(forty):
    folder, bent = forty
    code, said, complaint = fleet(folder)
    assert code == ODD and complaint == ""
    assert {one["machine"]: [figure["figure"] for figure in one["figures"]] for one in said["odd"]} == {
        machine: [figure] for machine, figure in bent.items()}
    words = {one["figures"][0]["figure"]: one["words"] for one in said["odd"]}
    assert f"11 of 12 DIMMs: {EMPTY} is empty" in words["memory latency"]
    assert words["fill buffers"] == ["fill buffers 12 buffers (-25 %), median of 39 others 16",
                                     'turbo "off", most others "as the firmware left it"']
    assert words["page walk"][-1] == "none of the conditions differs"


def test_the_text_has_a_line_for_each_odd_machine_the_worst_first(forty):
    folder, bent = forty
    code, said, _ = tool("fleet", folder)
    lines, alike = said.split("\n\n")
    assert code == ODD and len(lines.splitlines()) == 7
    worst = sorted(bent, key=lambda machine: -abs(BENT[bent[machine]][1] - 1))
    assert lines.partition(":")[0] == worst[0] and lines.splitlines()[-1].partition(":")[0] == worst[-1]
    assert alike.startswith("33 of 40 machines are alike: ")


@pytest.mark.parametrize("machines, bent", [(8, ["memory latency"]), (8, []), (40, []), (400, list(BENT))])
def test_fleets_of_other_sizes(tmp_path, machines, bent):
    wanted = make_fleet(tmp_path / "runs", machines, 2, bent)
    code, said, _ = fleet(tmp_path / "runs")
    assert {one["machine"]: one["figures"][0]["figure"] for one in said["odd"]} == wanted
    assert code == (ODD if bent else ALIKE)


def test_the_uncores_clock_is_a_condition(tmp_path):
    make_fleet(tmp_path, 8, 3)
    for number, path in enumerate(sorted(tmp_path.glob("*/run.json"))):
        uncore = {"permitted_least_mhz": 800, "permitted_most_mhz": 1800 if number == 5 else 2400}
        path.write_text(json.dumps(json.loads(path.read_text()) | {"uncore": uncore}))
    code, said, _ = fleet(tmp_path)
    assert code == ODD and said["odd"][0]["conditions"] == {"uncore": {"here": "800 to 1800 MHz", "most": "800 to 2400 MHz"}}


def test_a_collected_fleet(tmp_path, forty):
    """As the folders say it; a run's name in a database may be anything."""
    path = tmp_path / "runs.sqlite"
    for folder in forty[0].iterdir():
        shutil.copytree(folder, tmp_path / "runs" / folder.name)
        (tmp_path / "runs" / folder.name / "results.csv").write_text(",".join(COLUMNS) + "\n")
    assert tool("collect", tmp_path / "runs", "--out", path)[0] == 0
    assert tool("fleet", path)[1] == tool("fleet", tmp_path / "runs")[1]
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA foreign_keys = OFF")
        database.execute("UPDATE runs SET id = 'it''s' || id")
        database.execute("UPDATE verdicts SET run = 'it''s' || run")
    assert tool("fleet", path)[1] == tool("fleet", tmp_path / "runs")[1]


def test_conditions_alone(tmp_path):
    """One of eight has another microcode: it is named, behind those with an odd figure."""
    make_fleet(tmp_path, 8, 3)
    path = tmp_path / "004" / "run.json"
    path.write_text(path.read_text().replace("0x1000065", "0x1000067"))
    code, said, _ = fleet(tmp_path)
    assert code == ODD and [one["machine"] for one in said["odd"]] == ["slot 4"]
    assert said["odd"][0]["conditions"] == {"microcode": {"here": "0x1000067", "most": "0x1000065"}}


def test_kinds_are_not_mixed(tmp_path):
    """Two kinds of processor: each is a group; what is usual of one is not odd of the other."""
    make_fleet(tmp_path / "a", 6, 4)
    make_fleet(tmp_path / "b", 6, 5)
    for path in (tmp_path / "b").glob("*/run.json"):
        said = json.loads(path.read_text())
        said["processor"]["model"] += 1
        path.write_text(json.dumps(said))
    for path in (tmp_path / "b").glob("*/verdicts.csv"):
        path.write_text(path.read_text().replace("l2_bytes,1048576.000,1048576.000,1310720.000", "l2_bytes,2097152,2097152,2621440"))
    code, said, _ = fleet(tmp_path / "a", tmp_path / "b")
    assert code == ALIKE and [group["machines"] for group in said["groups"]] == [6, 6]


# --- small groups ---


def test_too_few_are_compared_with_stored_runs(tmp_path, forty):
    folder, bent = forty
    odd = next(machine for machine, figure in bent.items() if figure == "memory latency")
    for number in (int(odd.split()[1]), next(i for i in range(40) if f"slot {i}" not in bent)):
        shutil.copytree(folder / f"{number:03}", tmp_path / f"{number:03}")
    code, said, _ = tool("fleet", tmp_path)
    assert code == ALIKE and "fewer than 5 are too few" in said
    code, said, _ = fleet(tmp_path, "--against", folder)
    assert code == ODD and [one["machine"] for one in said["odd"]] == [odd]


# --- other input and output ---


def test_json_has_each_machine(tmp_path, forty):
    """The odd ones first, then the typical one; how far each figure is from the median: from 6 on it may be odd."""
    folder, bent = forty
    (group,) = fleet(folder)[1]["groups"]
    figures, rows = group["figures"], group["rows"]
    assert len(rows) == 40 and {row["machine"] for row in rows[:7]} == set(bent)
    assert all(row["words"] for row in rows[:7]) and not any(row["words"] or row["unlike"] for row in rows[7:])
    assert rows[7]["name"] == group["typical"]
    totals = [sum(abs(cell["spreads"]) for cell in row["cells"]) for row in rows[7:]]
    assert totals[0] == min(totals)
    for row in rows:
        for figure, cell in zip(figures, row["cells"], strict=True):
            unit = max(figure["spread"], 0.005 * figure["median"])
            distance = cell["value"] - figure["median"]
            assert cell["spreads"] == pytest.approx(distance / unit if unit else 0, abs=0.006)
            assert cell["odd"] == (bent.get(row["machine"]) == figure["figure"]) == (abs(cell["spreads"]) > 6)


def test_a_long_label_or_none_names_a_row(tmp_path):
    make_fleet(tmp_path, 8, 6)
    for folder, label in (("003", "x" * 4000), ("004", " "), ("005", 5)):
        path = tmp_path / folder / "run.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"label": label}))
    names = {row["machine"] for row in fleet(tmp_path)[1]["groups"][0]["rows"]}
    assert {"x" * 48, "004", "005", "slot 0"} <= names


def test_a_page_has_what_json_says(tmp_path, forty):
    folder, _ = forty
    assert tool("fleet", folder, "--html", tmp_path / "a.html")[0] == ODD
    assert tool("report", folder, "--out", tmp_path / "b.html")[0] == 0
    text = (tmp_path / "a.html").read_text()
    assert text == (tmp_path / "b.html").read_text()
    start = text.index('class="fleet">') + len('class="fleet">')
    (group,) = json.loads(text[start:text.index("</script>", start)])["groups"]
    assert [row.pop("is_stored") for row in group["rows"]] == [True] * 8 + [False] * 32
    assert [group] == fleet(folder)[1]["groups"]
    code, _, complaint = tool("fleet", folder, "--html", tmp_path / "a.html")
    assert code == TROUBLE and "is there already" in complaint


@pytest.mark.parametrize("members, is_odd", [({}, True), ({"hypervisor": {"name": "KVM"}}, False), ({"platform": "linux"}, False)])
def test_what_neighbours_did_in_a_minute_is_no_fault_of_a_machine(tmp_path, members, is_odd):
    """Of 24 runs of one guest, in three a neighbour had most of the core: 17 of 20 fleets of ten of them had an odd machine."""
    make_fleet(tmp_path, 8, 1)
    for number in range(8):
        share = 70 if number == 3 else 0.2
        path, verdicts = (tmp_path / f"{number:03}" / name for name in ("run.json", "verdicts.csv"))
        path.write_text(json.dumps(json.loads(path.read_text()) | members))
        verdicts.write_text(re.sub("(?m)^(noise,core,shared_share,).*$", rf"\g<1>{share},{share},{share + 1},%,ok,,m", verdicts.read_text()))
    code, said, _ = fleet(tmp_path)
    [column] = [one for one in said["groups"][0]["figures"] if one["figure"] == "core shared"]
    assert column["most"] == 70 and code == (ODD if is_odd else ALIKE)
    assert [[figure["figure"] for figure in one["figures"]] for one in said["odd"]] == [["core shared"]] * is_odd


@pytest.mark.parametrize("value, is_figure", [("1.7e308", False), ("1e18", False), ("5e17", True)])
def test_a_number_that_no_machine_has_is_no_figure(tmp_path, value, is_figure):
    """Medians of such would be infinite, which JSON cannot say."""
    make_fleet(tmp_path, 8, 6)
    for folder in ("003", "004", "005"):
        path = tmp_path / folder / "verdicts.csv"
        lines = [line.split(",", 6) for line in path.read_text().splitlines()]
        for line in lines:
            line[3:6] = [value] * 3 if line[2] == "l3_latency_cycles" else line[3:6]
        path.write_text("".join(",".join(line) + "\n" for line in lines))
    (group,) = fleet(tmp_path)[1]["groups"]
    (place,) = [i for i, figure in enumerate(group["figures"]) if figure["figure"] == "L3 latency"]
    assert sum(row["cells"][place] is not None for row in group["rows"]) == (8 if is_figure else 5)
    json.dumps(group, allow_nan=False)


def test_csv(tmp_path, forty):
    folder, bent = forty
    tool("fleet", folder, "--csv", tmp_path / "fleet.csv")
    with open(tmp_path / "fleet.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["machine"]: row["figure"] for row in rows if row["odd"] == "yes"} == bent
    code, _, complaint = tool("fleet", folder, "--csv", tmp_path / "fleet.csv")
    assert code == TROUBLE and "is there already" in complaint


def test_a_damaged_run_is_named_and_the_others_are_judged(tmp_path):
    make_fleet(tmp_path, 8, 6)
    (tmp_path / "003" / "verdicts.csv").write_text("no table\n")
    code, said, complaint = fleet(tmp_path)
    assert code == TROUBLE and "003" in complaint
    assert said["groups"][0]["machines"] == 7


@pytest.mark.parametrize("words", [[], ["missing"], ["--against"]])
def test_usage(words):
    code, said, complaint = tool("fleet", *words)
    assert code == TROUBLE and said == "" and complaint != ""
