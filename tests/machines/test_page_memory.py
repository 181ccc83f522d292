"""The page's sections on latency, the TLB, access patterns and the shuffle: they show what stands in the files."""

import csv
import gzip
import io
import json
import statistics
import subprocess

import pytest

from browser import files_of, page_of
from machine import BUILD, ROOT

DATA = ROOT / "tests" / "data"
SECTIONS = ["latency", "tlb", "patterns", "shuffle"]
EXPERIMENTS = {"latency": "array", "tlb": "tlb", "patterns": "patterns", "shuffle": "shuffle"}
NS = 0.4  # of a tick, in these pages
RUN = {"program": "mlpboot", "tsc_hz": 2_500_000_000, "certificate": {"cycles_per_tick": 1.25}}


def stored(label, folder="silicon"):
    files = {name: gzip.decompress((DATA / folder / f"{name}.gz").read_bytes()).decode()
             for name in ("verdicts.csv", "results.csv")}
    return {**files, "run.json": json.dumps({**RUN, "label": label})}


def lines_of(text, **wanted):
    return [line for line in csv.DictReader(io.StringIO(text))
            if all(line[name] == value for name, value in wanted.items())]


MODEL = ["experiments=tlb", "pages=4k", "tlb.pages=2-256*2 3-192*2 5-160*2 7-224*2", "tlb.loads=1-6",
         "samples.min=10", "samples.max=20", "samples.precision=5%"]


@pytest.fixture(scope="module")
def opened(tmp_path_factory, request):
    """Pages in a browser: one stored run of silicon, one of the model; a TLB whose answers are known; two runs."""
    path = tmp_path_factory.mktemp("memory")
    command = [BUILD / "mlpboot-hosted", "run", "--out", path / "run", "--platform",
               "model:dtlb=16,dtlb_ways=4,stlb=96,stlb_ways=6", *(word for one in MODEL for word in ["--set", one])]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as model:
        page_of(path / "silicon.html", {"0001": stored("silicon")})
        page_of(path / "levels.html", {"0001": stored("levels", "model")})
        page_of(path / "two.html", {"0001": stored("one"), "0002": stored("two")})
        browser = request.getfixturevalue("browser")  # may start now, while the model measures
        assert model.wait() == 0
    page_of(path / "model.html", {"0001": files_of(path / "run")})
    return Opened(browser, path)


class Opened:
    """A browser, and the page that it shows: no page is opened twice in a row."""

    def __init__(self, browser, folder):
        self.browser, self.folder, self.name = browser, folder, None

    def show(self, name, unit=None):
        if self.name != name:
            self.browser.open(self.folder / f"{name}.html")
            self.name = name
        if unit:
            press(self.browser, "header", unit)
        return self.browser


def press(browser, where, text):
    """The choice of those words, in a row or a list, if there is one; the page is then as it was before."""
    found = browser.run("""const choice = [...document.querySelectorAll(['label', 'option'].map((one) =>
            `${arguments[0]} .chooser ${one}`))].find((one) => one.textContent === arguments[1]);
        const list = choice?.closest('select');
        if (list) { list.value = choice.value; list.dispatchEvent(new Event('change')); } else choice?.click();
        return Boolean(choice);""", where, text)
    browser.wait_for_page()
    return found


def read_at(browser, section, chart, keys):
    """What stands below a chart after these keys."""
    return browser.run("""const host = document.querySelectorAll(`#${arguments[0]} .plot`)[arguments[1]];
        host.focus();
        for (const key of arguments[2]) host.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        return host.nextElementSibling.textContent;""", section, chart, keys)


def text_of(browser, section):
    return browser.run("return document.getElementById(arguments[0]).textContent", section)


def shown(value):
    """As number() of format.js writes it, as far as these values go."""
    return f"{float(f'{value:.4g}'):,g}"


def latency(text, case, chains, size):
    steps = {int(line["k"]): float(line["center"])
             for line in lines_of(text, experiment="array", case=case, metric="tsc", n=str(chains), bytes=str(size))}
    few, many = min(steps), max(steps)
    return (steps[many] - steps[few]) / (many - few) / chains


def test_every_chart_has_drawn_and_sizes_are_in_binary_units(opened):
    browser = opened.show("silicon", "ticks")
    browser.wait_for_charts("latency", "tlb", "shuffle", least=4)
    labels = browser.run("return document.querySelector('#latency .plot').plot.axes[0]._values")
    assert {"1 KB", "32 KB", "1 MB"} <= set(labels)
    assert browser.complaints() == []


