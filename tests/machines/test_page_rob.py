"""The page's sections on structures of a core, in a browser: what they draw is what the files of a run say."""

import csv
import gzip
import io
import subprocess

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import files_of, page_of
from machine import BUILD, ROOT

SECTIONS = ["rob", "mlp"]
SIZES = "rob=96,fill_buffers=8,int_regs=80,vec_regs=70,load_queue=40,store_queue=30,memory=100"
FEW = ["pages=2m", "mlp.loads=1-12", "mlp.fillers=0-128/32", "structures.fillers=0-128/32", "samples.max=30"]
# A core that its sibling shares now and then, with counters and prefetchers; and one whose sibling does as it is told.
SHARED = (f"model:{SIZES},prefetchers=1,sibling=0.5", ["experiments=mlp structures", "prefetch=both", *FEW])
THREADS = (f"model:{SIZES},threads=2,counters=0,smt_vec_regs=1,smt_fill_buffers=1,smt_caches=2",
           ["experiments=smt", "array.bytes=16k-512k*4", *FEW])
STORED = ROOT / "tests" / "data" / "counted"


def measure(folder, platform, settings):
    command = [BUILD / "mlpboot-hosted", "run", "--platform", platform, "--out", folder]
    for setting in settings:
        command += ["--set", setting]
    subprocess.run(command, check=True, capture_output=True)
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
        """That column of the rows of mlp with these coordinates; files of old have fewer columns."""
        return [float(row[column]) for row in self.rows
                if row.get(column) and row["experiment"] == "mlp" and row["case"] == case and row["metric"] == metric
                and all(row[name] == value for name, value in wanted.items())]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return measure(tmp_path_factory.mktemp("runs") / "shared", *SHARED)


@pytest.fixture(scope="module")
def page(browser, run, tmp_path_factory):
    """A page over that run; a choice that a test makes in it stays."""
    browser.open(page_of(tmp_path_factory.mktemp("page") / "report.html", {"first": run}), "ticks")
    wait_for_charts(browser)
    return browser


@pytest.fixture
def files(run):
    return Files(run)


# Of each chart in a section, whether its canvas has more than a few colours.
DRAWN = """return [...document.querySelectorAll(`#${arguments[0]} .plot`)].map((host) => {
    const canvas = host.querySelector('canvas');
    if (canvas === null)
        return false;
    const image = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(image.data.buffer)).size > 3;
});"""


def wait_for_charts(browser, *sections):
    for section in sections or SECTIONS:
        browser.wait(lambda: (drawn := browser.run(DRAWN, section)) != [] and all(drawn))


def chart(browser, section, title):
    """The figure whose title begins like this."""
    return next(figure for figure in browser.driver.find_elements(By.CSS_SELECTOR, f"#{section} figure.chart")
                if figure.find_element(By.TAG_NAME, "figcaption").text.startswith(title))


def read(figure, keys):
    """What is said of the point that these keys go to: {name of the line: number}, and its x."""
    figure.find_element(By.CLASS_NAME, "plot").send_keys(*keys)
    at, *values = figure.find_element(By.CLASS_NAME, "readout").text.split(" · ")
    return at.split()[-1], {name: float(text.split()[0].replace(",", ""))
                            for name, text in (value.rsplit(": ", 1) for value in values)}


def choose(browser, section, value):
    browser.run("""[...document.querySelectorAll(`#${arguments[0]} input`)]
        .find((one) => one.value === arguments[1]).click()""", section, value)
    wait_for_charts(browser, section)


# The column of a chart in which most pixels are nearly of a line's colour, and the place of an x.
COLUMN = """const [figure, variable, x] = arguments, plot = figure.querySelector('.plot').plot, c = plot.ctx;
const hex = getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
const wanted = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
const { left, top, width, height } = plot.bbox, data = c.getImageData(left, top, width, height).data;
const count = (column) => {
    let found = 0;
    for (let row = 0; row < height; row++)
        found += wanted.every((part, i) => Math.abs(data[4 * (row * width + column) + i] - part) < 70);
    return found;
};
const counts = Array.from({ length: width }, (_, column) => count(column));
return [counts.indexOf(Math.max(...counts)), plot.valToPos(x, 'x', true) - left];"""


@pytest.mark.parametrize("case, color", [("2m", "--series-0"), ("2m-shared", "--series-1")])
def test_the_mark_stands_where_the_verdict_says(page, files, case, color):
    cliff = float(files.verdict(case, "rob_cliff_k")["value"])
    column, place = page.run(COLUMN, chart(page, "rob", "Two loads"), color, cliff)
    assert abs(column - place) <= 1.5


def test_the_answer_is_said_first(page, files):
    verdict = files.verdict("2m", "rob_entries")
    said = page.driver.find_element(By.CSS_SELECTOR, "#rob .answer").text
    assert said.startswith(f"Reorder buffer: {verdict['value']} entries") and verdict["status"] in said
    said = page.driver.find_element(By.CSS_SELECTOR, "#mlp .answer").text
    assert f": {files.verdict('2m', 'mlp')['value']} loads" in said


def test_arrow_keys_show_what_the_file_says(page, files):
    k, values = read(chart(page, "rob", "Two loads"), [Keys.HOME, Keys.ARROW_RIGHT])
    centers = files.numbers("2m", "center", n="2", k=k)
    assert centers != [] and any(values["2m"] == pytest.approx(one, rel=1e-3) for one in centers)
    n, values = read(chart(page, "mlp", "N loads"), [Keys.END])
    assert n == "12"
    assert values["2m mean"] == pytest.approx(files.numbers("2m", "mean", n=n, k="0")[0], rel=1e-3)
    assert values["2m fastest hundredth"] == pytest.approx(files.numbers("2m", "p1", n=n, k="0")[0], rel=1e-3)


