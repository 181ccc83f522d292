"""Two runs compared: the rule, what is named, how it ends, and what is refused."""

import csv
import json
import math
import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

from machine import ROOT
from made_runs import run
from stored_runs import stored_text
from tool import TOOL, tool

from mlpboot.comparison import compare_values
from mlpboot.runs import VERDICT_COLUMNS, Verdict, number

HEADER = ",".join(VERDICT_COLUMNS)
MODEL = ("model:prefetchers=2,noise=0.02,counters=0,l2_bytes=131072,l2_latency=20,l3_bytes=2097152,l3_latency=60,"
         "memory=300")
SMALL = ["experiments=mlp array", "pages=2m", "array.loads=1", "array.bytes=1k-8m*2", "mlp.loads=1-14",
         "mlp.fillers=0-320/32"]
SAME, DIFFERENT, TROUBLE = 0, 1, 2


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """One modelled core three times: as it is, again, and without its prefetchers."""
    folder = tmp_path_factory.mktemp("runs")
    for name, settings in {"on": ["prefetch=on", "seed=1"], "off": ["prefetch=off", "seed=3"],
                           "again": ["prefetch=on", "seed=2", "case=again", "label=later"]}.items():
        run(folder / name, *SMALL, *settings, platform=MODEL)
    return {name: folder / name for name in ("on", "again", "off")}


def made(folder, *lines, **members):
    """A folder as a run leaves it, of these verdicts, most of them `ok`."""
    folder.mkdir()
    (folder / "verdicts.csv").write_text("\n".join([HEADER, *lines, ""]))
    (folder / "run.json").write_text(json.dumps({"program": "mlpboot", "tsc_hz": 2.5e9, **members}))
    return folder


def compared(a, b, *options):
    """By the three names; what --json says and how it ended."""
    code, said, complaint = tool("compare", "--json", a, b, *options)
    assert complaint == "" or code == TROUBLE
    answer = json.loads(said)
    by_name = {(row["experiment"], row["case"], row["name"]): row for row in answer["verdicts"]}
    assert len(by_name) == len(answer["verdicts"])
    for outcome in ("same", "different", "cannot be told apart", "only in A", "only in B"):
        assert answer[outcome] == sum(row["outcome"] == outcome for row in answer["verdicts"])
    return code, answer, by_name


# --- the rule ---

with open(ROOT / "tests/data/comparisons.csv", newline="") as rows_file:
    ROWS = list(csv.DictReader(rows_file))


def test_there_are_rows():
    assert len(ROWS) >= 40 and {row["outcome"] for row in ROWS} == {"same", "different", "cannot be told apart"}


@pytest.mark.parametrize("row", ROWS, ids=range(2, len(ROWS) + 2))
def test_the_rule(row):
    """The page is tested with the same rows."""
    sides = [Verdict("", "", "", *[number(row[f"{side}_{part}"]) for part in ("value", "low", "high")], "",
                     row[f"{side}_status"], "", "") for side in "ab"]
    outcome, *seen = compare_values(*sides, int(row["comparisons"]))
    assert outcome == row["outcome"]
    for name, value in zip(("difference", "low", "high"), seen):
        wanted = number(row[name])
        assert math.isnan(value) == math.isnan(wanted), name
        assert math.isnan(wanted) or abs(value - wanted) <= 1e-5 + 1e-8 * abs(wanted), name


# --- what it names ---


def test_what_prefetchers_move_and_nothing_else(runs):
    """A line that comes with its pair takes two buffers; in the second level half of the lines are there already."""
    code, answer, verdicts = compared(runs["on"], runs["off"])
    assert code == DIFFERENT
    assert {key for key, row in verdicts.items() if row["outcome"] == "different"} == {
        ("mlp", "2m", "mlp"), ("mlp", "2m", "fill_buffers"), ("mlp", "2m", "mlp_sustained"),
        ("mlp", "2m", "overlap_behind_store"), ("array", "2m", "l2_latency")}
    row = verdicts["array", "2m", "l2_latency"]
    assert row["b"]["case"] == "2m-nopf" and row["b"]["value"] == pytest.approx(20, abs=1)
    assert 0 < row["low"] < row["difference"] < row["high"]
    assert row["percent"] == pytest.approx(100 * row["difference"] / row["a"]["value"], abs=0.1)
    for key in (("mlp", "2m", "rob_entries"), ("mlp", "2m", "one_load"), ("array", "2m", "l1_latency"),
                ("array", "2m", "l3_latency")):
        assert verdicts[key]["outcome"] == "same"
    assert {"member": "configuration.prefetch", "a": "on", "b": "off"} in answer["conditions"]
    assert answer["only in A"] == answer["only in B"] == 0