def test_levels_are_where_the_verdicts_say(opened):
    answer = "return document.querySelector('#latency .answer').textContent"
    assert opened.show("silicon", "ticks").run(answer) == "L1 32 KB at 2.85 ticks ok, L2 768 KB at 9.86 ticks ok, " \
        "L3 not known doubt, memory at 434 ticks ok."
    browser = opened.show("levels", "ticks")
    browser.wait_for_charts("latency", least=2)
    verdicts = {line["name"]: line for line in
                lines_of(stored("", "model")["verdicts.csv"], experiment="array", case="2m")}
    assert browser.run(answer) == "L1 32 KB at 4 ticks ok, L2 256 KB at 12 ticks ok, L3 20 MB at 40 ticks ok, " \
        "memory at 200 ticks ok."
    # Pixels of the column at a size in one colour, and of the row at a time in the other.
    count = """const plot = document.querySelector('#latency .plot').plot, { left, top, width, height } = plot.bbox;
        const [size, time] = arguments, x = plot.valToPos(size, 'x', true), y = plot.valToPos(time, 'y', true);
        const hue = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
            .match(/\\w\\w/g).map((part) => parseInt(part, 16));
        const near = (name, ...area) => { const data = plot.ctx.getImageData(...area.map(Math.round)).data; let count = 0;
            for (let i = 0; i < data.length; i += 4)
                count += hue(name).every((part, j) => Math.abs(255 - (255 - data[i + j]) * data[i + 3] / 255 - part) < 110);
            return count; };
        return [near('--series-1', x - 1, top, 3, height) / height, near('--series-2', left, y - 1, width, 3) / width];"""
    for level in ["l1", "l2", "l3"]:
        size, time = (float(verdicts[f"{level}_{what}"]["value"]) for what in ["bytes", "latency"])
        column, row = browser.run(count, size, time)
        assert column > 0.4 and row > 0.1, level  # dashes; a level is an eighth of the width and more
        assert browser.run(count, size * 1.3, time)[0] < 0.3, level
        assert browser.run(count, size, time * 1.6)[1] < 0.1, level


def test_arrow_keys_read_latencies_that_follow_from_the_rows(opened):
    text = stored("")["results.csv"]
    for unit, factor in [("ticks", 1), ("cycles", 1.25)]:
        browser = opened.show("silicon", unit)
        browser.wait_for_charts("latency", least=2)
        assert read_at(browser, "latency", 0, ["Home"]) == \
            f"array 1 KB · 2 MB pages: {shown(latency(text, '2m', 1, 1024) * factor)}"
        second = read_at(browser, "latency", 1, ["Home", "ArrowRight"])
        assert "array 2 KB" in second
        assert f"4: {shown(latency(text, '2m', 4, 2048) * factor)}" in second


def test_passes_and_swaps_are_as_their_verdicts_say(opened):
    browser = opened.show("silicon", "ns")
    browser.wait_for_charts("shuffle", least=1)
    verdicts, rows = stored("")["verdicts.csv"], stored("")["results.csv"]
    for pattern in ["linear", "random"]:
        value = float(lines_of(verdicts, case=f"{pattern}-2m", name="ns_per_access")[0]["value"])
        assert f"{shown(value)} ns" in text_of(browser, "patterns")
    gain = float(lines_of(verdicts, case="staged-precomputed-2m", name="staged_gain")[0]["value"])
    assert f"without stages a swap takes {-gain:.1f} % less ok; the best stage" in text_of(browser, "shuffle")
    stages = lines_of(rows, case="staged-precomputed-2m", metric="tsc", bytes="268435456")
    least = min(int(line["stage"]) for line in stages)
    passes = [float(line["center"]) / float(line["k"]) * NS for line in stages if line["stage"] == str(least)]
    middle, low, high = map(shown, (statistics.mean(passes), min(passes), max(passes)))
    assert f"256 MB in stages: {middle} ({low} to {high})" in read_at(browser, "shuffle", 0, ["Home"])


def test_an_interval_around_zero_is_no_difference(opened):
    browser = opened.show("silicon", "ns")
    assert press(browser, "#shuffle", "indices made before, 4 KB pages")
    sentence = browser.run("return document.querySelector('#shuffle .answer').textContent")
    assert "no measurable difference by stages (-10.7 to 1.5 %) doubt" in sentence and "best" not in sentence