def test_counted_occupancy_is_what_was_counted(page, files):
    n, values = read(chart(page, "mlp", "Counted: misses"), [Keys.END])
    sums = files.numbers("2m", "mean", "l1d_pend_miss_pending", n=n, k="0", stage="")
    cycles = files.numbers("2m", "mean", "l1d_pend_miss_pending_cycles", n=n, k="0", stage="")
    assert values["2m"] == pytest.approx(sums[0] / cycles[0], rel=1e-3)
    least, values = read(chart(page, "mlp", "Counted: cycles"), [Keys.HOME])
    assert values["2m"] == pytest.approx(files.numbers("2m", "median", "l1d_pend_miss_pending", stage=least)[0], rel=1e-3)


def test_each_filler_has_a_chart_with_its_verdict(page, files):
    fillers = [one for one in files.verdicts if one["experiment"] == "structures" and one["name"] != "above_floor"
               and not one["case"].endswith("-shared")]
    figures = page.driver.find_elements(By.CSS_SELECTOR, "#rob .smalls figure")
    assert len(figures) == len(fillers) == 8
    for figure, verdict in zip(figures, fillers):
        assert f"{verdict['name']}, filler {verdict['case']}:" in figure.text
        if verdict["value"]:
            assert f"{verdict['value']} {verdict['unit']}" in figure.text
        assert verdict["status"] in figure.text


def test_another_case_is_drawn_when_it_is_chosen(page, files):
    choose(page, "mlp", "2m-nopf")
    n, values = read(chart(page, "mlp", "N loads side by side: 2m-nopf"), [Keys.HOME])
    assert values["2m-nopf mean"] == pytest.approx(files.numbers("2m-nopf", "mean", n=n, k="0")[0], rel=1e-3)
    choose(page, "mlp", "shared")
    _, values = read(chart(page, "mlp", "N loads side by side: 2m-nopf"), [Keys.HOME])
    assert "2m-nopf-shared mean" in values
    choose(page, "mlp", "2m-dependent")
    assert chart(page, "mlp", "A chain of N loads")
    choose(page, "rob", "slowest tenth")
    k, values = read(chart(page, "rob", "Two loads with K NOPs between them: 2m (2 MB pages), slowest tenth"), [Keys.HOME])
    assert values["2m"] in [pytest.approx(one, rel=1e-3) for one in files.numbers("2m", "p90", n="2", k=k)]


def test_threads_share_what_the_verdicts_say(browser, tmp_path):
    run = measure(tmp_path / "run", *THREADS)
    files = Files(run)
    browser.open(page_of(tmp_path / "report.html", {"threads": run}))
    wait_for_charts(browser, "smt")
    splits = [one for one in files.verdicts if one["experiment"] == "smt" and one["name"].endswith("split")]
    cards = browser.driver.find_elements(By.CSS_SELECTOR, "#smt .structure")
    assert len(cards) == len(splits) == 11
    said = browser.driver.find_element(By.CSS_SELECTOR, "#smt .answer").text
    words = {one["method"].split(":")[0] for one in splits if one["status"] == "ok"}
    assert {"halved", "competitive"} <= words and all(f"{word[0].upper()}{word[1:]} (" in said for word in words)
    widths = browser.run("return [...arguments[0].querySelectorAll('.bar')].map((bar) => bar.offsetWidth)", cards[0])
    busy, idle = (float(files.verdict(f"nop-{work}", "rob_entries", "smt")["value"]) for work in ("busy", "idle"))
    assert len(widths) == 3 and widths[1] / widths[0] == pytest.approx(busy / idle, abs=0.01)


def test_two_runs_are_laid_over_each_other(browser, run, tmp_path):
    runs = {"first": run, "second": {name: gzip.decompress((STORED / f"{name}.gz").read_bytes()).decode()
                                     for name in ("verdicts.csv", "results.csv")}}
    browser.open(page_of(tmp_path / "report.html", runs))
    wait_for_charts(browser)
    entries = int(Files(runs["second"]).verdict("2m", "rob_entries")["value"])
    said = browser.driver.find_element(By.ID, "rob").text
    assert "Reorder buffer, first: 96 entries" in said and f"Reorder buffer, second: {entries} entries" in said
    k, values = read(chart(browser, "rob", "Two loads"), [Keys.HOME])
    for name, one in runs.items():
        rows = Files(one).numbers("2m", "median", n="2", k=k) + Files(one).numbers("2m", "center", n="2", k=k)
        assert any(values[f"{name} 2m"] == pytest.approx(row, rel=1e-3) for row in rows)
    _, values = read(chart(browser, "mlp", "N loads"), [Keys.HOME])
    assert {"first 2m mean", "second 2m mean"} <= set(values)


@pytest.mark.parametrize("width, dark", [(390, False), (1280, True)])
def test_narrow_and_dark_pages_are_whole(page, run, tmp_path, width, dark):
    page.show_as(width, 900, dark)
    page.open(page_of(tmp_path / "report.html", {"first": run}))
    wait_for_charts(page)
    assert page.run("return document.documentElement.scrollWidth") <= width
    assert [one for one in page.complaints() if "getImageData" not in one] == []  # which DRAWN calls