def test_nothing_in_two_runs_of_one_core(runs):
    """Labels and seeds are no condition."""
    code, answer, verdicts = compared(runs["on"], runs["again"])
    assert code == SAME
    assert answer["compared"] > 20 and answer["different"] == 0 and answer["same"] > 6
    assert verdicts["array", "2m", "l2_latency"]["b"]["case"] == "2m-again"
    assert answer["conditions"] == []


def test_for_people_it_says_the_same(runs):
    code, said, _ = tool("compare", runs["on"], runs["off"])
    answer = compared(runs["on"], runs["off"])[1]
    assert code == DIFFERENT
    (line,) = [line for line in said.splitlines() if "l2_latency" in line.split()]
    assert "2m / 2m-nopf" in line
    assert "configuration.prefetch  on  off" in said
    assert "Different: 5\n" in said
    assert f"Same, within 5 %: {answer['same']}\n" in said
    assert said.endswith(f"\n5 of {answer['compared']} verdicts that could be compared are different.\n")
    assert not any(line.endswith(" ") for line in said.splitlines())


def test_ticks_of_two_lengths(tmp_path):
    """400 ticks at 2 GHz are 200 ns, and so are 600 at 3 GHz."""
    lines = ["mlp,2m,one_load,{0},{0},{0},ticks,ok,,", "mlp,2m,two_sequential,400,400,400,ticks,ok,,",
             "patterns,linear-2m,ns_per_access,1,1,1,ns,ok,,"]
    a = made(tmp_path / "a", *[line.format(400) for line in lines], tsc_hz=2e9)
    b = made(tmp_path / "b", *[line.format(600) for line in lines], tsc_hz=3e9)
    code, answer, verdicts = compared(a, b)
    assert code == DIFFERENT and answer["in_nanoseconds"] is True
    row = verdicts["mlp", "2m", "one_load"]
    assert (row["outcome"], row["unit"], row["a"]["value"], row["b"]["value"]) == ("same", "ns", 200, 200)
    assert verdicts["mlp", "2m", "two_sequential"]["outcome"] == "different"
    assert verdicts["patterns", "linear-2m", "ns_per_access"]["outcome"] == "same"
    assert "tsc_hz" in {row["member"] for row in answer["conditions"]}
    (tmp_path / "b/run.json").write_text('{"tsc_hz": 2000100000}')  # as two boots measure one counter
    _, answer, verdicts = compared(a, tmp_path / "b")
    assert answer["in_nanoseconds"] is False and answer["conditions"] == []
    assert verdicts["mlp", "2m", "one_load"]["outcome"] == "different"


def test_what_surrounds_the_core(tmp_path):
    """The uncore's clock may move by a step; what is permitted to it, and encrypted memory, are as they are."""
    def run(name, mhz, most, encryption):
        return made(tmp_path / name, "mlp,2m,one_load,400,400,400,ticks,ok,,", memory={"encryption": encryption},
                    uncore={"not_known": "", "permitted_most_mhz": most, "least_mhz": {"mlp": mhz / 2},
                            "most_mhz": {"mlp": mhz}})
    a = run("a", 2400, 2400, "off")
    assert compared(a, run("b", 2300, 2400, "off"))[1]["conditions"] == []
    members = {row["member"] for row in compared(a, run("c", 1600, 1800, "on: AES-XTS-128"))[1]["conditions"]}
    assert members == {"uncore.most_mhz.mlp", "uncore.permitted_most_mhz", "memory.encryption"}