def test_what_is_not_ok_says_why_once_and_folded(opened):
    browser = opened.show("silicon", "ns")
    assert browser.run("return document.querySelectorAll('.reasons[open]').length") == 0
    for section in SECTIONS:
        text = text_of(browser, section)
        verdicts = lines_of(stored("")["verdicts.csv"], experiment=EXPERIMENTS[section])
        for verdict in verdicts:
            if verdict["status"] != "ok" and verdict["name"] not in ("above_floor", "ticks_per_access"):
                reason, *rest = verdict["method"].split("; ")
                assert text.count(f"{verdict['status']} {reason}") == 1 and "; ".join(rest) in text, verdict


def test_the_tlb_is_as_its_verdicts_say(opened):
    browser = opened.show("model", "ticks")
    browser.wait_for_charts("tlb", least=3)
    assert browser.complaints() == []
    text = text_of(browser, "tlb")
    assert "4 KB pages: the TLB's first level holds 16 ok in 4 ways ok, the second 96 ok in 6 ways ok" in text
    assert "a load that needs the second takes 7 ticks ok longer" in text
    assert "a page walk makes a load 60 ticks ok longer" in text
    rows = lines_of((opened.folder / "run" / "results.csv").read_text(), experiment="tlb", case="chain-4k",
                    metric="chain", bytes="4096", n="2", stage="")
    wanted = float(rows[0]["center"]) / float(rows[0]["k"])
    below = read_at(browser, "tlb", 0, ["Home"])
    assert below.startswith(f"pages 2 · 4 KB pages: {shown(wanted)}")
    costs = browser.run("""return [...document.querySelectorAll('#tlb .bars li')].map((one) => one.textContent)""")
    assert any(cost.startswith("4 KB pages, 512 GB apart") and "60 ticks" in cost for cost in costs)
    # Distances that show the same are one line; the odd ones end early, and are none.
    assert browser.run("return document.querySelectorAll('#tlb .legend')[1].textContent") == \
        "16 KB apart64 KB, 256 KB, 1 MB, 2 MB, 16 MB, 128 MB, 1 GB, 512 GB apart"


def fits_a_narrow_dark_screen(opened, name):
    opened.browser.show_as(390, 844, dark=True)
    try:
        browser = opened.show(name)
        browser.wait_for_charts(*SECTIONS, least=3)
        browser.wait(lambda: browser.run("return document.documentElement.scrollWidth") <= 390)
        wide = browser.run("""return arguments[0].flatMap((id) => [...document.querySelectorAll(`#${id} *`)])
            .filter((one) => one.getBoundingClientRect().right > 391 && !one.closest('.u-over'))
            .map((one) => one.outerHTML.slice(0, 80))""", SECTIONS)
        assert wide == []
    finally:
        opened.browser.show_as(1280, 900)


def test_a_narrow_dark_screen_has_all_of_one_run(opened):
    fits_a_narrow_dark_screen(opened, "model")


def test_two_runs_are_laid_over_each_other(opened):
    browser = opened.show("two", "ns")
    browser.wait_for_charts(*SECTIONS, least=3)
    legends = browser.run("""return [...document.querySelectorAll('#latency figure .legend, #shuffle figure .legend')]
        .map((one) => one.textContent)""")
    assert all("one" in legend and "two" in legend for legend in legends) and len(legends) == 2
    bars = browser.run("""return [...document.querySelectorAll('#patterns .bars li')].slice(0, 3)
        .map((one) => [one.textContent, one.querySelector('.bar')?.style.getPropertyValue('--bar')])""")
    assert bars[0][0] == "2 MB pages: in order" and bars[1][0].startswith("one0.57 ns")
    assert bars[2][0].startswith("two0.57 ns") and bars[1][1] != bars[2][1]
    assert press(browser, "#latency", "4")
    browser.wait_for_charts("latency", least=1)
    value = shown(latency(stored("")["results.csv"], "2m", 4, 1024) * NS)
    assert read_at(browser, "latency", 0, ["Home"]) == \
        f"array 1 KB · one, 2 MB pages: {value} · two, 2 MB pages: {value}"


def test_a_narrow_dark_screen_has_all_of_two_runs(opened):
    fits_a_narrow_dark_screen(opened, "two")
