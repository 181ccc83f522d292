"""The page's sections on structures of a core, in a browser: what they draw is what the files of a run say."""

import csv
import gzip
import io
import re
import subprocess

import pytest
from selenium.webdriver.common.by import By

from browser import files_of, page_of
from machine import BUILD, ROOT

SECTIONS = ["rob", "mlp"]
SIZES = "rob=96,fill_buffers=8,int_regs=80,vec_regs=70,load_queue=40,store_queue=30,memory=100"
FEW = ["pages=2m", "mlp.loads=1-12", "mlp.fillers=0-128/32", "structures.fillers=0-128/32"]
# A core that its sibling shares now and then, with counters and prefetchers: with fewer samples a point meets one state
# alone. And a core whose sibling does as it is told.
SHARED = (f"model:{SIZES},prefetchers=1,sibling=0.5", ["experiments=mlp structures", "prefetch=both", "samples.max=60", *FEW])
THREADS = (f"model:{SIZES},threads=2,counters=0,smt_vec_regs=1,smt_fill_buffers=1,smt_caches=2",
           ["experiments=smt", "array.bytes=16k-512k*4", "samples.max=30", *FEW])
STORED = ROOT / "tests" / "data"


def start(folder, platform, settings):
    command = [BUILD / "mlpboot-hosted", "run", "--platform", platform, "--out", folder]
    for setting in settings:
        command += ["--set", setting]
    return folder, subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def finish(started):
    folder, process = started
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return files_of(folder)


class Files:
    """The rows and verdicts that a page was made of."""

    def __init__(self, files):
        self.rows = list(csv.DictReader(io.StringIO(files["results.csv"])))
        self.verdicts = list(csv.DictReader(io.StringIO(files["verdicts.csv"])))

    def verdict(self, case, name, experiment="mlp"):
        return next(one for one in self.verdicts
                    if (one["experiment"], one["case"], one["name"]) == (experiment, case, name))

    def numbers(self, case, column, metric="tsc", **wanted):
        """That column of the rows of mlp with these coordinates."""
        return [float(row[column]) for row in self.rows
                if row[column] and row["experiment"] == "mlp" and row["case"] == case and row["metric"] == metric
                and all(row[name] == value for name, value in wanted.items())]


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """Both runs; they go on while the browser starts."""
    folder = tmp_path_factory.mktemp("runs")
    return {"shared": start(folder / "shared", *SHARED), "threads": start(folder / "threads", *THREADS)}


@pytest.fixture(scope="module")
def run(started, browser):
    return finish(started["shared"])


@pytest.fixture(scope="module")
def page(browser, run, tmp_path_factory):
    """A page over that run; a choice that a test makes in it stays."""
    browser.open(page_of(tmp_path_factory.mktemp("page") / "report.html", {"first": run}), "ticks")
    wait_for_charts(browser)
    return browser


@pytest.fixture
def files(run):
    return Files(run)


def wait_for_charts(browser, *sections):
    for section in sections or SECTIONS:
        browser.wait_for_charts(section)


def chart(browser, section, title):
    """The figure whose title begins like this."""
    return next(figure for figure in browser.driver.find_elements(By.CSS_SELECTOR, f"#{section} figure.chart")
                if figure.find_element(By.TAG_NAME, "figcaption").text.startswith(title))


def read(browser, figure, keys):
    """What is said of the point that these keys go to: {name of the line: number}, and its x."""
    at, *values = browser.read(figure.find_element(By.CLASS_NAME, "plot"), *keys)
    return at.split()[-1], {f"whole core, {name}" if name in ("mean", "fastest hundredth") else name or "whole core": float(text.split()[0].replace(",", ""))
                            for name, text in (value.rpartition(": ")[::2] for value in values)}


def choose(browser, section, value):
    browser.run("""const of = (kind) => [...document.querySelectorAll(`#${arguments[0]} ${kind}`)]
            .find((one) => one.value === arguments[1]), option = of("option");
        if (option) {
            option.selected = true;
            option.parentElement.dispatchEvent(new Event("change"));
        } else {
            of("input").click();
        }""", section, value)
    wait_for_charts(browser, section)