def test_reasons(tmp_path):
    """Which run doubts, and why; what only one has; what has no interval."""
    a = made(tmp_path / "a", "mlp,2m,mlp,10,9,11,loads,doubt,scatter,loads scatter", "mlp,2m,overhead,5,,,%,ok,,",
             "tlb,4k,walk_cost,,,,,skip,unavailable,no INVLPG", "mlp,2m,rob_entries,512,512,512,entries,ok,,",
             "mlp,2m,two_sequential,,,,ticks,error,count-is-off,lost", "array,2m,l1_bytes,32768,32768,32768,bytes,ok,,")
    b = made(tmp_path / "b", "mlp,2m,mlp,10,10,10,loads,ok,,", "mlp,2m,overhead,5,4,6,%,ok,,",
             "tlb,4k,walk_cost,30,29,31,ticks,ok,,", "mlp,2m,rob_entries,512,512,512,entries,ok,,",
             "mlp,2m,two_sequential,,,,ticks,doubt,scatter,no jump", "array,2m,l2_bytes,1048576,1048576,1048576,bytes,ok,,")
    code, _, verdicts = compared(a, b)
    assert code == SAME
    assert {name: (row["outcome"], row["reason"]) for (_, _, name), row in verdicts.items()} == {
        "mlp": ("cannot be told apart", "doubt in A: loads scatter"),
        "overhead": ("cannot be told apart", "no interval in A"),
        "walk_cost": ("cannot be told apart", "skip in A: no INVLPG"),
        "rob_entries": ("same", "within 5 %"),
        "two_sequential": ("cannot be told apart", "error in A, doubt in B: lost"),
        "l1_bytes": ("only in A", ""), "l2_bytes": ("only in B", "")}
    assert verdicts["tlb", "4k", "walk_cost"]["unit"] == "ticks"
    said = tool("compare", a, b)[1]
    assert re.search(r"\nOnly in A: 1\n  array +2m +l1_bytes\n\nOnly in B: 1\n  array +2m +l2_bytes\n\n", said)
    assert re.search(r"(?m)^  mlp +2m +mlp +10 +10 +loads +doubt in A: loads scatter$", said)
    assert "\nOk in neither: 1\n" in said


def test_conditions_come_first(tmp_path):
    """As a lab wants to see them after an update, and what changes no figure is left out."""
    line = "mlp,2m,rob_entries,512,512,512,entries,ok,,"
    machine = {"id": "0123", "bios": {"version": "1.2", "date": "01/02/2026"},
               "cores": {"core_0": {"microcode": "0x10"}}}
    a = made(tmp_path / "a", line, version="1", machine=machine, configuration={"seed": "1", "prefetch": "on"})
    machine = {"id": "0123", "bios": {"version": "1.3", "date": "01/02/2026"},
               "cores": {"core_0": {"microcode": "0x11"}}}
    b = made(tmp_path / "b", line, version="1", machine=machine, configuration={"seed": "2", "prefetch": "on"})
    code, answer, _ = compared(a, b)
    assert code == SAME
    assert {row["member"]: (row["a"], row["b"]) for row in answer["conditions"]} == {
        "machine.bios.version": ("1.2", "1.3"), "machine.cores.core_0.microcode": ("0x10", "0x11")}
    said = tool("compare", a, b)[1]
    assert "It was one machine.\n" in said
    assert said.index("machine.bios.version") < said.index("Different: 0")
    assert "date" not in said
    (tmp_path / "b/run.json").write_text("{}")
    assert "whether it was one machine: B does not say which it was" in tool("compare", a, b)[1]


@pytest.mark.parametrize("folder", ["zen4", "model", "vices", "qemu"])
def test_stored_runs(folder, tmp_path):
    """verdicts.csv of older versions, without a folder around it."""
    path = tmp_path / "verdicts.csv"
    path.write_text(stored_text(folder, "verdicts.csv"))
    code, answer, verdicts = compared(path, path)
    assert answer["different"] == 0 and code == (SAME if answer["compared"] else TROUBLE)
    with open(path, newline="") as file:
        assert len(verdicts) == len(list(csv.DictReader(file)))


def test_a_run_compared_with_itself_is_good_news(runs):
    """All that is said of two runs is said of these, too, and one line more."""
    news = "\nGood news: no value that could be compared differs. Only intervals are wider than 5 %:\nCannot be told"
    assert news in tool("compare", runs["on"], runs["on"])[1]
    for name in ("again", "off"):
        assert "Good news" not in tool("compare", runs["on"], runs[name])[1]


# --- which verdicts ---


