"""Several runs in one page: dropped and added, listed, ordered, taken away; what differs and what only scatters."""

import gzip
import json

from browser import page_of
from machine import ROOT
from tool import tool

DATA = ROOT / "tests" / "data" / "machines"
ZEN4, AGAIN, ZEN5 = "zen4-1", "zen4-2", "zen5"
HOSTILE = "</script><b>bold</b><img src=x onerror=alert(1)>"


def run_of(name, **members):
    files = {file: gzip.decompress((DATA / name / f"{file}.gz").read_bytes()).decode()
             for file in ("run.json", "verdicts.csv")}
    return {**files, "run.json": json.dumps({**json.loads(files["run.json"]), **members})}


def folder_of(folder, files):
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def titles(page):
    return page.texts(".runs li strong")


def become(page, *wanted):
    ready = "return document.documentElement.dataset.ready === 'yes'"
    page.wait(lambda: titles(page) == list(wanted) and page.run(ready))


def colors(page):
    return page.run("""return Object.fromEntries([...document.querySelectorAll('.runs li')].map((one) =>
        [one.querySelector('strong').textContent, one.querySelector('.chip').style.background]))""")


def give(page, chooser, *paths):
    """Chooses files, or a folder, as its dialog would."""
    page.driver.find_element("css selector", f"#runs input{chooser}").send_keys("\n".join(str(path) for path in paths))


FILES, FOLDER = ":not([webkitdirectory])", "[webkitdirectory]"


# --- what differs -------------------------------------------------------------------------------


def marked(page):
    return page.run("""return [...document.querySelectorAll('#side tr.apart')].map((row) =>
        [row.querySelector('th').title,
         row.querySelector('.different').textContent.replaceAll('\\u00a0', ' ')])""")


def test_what_differs_in_two_machines_is_marked(show, tmp_path):
    """The same figures as the command `compare` names."""
    runs = {name: run_of(name) for name in (ZEN4, ZEN5)}
    page = show(runs)
    folders = [folder_of(tmp_path / name, files) for name, files in runs.items()]
    told = json.loads(tool("compare", *folders, "--json")[1])
    different = {f"{one['experiment']} {one['case']} {one['name']}" for one in told["verdicts"]
                 if one["outcome"] == "different"}
    seen = dict(marked(page))
    in_cycles = ("ns_per_access", "l1_latency", "l2_latency", "l1_latency_cycles", "l2_latency_cycles")  # compared otherwise
    assert {one for one in seen if not one.endswith(in_cycles)} == {one for one in different if not one.endswith(in_cycles)}
    assert len(different) > 5
    assert seen["mlp 2m rob_cliff_k"] == "different: 0.351x"
    assert seen["structures store store_queue"] == "different: 1.63x"
    conditions, differences = page.run(
        "return [...document.querySelectorAll('#side caption')].slice(0, 2).map((one) => one.textContent)")
    assert conditions.startswith("Conditions that differ") and differences.endswith(f"figures differ (2x: twice that of {ZEN4})")
    assert {"version of mlpboot", "processor family"} <= set(page.run(
        "return [...document.querySelector('#side table').querySelectorAll('tbody th')].map((one) => one.textContent)"))

    # The words and the order of the table of answers, whose ratios have the same outcome and interval; nothing is red.
    rows = page.run("return [...document.querySelectorAll('#side details:has(.side) tbody th')].map((one) => [one.title, one.textContent])")
    assert [title for title, words in rows if "_" in words] == []
    places = [next((i for i, one in enumerate(["rob_entries", "mlp", "fill_buffers", "memory_latency"]) if title.endswith(f" {one}")), 9)
              for title, _ in rows if title.split()[-1] in ("rob_entries", "mlp", "fill_buffers", "memory_latency")]
    assert places == sorted(places) and len(places) > 2
    assert "zen5 divided by zen4-1" in page.text(".answers thead")
    assert page.run("return new Set(['.different', 'body'].map((one) => getComputedStyle(document.querySelector(one)).color)).size") == 1

    # Compared with the other one, what was less is more.
    page.run("""const chooser = document.querySelector('#side select');
        chooser.selectedIndex = 1; chooser.dispatchEvent(new Event('change'));""")
    page.wait(lambda: dict(marked(page)).get("mlp 2m rob_cliff_k") == "different: 2.85x")