def test_the_mark_stands_where_the_verdict_says(page, files):
    marks = page.run("return [...arguments[0].querySelectorAll('.mark')].map((one) => Number(one.dataset.x))",
                     chart(page, "rob", "Two loads"))
    assert float(files.verdict("2m", "rob_cliff_k")["value"]) in marks


def test_the_answer_is_said_first(page, files):
    verdict = files.verdict("long-nop", "rob_entries", "structures")
    said = page.driver.find_element(By.CSS_SELECTOR, "#rob .answer").text
    assert said.startswith(f"Reorder buffer: {verdict['value']} entries") and verdict["status"] in said
    said = page.driver.find_element(By.CSS_SELECTOR, "#mlp .answer").text
    assert f": {files.verdict('2m', 'mlp')['value']} loads" in said


def test_it_is_said_why_sustained_can_be_larger_than_the_mlp(page):
    note = page.run("return document.querySelector('#mlp-loads .note').textContent")
    assert "the slowest of N loads decides" in note and "Little's law" in note and "can be larger" in note


def test_arrow_keys_show_what_the_file_says(page, files):
    k, values = read(page, chart(page, "rob", "Two loads"), ["Home", "ArrowRight"])
    centers = files.numbers("2m", "center", n="2", k=k)
    assert centers != [] and any(values["whole core"] == pytest.approx(one, rel=1e-3) for one in centers)
    n, values = read(page, chart(page, "mlp", "N loads"), ["End"])
    assert n == "12"
    assert values["whole core, mean"] == pytest.approx(files.numbers("2m", "mean", n=n, k="0")[0], rel=1e-3)
    assert values["whole core, fastest hundredth"] == pytest.approx(files.numbers("2m", "p1", n=n, k="0")[0], rel=1e-3)


def test_counted_occupancy_is_what_was_counted(page, files):
    n, values = read(page, chart(page, "mlp", "Counted: misses"), ["End"])
    sums = files.numbers("2m", "mean", "l1d_pend_miss_pending", n=n, k="0", stage="")
    cycles = files.numbers("2m", "mean", "l1d_pend_miss_pending_cycles", n=n, k="0", stage="")
    assert values["whole core"] == pytest.approx(sums[0] / cycles[0], rel=1e-3)
    least, values = read(page, chart(page, "mlp", "Counted: cycles"), ["Home"])
    assert values["whole core"] == pytest.approx(files.numbers("2m", "center", "l1d_pend_miss_pending", stage=least)[0], rel=1e-3)


def check_fillers(browser, files):
    """Each filler of `structures` has a chart, which says what its verdict says where it has one; the charts' texts."""
    wait_for_charts(browser, "rob")
    fillers = {row["case"].removesuffix("-shared") for row in files.rows if row["experiment"] == "structures"}
    verdicts = {one["case"]: one for one in files.verdicts if one["experiment"] == "structures"
                and one["name"] != "above_floor"}
    texts = {}
    for figure in browser.driver.find_elements(By.CSS_SELECTOR, "#rob .smalls figure"):
        *names, filler = figure.find_element(By.TAG_NAME, "figcaption").get_attribute("title").split(", ")
        filler = filler.removeprefix("filler ")
        assert filler not in texts
        text = texts[filler] = re.sub(r"(?<=\d),(?=\d{3})", "", figure.text.replace("\ntake\n", "\n"))
        assert names == ([verdicts[filler]["name"]] if filler in verdicts else [])
        for verdict in [verdicts[name] for name in (filler, f"{filler}-shared") if name in verdicts]:
            if verdict["value"]:
                assert f"{verdict['value']} {verdict['unit']}" in text
            assert verdict["status"] in text
    assert set(texts) == fillers
    return texts


def test_each_filler_has_a_chart_with_its_verdict(page, files):
    texts = check_fillers(page, files)
    assert texts["long-nop"].startswith("Reorder buffer (ROB)\n") and texts["nop"].startswith("1-byte NOPs in flight\n")
    assert texts["zero"].startswith("Zeroed registers\nNo size of its own")


def test_another_case_is_drawn_when_it_is_chosen(page, files):
    choose(page, "mlp", "2m-nopf")
    n, values = read(page, chart(page, "mlp", "N loads side by side: 2 MB pages, prefetchers off"), ["Home"])
    assert values["whole core, mean"] == pytest.approx(files.numbers("2m-nopf", "mean", n=n, k="0")[0], rel=1e-3)
    assert chart(page, "mlp", "A chain of N loads")