@pytest.fixture
def doubtful(tmp_path):
    """Two folders: `mlp` is ok in one of two cases, `fill_buffers` in none, `overhead` without an interval."""
    a = made(tmp_path / "a", "mlp,2m,mlp,10,9,11,loads,doubt,scatter,loads scatter", "mlp,4k,mlp,10,10,10,loads,ok,,",
             "smt,2m-busy,mlp,10,10,10,loads,ok,,", "mlp,2m,fill_buffers,12,12,12,lines,ok,,",
             "mlp,4k,fill_buffers,12,12,12,lines,ok,,", "mlp,2m,overhead,5,,,%,ok,,")
    b = made(tmp_path / "b", "mlp,2m,mlp,10,10,10,loads,ok,,", "mlp,4k,mlp,20,20,20,loads,ok,,",
             "smt,2m-busy,mlp,,,,loads,skip,unavailable,no sibling", "mlp,2m,fill_buffers,,,,lines,error,count-is-off,lost its counter",
             "mlp,2m,overhead,5,4,6,%,ok,,")
    return a, b


@pytest.mark.parametrize("need", ["mlp", "mlp.mlp"])
def test_what_is_needed_is_there(doubtful, need):
    """In one case is enough."""
    assert tool("compare", *doubtful, "--need", need)[::2] == (DIFFERENT, "")


@pytest.mark.parametrize("need, complaint", [
    ("fill_buffers", ["fill_buffers: needed", "mlp 2m: error in B: lost its counter; mlp 4k: only in A"]),
    ("smt.mlp", ["smt.mlp: needed", ": smt 2m-busy: skip in B: no sibling"]),
    ("overhead", ["overhead: needed", ": mlp 2m: no interval in A"]),
    ("rob_entires", ["rob_entires: neither A nor B has"]), ("array.mlp", ["array.mlp: neither A nor B has"])])
def test_what_is_needed_is_not_there(doubtful, need, complaint):
    """Each is a line, behind what is said in any case."""
    usual = tool("compare", *doubtful)
    code, said, complained = tool("compare", *doubtful, "--need", f"mlp,{need}")
    assert (code, said) == (TROUBLE, usual[1]) and usual[0] == DIFFERENT
    (line,) = complained.splitlines()
    assert line.startswith("mlpboot: ") and all(part in line for part in complaint)
    assert tool("compare", *doubtful, "--need", f"{need},fill_buffers", "--json")[2].count("\n") == \
        len({need, "fill_buffers"})


def test_only_some_are_compared(runs, doubtful):
    """With fewer comparisons intervals are narrower."""
    _, every, all_verdicts = compared(runs["on"], runs["off"])
    code, answer, verdicts = compared(runs["on"], runs["off"], "--only", "array.l2_latency,rob_entries")
    assert code == DIFFERENT and answer["compared"] == len(verdicts) == 2 < every["compared"]
    assert {name for _, _, name in verdicts} == {"l2_latency", "rob_entries"}
    key = ("array", "2m", "l2_latency")
    assert verdicts[key]["difference"] == all_verdicts[key]["difference"]
    narrower = math.sqrt(math.log(2 / 0.05) / math.log(every["compared"] / 0.05))
    widths = [one[key]["high"] - one[key]["low"] for one in (verdicts, all_verdicts)]
    assert widths[0] / widths[1] == pytest.approx(narrower, abs=0.01)
    assert {key[0] for key in compared(*doubtful, "--only", "mlp")[2]} == {"mlp", "smt"}
    assert {key[0] for key in compared(*doubtful, "--only", "mlp.mlp")[2]} == {"mlp"}
    code, _, complained = tool("compare", *doubtful, "--only", "mlp,rob_entires")
    assert code == TROUBLE
    assert complained == "mlpboot: rob_entires: neither A nor B has a verdict of that name\n"


def test_what_is_needed_need_not_be_compared(doubtful):
    code, said, complained = tool("compare", *doubtful, "--only", "smt.mlp", "--need", "mlp.mlp")
    assert code == TROUBLE and "nothing to compare" in complained and "needed" not in complained
    assert "0 of 0 verdicts that could" in said


# --- what A and B may be ---


def said_of(a, b):
    """What is said of both, without their paths."""
    code, said, complaint = tool("compare", a, b)
    assert complaint == ""
    return code, [line.replace(str(a), "").replace(str(b), "") for line in said.splitlines()]