def test_of_two_runs_of_one_machine_no_difference_is_claimed(show):
    """Though three of their figures are apart by more than their intervals, which is said."""
    again = run_of(AGAIN)
    again["verdicts.csv"] = again["verdicts.csv"].replace("fill_buffers,20,20,20", "fill_buffers,12,12,12")
    page = show({ZEN4: run_of(ZEN4), AGAIN: again})
    assert page.run("return document.querySelectorAll('#side .different').length") == 0
    ratios = page.run("return [...document.querySelectorAll('.answers .ratio')].map((one) => one.innerText)")
    assert any("scatters" in ratio for ratio in ratios) and not any("different" in ratio for ratio in ratios)
    assert "No difference is claimed: 3 figures of 38 scatter by more than the intervals." in page.text(".against")
    assert "Integer registers: 181 registers" in page.text(".strips")
    assert "How far 2 runs of machine 54358fcd17252ec3, AMD EPYC (family 25, model 17, stepping 1) scatter" in page.text("#side")
    assert page.run("return document.querySelectorAll('.strips li .scale').length") >= 4


def test_two_processors_of_one_machine_are_compared_and_do_not_scatter(show):
    """As after a processor was exchanged, or where guests without serial numbers report one machine."""
    processor = json.loads(run_of(AGAIN)["run.json"])["processor"]
    page = show({"before": run_of(ZEN4), "after": run_of(AGAIN, processor={**processor, "model": 160})})
    assert page.text("#side").count("2 of ") == 1 and "processor model" in page.text("#side table")
    assert page.run("return document.querySelectorAll('#side .strips').length") == 0


def test_boots_are_told_apart_and_each_point_can_be_read(show):
    machine = json.loads(run_of(ZEN4)["run.json"])["machine"]
    late, early = ({**machine, "boot": boot, "utc_start": f"2026-11-{day}T10:00:00Z"} for boot, day in [("b", 23), ("a", 22)])
    page = show({"late": run_of(ZEN4, machine=late), "early": run_of(AGAIN, machine=early)})
    assert "They are of 2 boots" in page.text("#side")
    assert "between boots" in page.text(".strips")
    value = next(line.split(",")[3] for line in run_of(AGAIN)["verdicts.csv"].splitlines()
                 if ",rob_entries," in line and line.split(",")[3])
    lines = page.run("return [...document.querySelectorAll('.strips li:first-child .scale div')].map((one) => one.title)")
    assert lines[0] == f"early: {int(float(value)):,} entries" and lines[1].startswith("late: ")


def test_a_changed_condition_makes_a_difference_one(show):
    """As after an update of microcode: what is then apart is called different."""
    machine = json.loads(run_of(ZEN4)["run.json"])["machine"]
    core = {"signature": "0xa10f11", "apic_id": 1, "type": "one type", "microcode": "0x1000099"}
    spoilt = run_of(ZEN4, machine={**machine, "cores": {"measured": 1, "core_1": core}})
    spoilt["verdicts.csv"] = spoilt["verdicts.csv"].replace("fill_buffers,20,20,20", "fill_buffers,12,12,12")
    page = show({"before": run_of(ZEN4), "after": spoilt})
    assert "core microcode" in page.text("#side table")
    assert dict(marked(page))["mlp 2m fill_buffers"] == "different: 0.6x"


# --- how runs come and go -----------------------------------------------------------------------


def test_files_come_by_the_button_and_what_is_no_run_is_told(show, tmp_path):
    page = show({ZEN4: run_of(ZEN4)})
    assert titles(page) == []  # one run needs no list
    mailed = page_of(tmp_path / "mailed.html", {"0007": run_of(ZEN5), "0008": run_of(AGAIN, label=HOSTILE)})
    cut = tmp_path / "cut.html"
    whole = page_of(tmp_path / "whole.html", {"0009": {"run.json": run_of(ZEN5, seconds=1)["run.json"]},
                                              "0010": run_of(ZEN5)}).read_text()
    cut.write_text(whole[:whole.index('"0010"') + 500])
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff")
    give(page, FILES, mailed, tmp_path / "photo.jpg", cut)
    become(page, ZEN4, "0007", HOSTILE, "0009")
    assert "3 runs came." in page.text("#runs output")
    assert "photo.jpg: this is no run" in page.text("#runs output")
    assert page.run("return document.querySelectorAll('main img').length") == 0
    assert "bold" not in page.run("return [...document.querySelectorAll('main b')].map((one) => one.textContent)")
    give(page, FILES, mailed)
    page.wait(lambda: "2 runs were here already." in page.text("#runs output"))
    assert len(titles(page)) == 4