def stored(folder):
    return {name: gzip.decompress((STORED / folder / f"{name}.gz").read_bytes()).decode()
            for name in ("verdicts.csv", "results.csv")}


def open_page(browser, path, run):
    """A page over one run; the charts' texts of its fillers."""
    browser.open(page_of(path / "report.html", {"run": run}))
    texts = check_fillers(browser, Files(run))
    assert browser.complaints() == []
    return texts


@pytest.mark.parametrize("folder", ["model", "silicon", "vices", "qemu"])
def test_stored_runs_have_charts_of_their_fillers(browser, tmp_path, folder):
    assert open_page(browser, tmp_path, stored(folder))


def test_verdicts_of_older_versions_stand_in_their_fillers_charts(browser, tmp_path):
    """Both kinds of NOPs were of the reorder buffer, and loads that wait were of the load queue."""
    run = stored("model")
    old = [f"structures,{case},{name},192,192,192,{unit},ok,the fillers before the jump and both loads fit"
           for case, name, unit in [("nop", "rob_entries", "entries"), ("long-nop", "rob_entries_long_nop", "entries"),
                                    ("load", "loads_in_flight", "loads"), ("waiting-load", "load_queue", "entries")]]
    run["verdicts.csv"] = "\n".join([run["verdicts.csv"].splitlines()[0], *old, ""])
    texts = open_page(browser, tmp_path, run)
    for filler, title in [("nop", "Reorder buffer (ROB)"), ("long-nop", "Reorder buffer (long NOPs)"), ("load", "Loads in flight"),
                          ("waiting-load", "Load queue")]:
        assert texts[filler].startswith(f"{title}\n")


def test_threads_share_what_the_verdicts_say(browser, started, tmp_path):
    run = finish(started["threads"])
    files = Files(run)
    browser.open(page_of(tmp_path / "report.html", {"threads": run}))
    wait_for_charts(browser, "smt")
    splits = [one for one in files.verdicts if one["experiment"] == "smt" and one["name"].endswith("split")]
    figures = browser.driver.find_elements(By.CSS_SELECTOR, "#smt figure.chart")
    assert len(figures) == len(splits) == 13
    said = browser.driver.find_element(By.CSS_SELECTOR, "#smt .answer").text
    words = {one["method"].split(":")[0] for one in splits if one["status"] == "ok"}
    assert {"halved", "competitive"} <= words and all(f"{word[0].upper()}{word[1:]} (" in said for word in words)
    marks = browser.run("return [...document.querySelectorAll('#smt-long-nop-rob-entries .mark')].map((one) => Number(one.dataset.x))")
    assert marks == [float(files.verdict(f"long-nop-{work}", "rob_entries", "smt")["value"]) for work in ("idle", "busy", "loading")]


def test_two_runs_are_laid_over_each_other(browser, run, tmp_path):
    runs = {"first": run, "second": stored("model")}
    browser.open(page_of(tmp_path / "report.html", runs))
    wait_for_charts(browser)
    entries = int(Files(runs["second"]).verdict("2m", "rob_entries")["value"])
    said = browser.driver.find_element(By.ID, "rob").text
    assert "Reorder buffer, first: 96 entries" in said and f"Reorder buffer, second: {entries} entries" in said
    k, values = read(browser, chart(browser, "rob", "Two loads"), ["Home"])
    for name, one in runs.items():
        rows = Files(one).numbers("2m", "center", n="2", k=k)
        assert any(values[name] == pytest.approx(row, rel=1e-3) for row in rows)
    _, values = read(browser, chart(browser, "mlp", "N loads"), ["Home"])
    assert {"first, mean", "second, mean"} <= set(values)


def test_a_narrow_dark_page_is_whole(page, run, tmp_path):
    page.show_as(390, 900, dark=True)
    page.open(page_of(tmp_path / "report.html", {"first": run}))
    wait_for_charts(page)
    for width in (390, 1280):
        page.show_as(width, 900, dark=True)
        assert page.run("return document.documentElement.scrollWidth") <= width
    assert page.complaints() == []