@pytest.fixture(scope="module")
def archive(runs, tmp_path_factory):
    path = tmp_path_factory.mktemp("zip") / "sent.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name in ("run.json", "verdicts.csv", "log.txt"):
            file.write(runs["on"] / name, f"from/there/{name}")
    return path


def test_a_page_or_an_archive_is_as_good_as_the_folder(runs, archive):
    wanted = said_of(runs["on"], runs["off"])
    assert said_of(archive, runs["off"]) == wanted
    assert said_of(runs["on"] / "report.html", runs["off"] / "report.html") == wanted


def test_verdicts_alone_have_no_conditions(runs, tmp_path):
    (tmp_path / "link").symlink_to(runs["off"] / "verdicts.csv")
    for path in (runs["off"] / "verdicts.csv", tmp_path / "link"):
        code, answer, verdicts = compared(runs["on"], path)
        assert code == DIFFERENT and answer["conditions"] == [] and answer["b"]["version"] == ""
        assert verdicts == compared(runs["on"], runs["off"])[2]


def line_of(name, value, status="ok", method=""):
    reason = "" if status == "ok" else "scatter"
    return f"mlp,2m,{name},{value},{value and value - 1},{value and value + 2},loads,{status},{reason},{method}"


def test_several_runs_stand_for_their_median(tmp_path):
    """Four runs: the lower median of what most have as ok, else the most frequent status, of two the worse."""
    (tmp_path / "four").mkdir()
    for i, lines in enumerate([
            [line_of("mlp", 40), line_of("half", 1), line_of("tied", 5, "skip", "none"), line_of("rare", 7)],
            [line_of("mlp", 10), line_of("half", 2), line_of("tied", 6, "doubt", "first"), line_of("rare", 8)],
            [line_of("mlp", 99, "doubt", "m"), line_of("half", 3, "error", "lost"), line_of("tied", 7, "doubt", "2nd")],
            [line_of("mlp", 30), line_of("half", 4, "doubt", "unsure"), line_of("tied", 8, "skip", "none"),
             line_of("late", 3)]]):
        made(tmp_path / "four" / f"{i}", *lines, label=f"run {i}", version=f"{i}")
    one = made(tmp_path / "one", *[line_of(name, 30) for name in ("mlp", "half", "tied", "rare", "late")], version="0")
    code, answer, verdicts = compared(tmp_path / "four", one)
    assert code == SAME and answer["a"]["runs"] == 4 and "runs" not in answer["b"]
    assert answer["conditions"] == [] and answer["a"]["label"] == "run 0"
    assert verdicts["mlp", "2m", "mlp"]["a"] == {"case": "2m", "value": 30, "low": 29, "high": 32, "status": "ok"}
    assert {name: row["reason"] for (_, _, name), row in verdicts.items() if name != "mlp"} == {
        "half": "error in A: lost", "tied": "skip in A: none", "rare": "skip in A: 2 of 4 runs have it",
        "late": "skip in A: 1 of 4 runs have it"}
    header = tool("compare", one, tmp_path / "four")[1].splitlines()[:2]
    assert header == [f"A  {one}, 0", f"B  {tmp_path / 'four'}, 4 runs, their medians, run 0, 0"]
    shutil.rmtree(tmp_path / "four/1")
    shutil.rmtree(tmp_path / "four/3")
    verdicts = compared(tmp_path / "four", one)[2]
    assert verdicts["mlp", "2m", "mlp"]["reason"] == "doubt in A: m"
    assert verdicts["mlp", "2m", "half"]["reason"] == "error in A: lost"
    assert verdicts["mlp", "2m", "tied"]["reason"] == "skip in A: none"


def test_a_run_of_several_that_cannot_be_read_is_named(runs, tmp_path):
    for name in ("on", "again"):
        shutil.copytree(runs[name], tmp_path / "both" / name)
    assert compared(tmp_path / "both", runs["on"])[0] == SAME
    (tmp_path / "both/again/verdicts.csv").unlink()
    code, said, complained = tool("compare", tmp_path / "both", runs["on"])
    assert (code, said) == (TROUBLE, "") and "both/again/verdicts.csv: No such file" in complained


# --- what is refused ---


