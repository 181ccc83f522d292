"""Runs of several machines in one table, and the floor that every run's values are compared with."""

import csv
import io
import json
import re
import shutil

import pytest

from machine import ROOT, Results, boot
from made_runs import hosted, run
from tool import tool

TEXTS = ["folder", "platform", "processor", "label", "case", "status"]
NUMBERS = ["mlp", "one_load", "time_at_mlp_plus_1", "overhead", "walk_cost"]
CERTIFICATE = ["interrupts", "max_gap_ns", "gaps_over_1us_per_second", "smi_during_run",
               "frequency_drift_percent", "tsc_hz"]
LAST = ["run_status", "machine", "utc"]
HEADER = TEXTS + NUMBERS + CERTIFICATE + LAST
SMALL = ["pages=2m 4k", "samples.min=5", "samples.max=50", "mlp.loads=1-14", "mlp.fillers=0-400/16",
         "mlp.dependent=1-3", "mlp.bytes=16m"]

EMULATED = "\n".join([*(setting for setting in SMALL if "mlp.fillers" not in setting),
                      "mlp.fillers=0-320/64", "label = emulated", ""])


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A modelled core with two experiments, this processor, and the image in QEMU."""
    folder = tmp_path_factory.mktemp("runs")
    run(folder / "model", *SMALL, "experiments=mlp tlb", "tlb.pages=2-8*2", "tlb.loads=1-4", 'label=a "quoted", label')
    for _ in range(8):  # a neighbour that shares every visit leaves no sample; it does not stay for ever
        shutil.rmtree(folder / "linux", ignore_errors=True)
        run(folder / "linux", *SMALL, "experiments=floor mlp", "label=here", platform="linux")
        if verdicts_of(folder / "linux").get(("mlp", "4k", "mlp")):
            break
    (folder / "machine").mkdir()
    machine = boot(folder / "machine", EMULATED, timeout=400)
    (folder / "efi").mkdir()
    for name, data in machine.check_done().files.items():
        (folder / "efi" / name).write_bytes(data)
    return folder


@pytest.mark.parametrize("platform", ["efi", "linux", "model"])
def test_the_page_that_a_run_leaves_opens(runs, browser, platform):
    """From its file, as the image in QEMU, this processor and the model have written it."""
    browser.requests()
    browser.open(runs / platform / "report.html", "ticks")
    browser.wait_for_charts("rob", "mlp", least=2)
    ids = browser.run("return [...document.querySelectorAll('section')].map((one) => one.id)")
    modules = {path.stem for path in (ROOT / "images/page/sections").iterdir()}
    assert sorted(ids) == sorted(modules - {"fleet", "strip"} | {"shuffle"})  # of many runs; of the head; beside patterns
    told = " ".join(browser.read(("mlp", 0), "ArrowRight"))
    loads, mean = re.match(r"loads side by side \(N\) (\d+) .*?mean: ([\d,.]+)", told).groups()
    of_file = [float(row["mean"]) for row in Results.of_folder(runs / platform).rows
               if row["experiment"] == "mlp" and row["n"] == loads and row["k"] == "0" and row["metric"] == "tsc"
               and row["mean"] != ""]  # a neighbour may leave a case without samples
    assert any(value == pytest.approx(float(mean.replace(",", "")), abs=0.06, rel=1e-3) for value in of_file)
    assert all(address.startswith(("file:", "data:", "blob:")) for address in browser.requests())
    assert browser.complaints() == []


def again(path):
    code, said, complaint = hosted("analyze", path)
    assert code == 0, complaint
    return said


def summary(*words):
    code, said, complaint = tool("table", *words)
    assert code == 0, complaint
    return said


def verdicts_of(folder):
    results = Results.of_folder(folder)
    return {(v["experiment"], v["case"], v["name"]): v["value"] for v in results.verdicts}


def without_shared(pairs):
    """A neighbour on our core may bring cases of its own, or be all there is."""
    return list(dict.fromkeys((folder, case.removesuffix("-shared")) for folder, case in pairs))


def test_machines_stand_in_one_table(runs, tmp_path):
    folders = [runs / name for name in ("model", "linux", "efi")]
    said = summary(*folders, "--out", tmp_path / "out")
    lines = said.splitlines()
    assert len({len(line) for line in lines}) == 1  # aligned: the last column is to the right
    assert lines[0].split()[-4:] == ["run", "status", "machine", "UTC"]
    with open(tmp_path / "out/summary.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == HEADER
    assert len(lines) == 1 + len(rows)
    pairs = without_shared((row["folder"], row["case"]) for row in rows)
    # Two page sizes each; Linux may have no free memory for the large ones, and an emulator answers nothing.
    of_linux = [case for folder, case in pairs if folder == str(runs / "linux")]
    assert sorted(pairs) == sorted([(str(runs / "efi"), ""), *((str(folder), case) for folder in folders[:2] for case in ("2m", "4k")
                                                               if folder != runs / "linux" or case in of_linux)])
    assert "4k" in of_linux
    for row in rows:
        wanted = verdicts_of(row["folder"])
        for name in NUMBERS[:4]:
            assert row[name] == wanted.get(("mlp", row["case"], name), ""), row
        facts = json.loads((runs / row["folder"] / "run.json").read_text())
        assert row["processor"] == facts["processor"]["brand"].strip()
        assert row["platform"] == facts["platform"] and row["label"] == facts["label"]
        gap = facts["certificate"]["max_gap_ns"]
        assert (float(row["max_gap_ns"]) if row["max_gap_ns"] else None) == gap
        assert float(row["tsc_hz"]) == facts["tsc_hz"]
        assert row["run_status"] == facts["status"] == "done"
        machine = facts["machine"]
        assert (row["machine"], row["utc"]) == (machine["id"], machine["utc_start"])
        assert bool(row["machine"]) == (row["platform"] != "model") and row["utc"].endswith("Z")
    assert rows[0]["label"] == 'a "quoted", label'
    assert rows[0]["mlp"] == "10" and rows[0]["walk_cost"] == ""
    assert rows[1]["walk_cost"] == verdicts_of(folders[0])["tlb", "4k", "walk_cost"] == "60"
    assert [row["label"] for row in rows[2:]] == ["here"] * (len(rows) - 3) + ["emulated"]
    for word in ("MLP", "one load", "at MLP + 1", "overhead %", "walk cost", "emulated"):
        assert word in said


def test_one_file_still_gives_its_verdicts(runs):
    for name in ("model", "linux", "efi"):
        assert again(runs / name / "results.csv").encode() == (
            runs / name / "verdicts.csv").read_bytes()


def test_a_folder_alone_and_one_that_holds_runs(runs):
    assert len(summary(runs / "model").splitlines()) == 3
    lines = summary(runs / "model", runs).splitlines()
    assert lines[1].split()[1] == "model" and {line.split()[1] for line in lines[3:]} == {"efi", "linux", "model"}


def test_a_run_without_mlp_has_a_line(tmp_path):
    run(tmp_path / "run", "experiments=floor")
    lines = summary(tmp_path / "run").splitlines()
    assert len(lines) == 2 and "model" in lines[1]


def test_columns_of_numbers_hold_numbers(runs, tmp_path):
    """Or nothing, which is NULL in a database whose columns are declared as the manual says."""
    texts = {*TEXTS, "interrupts", *LAST, "experiment", "metric", "unit", "name", "reason", "method"}
    folders = [runs / name for name in ("model", "linux", "efi")]
    summary(*folders, "--out", tmp_path / "out")
    tables = [tmp_path / "out/summary.csv", *(folder / name for folder in folders for name in ("results.csv", "verdicts.csv"))]
    for path in tables:
        rows = list(csv.DictReader(io.StringIO(path.read_text())))
        for name in set(rows[0]) - texts:
            wrong = [row[name] for row in rows if not re.fullmatch(r"|-?\d+(\.\d+)?", row[name])]
            assert wrong == [], (path, name)
        if path == tables[0]:  # of this processor's cases one may be a shared core's alone
            assert sum(row["one_load"] != "" for row in rows) >= 6 - 2


def test_nothing_is_left_of_broken_folders_alone(runs, tmp_path):
    (tmp_path / "empty").mkdir()
    code, said, complaints = tool("table", tmp_path / "empty", tmp_path / "nowhere", "--out", tmp_path / "out")
    assert (code, said) == (1, "") and len(complaints.splitlines()) == 2
    assert not (tmp_path / "out").exists()


def test_how_each_run_ended(runs, tmp_path):
    """A run that was cut off is in the table and says so; one that measured nothing too."""
    for name, status in (("cut", "partial"), ("failed", "error")):
        shutil.copytree(runs / "model", tmp_path / name)
        facts = json.loads((tmp_path / name / "run.json").read_text())
        (tmp_path / name / "run.json").write_text(json.dumps({**facts, "status": status}))
    header = (tmp_path / "failed/verdicts.csv").read_text().splitlines()[0]
    (tmp_path / "failed/verdicts.csv").write_text(header + "\n")
    said = summary(runs / "model", tmp_path / "cut", tmp_path / "failed", "--out", tmp_path / "out")
    assert [line.split()[-3] for line in said.splitlines()] == [
        "status", "done", "done", "partial", "partial", "error"]
    with open(tmp_path / "out/summary.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["run_status"] for row in rows] == ["done"] * 2 + ["partial"] * 2 + ["error"]
    assert rows[-1]["case"] == rows[-1]["mlp"] == ""


def test_no_byte_of_a_name_is_a_command_for_a_terminal(runs, tmp_path):
    folder = tmp_path / "a\x1b[31m\x07\x9b2J"
    shutil.copytree(runs / "model", folder)
    facts = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**facts, "label": "x\x1b[2J"}))
    lines = summary(folder).splitlines()
    assert len(lines) == 3 and all(line.isprintable() for line in lines)
    assert "a?[31m??2J" in lines[1] and "x?[2J" in lines[1]
    code, _, complaints = tool("table", tmp_path / "b\x1b")
    assert code == 1 and complaints.rstrip("\n").isprintable()


def test_any_number_of_folders(runs):
    assert len(summary(*[runs / "model"] * 200).splitlines()) == 1 + 200 * 2


@pytest.mark.parametrize("column, value, complaint", [
    ("case", "2m\x1b[31m", "holds the byte 0x1b"), ("max", "1e308", "too large"),
    ("p10", "1000000000", "median: "), ("min", "-1", "negative"), ("samples", "1", "one sample"),
])
def test_a_row_that_no_measurement_leaves_is_refused(runs, tmp_path, column, value, complaint):
    rows = list(csv.DictReader(io.StringIO((runs / "model/results.csv").read_text())))
    at = next(i for i, row in enumerate(rows)
              if row["metric"] == "tsc" and row["min"] != row["max"])
    rows[at][column] = value
    with open(tmp_path / "wrong.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    code, said, complaints = hosted("analyze", tmp_path / "wrong.csv")
    assert (code, said) == (1, "")
    assert f"wrong.csv: line {at + 2}, column " in complaints and complaint in complaints
    assert "accepted: " in complaints and complaints.rstrip("\n").isprintable()


def test_nothing_is_overwritten(runs, tmp_path):
    first = summary(runs / "model", "--out", tmp_path / "out")
    assert first
    before = (tmp_path / "out/summary.csv").read_bytes()
    code, said, complaints = tool("table", runs / "linux", "--out", tmp_path / "out")
    assert (code, said) == (1, "") and "summary.csv" in complaints
    assert (tmp_path / "out/summary.csv").read_bytes() == before


# --- the floor ---


def has_rdtscp(folder):
    """The modelled core has the instructions of this processor."""
    return json.loads((folder / "run.json").read_text())["processor"]["rdtscp"]


@pytest.mark.parametrize("width, timer", [(3, 37), (4, 30), (5, 25), (6, 52), (8, 41)])
def test_the_floor_of_a_modelled_core_is_exact(tmp_path, width, timer):
    run(tmp_path / "run", "experiments=floor", platform=f"model:width={width},timer={timer}")
    values = verdicts_of(tmp_path / "run")
    assert values["floor", "timer", "timer_floor"] == str(timer)
    assert values["floor", "timer", "timer_step"] == "1"
    # The registers that keep the first timestamp take a cycle of a core narrower than four;
    # without RDTSCP a fence more is read.
    wide = 4 if has_rdtscp(tmp_path / "run") else 5
    assert values["floor", "lfence", "empty_sample"] == str(timer + (width < wide))
    assert values["floor", "cpuid", "empty_sample"] == str(timer + (width < wide - 1))
    assert float(values["floor", "core", "cpi_floor"]) == round(1 / width, 3)
    assert values["floor", "core", "frequency"] == ""  # its ticks are no time
    assert values["floor", "payload", "payload_surplus"] == "0"


def test_the_floor_of_this_processor(tmp_path):
    said = run(tmp_path / "run", "experiments=floor mlp", *SMALL, platform="linux")
    values = {key: float(value) for key, value in verdicts_of(tmp_path / "run").items() if value}
    assert 0 < values["floor", "timer", "timer_floor"] < 1000
    assert values["floor", "timer", "timer_step"] >= 1
    # A clock in steps is one off now and then.
    steps = values["floor", "timer", "timer_floor"] / values["floor", "timer", "timer_step"]
    assert abs(steps - round(steps)) * values["floor", "timer", "timer_step"] <= 1.001
    # Neighbours that take most of the processor put the values in doubt: their wide intervals hold what is true.
    core = {row["name"]: row for row in Results.of_folder(tmp_path / "run").verdicts if row["case"] == "core"}
    for name, least, most in (("cpi_floor", 0.05, 0.9), ("frequency", 300, 8000)):
        ends = ("value", "value") if core[name]["status"] == "ok" else ("high", "low")
        assert float(core[name][ends[0]]) > least and float(core[name][ends[1]]) < most
    above = [value for key, value in values.items() if key[0] == "mlp" and key[2] == "above_floor"]
    assert len(above) == 1 and above[0] > 1
    shown = re.search(r"mlp \S+ above_floor: ([\d.]+) \[", said)
    assert float(shown[1]) == pytest.approx(above[0], abs=0.051)


@pytest.mark.parametrize("order", ["experiments=mlp", "experiments=mlp floor"])
def test_the_floor_always_comes_first(tmp_path, order):
    said = run(tmp_path / "run", order, *SMALL)
    results = Results.of_folder(tmp_path / "run")
    names = [row["experiment"] for row in results.rows]
    assert names == sorted(names) and set(names) == {"floor", "mlp"}  # each once, floor first
    above = "7.667" if has_rdtscp(tmp_path / "run") else "7.419"  # 230 over 30, or over 31
    assert verdicts_of(tmp_path / "run")["mlp", "2m", "above_floor"] == above
    assert f"ok    mlp 2m above_floor: {above} [" in said
    assert again(tmp_path / "run/results.csv").encode() == results.files["verdicts.csv"]


def test_a_value_at_the_floor_is_in_doubt(tmp_path):
    """One load that hits a cache which takes no time to speak of stands hardly above nothing."""
    run(tmp_path / "run", "experiments=tlb", "pages=2m", "tlb.pages=2-8*2",
        platform="model:timer=400,noise=0.1")
    verdicts = {v["name"]: v for v in Results.of_folder(tmp_path / "run").verdicts
                if v["experiment"] == "tlb"}
    assert verdicts["above_floor"]["status"] == "doubt"
    assert float(verdicts["above_floor"]["value"]) == pytest.approx(1, abs=0.05)


def test_the_image_measures_its_floor(runs):
    results = Results.of_folder(runs / "efi")
    values = verdicts_of(runs / "efi")
    assert {name for experiment, _, name in values if experiment == "floor"} == {
        "timer_floor", "timer_step", "empty_sample", "cpi_floor", "frequency", "forwarding_latency"}
    assert [key for key in values if key[2] == "above_floor" and key[0] == "mlp"]
    assert results.rows[0]["experiment"] == "floor"