def test_a_sticks_results_come_as_a_folder(show, tmp_path):
    """Its run.json is padded with blanks, and a folder without a run is passed over."""
    results = tmp_path / "results"
    files = run_of(ZEN5)
    folder_of(results / "0001", {**files, "run.json": files["run.json"] + " " * 4000 + "\n", "report.html": "cut"})
    folder_of(results / "0002", run_of(AGAIN))
    folder_of(results / "0003", {"log.txt": "event=start"})
    page = show({ZEN4: run_of(ZEN4)})
    give(page, FOLDER, results)
    become(page, ZEN4, "0001", "0002")
    give(page, FILES, page_of(tmp_path / "same.html", {"0001": files}))
    page.wait(lambda: "1 run was here already." in page.text("#runs output"))


def test_folders_and_files_are_dropped(show, tmp_path):
    page = show({ZEN4: run_of(ZEN4)})
    folder = folder_of(tmp_path / "results" / "0001", run_of(ZEN5)).parent
    drop = {"items": [], "files": [str(folder)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        page.tell("Input.dispatchDragEvent", type=kind, x=300, y=300, data=drop)
    become(page, ZEN4, "0001")
    report = page_of(tmp_path / "mailed.html", {"0002": run_of(AGAIN)}).read_text()
    page.run("""const data = new DataTransfer();
        data.items.add(new File([arguments[0]], "mailed.html", { type: "text/html" }));
        const drop = { dataTransfer: data, bubbles: true, cancelable: true };
        document.body.dispatchEvent(new DragEvent("drop", drop));""", report)
    become(page, ZEN4, "0001", "0002")
    assert page.run("return location.pathname").endswith("/report.html")  # the browser has not opened what was dropped
    browsers_without_handles_read_a_dropped_folder_by_its_entries(page)


ENTRIES = """delete DataTransferItem.prototype.getAsFileSystemHandle;
    const file = (name, text) => ({ name, isFile: true, file: (done) => done(new File([text], name)) });
    const folder = (name, ...some) => ({ name, isDirectory: true,
        createReader: () => ({ readEntries: (done) => done(some.splice(0, 1)) }) });
    const [json, verdicts] = arguments, run = folder("0001", file("run.json", json), file("verdicts.csv", verdicts));
    window.given = folder("results", folder("empty"), run);
    DataTransferItem.prototype.webkitGetAsEntry = () => window.given;
    window.dropped = () => {
        const data = new DataTransfer();
        data.items.add(new File([], "results"));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    };"""


def browsers_without_handles_read_a_dropped_folder_by_its_entries(page):
    files = run_of(ZEN5, label="by entries")
    page.run(ENTRIES + "dropped();", files["run.json"], files["verdicts.csv"])
    become(page, ZEN4, "0001", "0002", "by entries")
    page.run("""given = { name: "stick", isDirectory: true, createReader: () => ({ readEntries: (done, failed) =>
        failed(new Error("pulled out")) }) }; dropped();""")
    page.wait(lambda: "stick: the browser cannot read this folder (pulled out)" in page.text("#runs output"))
    assert titles(page) == [ZEN4, "0001", "0002", "by entries"]


def test_runs_are_taken_away_and_keep_their_colours(show):
    page = show({ZEN5: run_of(ZEN5), ZEN4: run_of(ZEN4), AGAIN: run_of(AGAIN)})
    before = colors(page)
    assert len(set(before.values())) == 3
    _, *others = titles(page)
    page.run("document.querySelector('.runs li:nth-child(1) button').click()")
    become(page, *others)
    assert colors(page) == {name: before[name] for name in others}


def test_a_page_without_a_run_can_be_given_one(show, tmp_path):
    page = show({})
    assert "This page holds no run" in page.text("main")
    give(page, FILES, page_of(tmp_path / "mailed.html", {"0007": run_of(ZEN5), "0008": run_of(ZEN4)}))
    become(page, "0007", "0008")
    assert "figures differ" in page.text("#side")