def test_nothing_to_compare(runs, tmp_path):
    """A run that ended before its first verdict, or one of other experiments."""
    for lines in ([], ["tlb,4k,walk_cost,30,29,31,ticks,ok,,"], ["array,2m,l1_bytes,1,1,1,bytes,doubt,scatter,why"]):
        folder = made(tmp_path / f"{len(lines)}{len(''.join(lines))}", *lines)
        code, said, complained = tool("compare", runs["on"], folder)
        assert code == TROUBLE and "nothing to compare" in complained
        assert "0 of 0 verdicts that could be compared" in said


@pytest.mark.parametrize("words, complaint", [
    ([], "A and B"), (["one"], "B"), (["one", "two", "three"], "three"), (["--jason", "one", "two"], "--jason"),
    (["--json=yes", "one", "two"], "yes"), (["one", "two", "--need", ""], "--need"), (["one", "two", "--need"], "--need"),
    (["one", "two", "--only", "mlp,,mlp"], "--only")])
def test_wrong_usage(words, complaint):
    code, said, complained = tool("compare", *words)
    assert (code, said) == (TROUBLE, "") and complaint in complained


def test_output_that_does_not_arrive_is_trouble(runs):
    """And not a difference."""
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, TOOL, "compare", runs["on"], runs["off"]], stdout=full,
                              stderr=subprocess.PIPE)
    assert done.returncode == TROUBLE and b"standard output" in done.stderr


def test_help_says_how_it_ends():
    code, said, _ = tool("compare", "--help")
    assert code == 0 and "[--json]" in said and said.split("\n\n")[0].endswith("[A] [B]")
    assert "0 nothing is different, 1 something is, 2 trouble" in said


def test_runs_of_older_versions_have_no_column_reason(tmp_path):
    lines = ["mlp,2m,mlp,10,10,10,loads,ok,,m", "mlp,4k,mlp,,,,loads,doubt,scatter,why"]
    a, b = made(tmp_path / "a", *lines), made(tmp_path / "b", *lines)
    text = "\n".join([HEADER, *lines, ""])
    (b / "verdicts.csv").write_text(text.replace("reason,", "").replace("ok,,", "ok,").replace("scatter,", ""))
    code, _, verdicts = compared(a, b)
    assert code == SAME and verdicts["mlp", "4k", "mlp"]["reason"] == "doubt in A and B: why"


def test_hostile_texts_are_shown_as_text(tmp_path):
    line = 'mlp,2m,"a\x1b[31m""b",1,1,1,loads,ok,,"\x07</script>, \\"'
    a, b = made(tmp_path / "a", line), made(tmp_path / "b", line.replace(",ok,,", ",doubt,scatter,"))
    for words in (["compare", a, b], ["compare", "--json", a, b]):
        said = tool(*words)[1]
        assert "\x1b" not in said and "\x07" not in said
    (row,) = compared(a, b)[2].values()
    assert row["name"] == 'a?[31m"b' and row["reason"] == 'doubt in B: ?</script>, \\'


def test_control_characters_of_a_path_reach_no_terminal(tmp_path):
    """Nor bytes that are no characters, in what is said and in complaints."""
    name = b"a\x1b[31m\r\xc2\x9b\xe2\x80\xae\xff\n"
    folder = tmp_path / os.fsdecode(name)
    made(folder, "mlp,2m,mlp,1,1,1,loads,ok,,")
    made(tmp_path / "b", "mlp,2m,mlp,1,1,1,loads,ok,,")
    for options in ([], ["--json"], ["--need", "a\x1b[31m\nb"]):
        done = subprocess.run([sys.executable, TOOL, "compare", folder, tmp_path / "b", *options], capture_output=True)
        said, complained = done.stdout.decode(), done.stderr.decode()
        assert done.returncode == (TROUBLE if "--need" in options else SAME)
        assert "a" + ("\\u001b" if "--json" in options else "?") + "[31m" in said
        assert all(c.isprintable() or c == "\n" for c in said + complained)
        assert complained.count("\n") == ("--need" in options)
    code, said, complained = tool("compare", folder / "nowhere\x07", tmp_path / "b")
    assert (code, said) == (TROUBLE, "") and complained.count("\n") == 1 and complained.rstrip("\n").isprintable()
