"""The page's sections on latency, the TLB, access patterns and the shuffle: they show what stands in the files."""

import csv
import gzip
import io
import json
import re
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
    labels = browser.run("return [...document.querySelectorAll('#latency .plot .ticks text')].map((one) => one.textContent)")
    assert {"1 KB", "32 KB", "1 MB"} <= set(labels)
    assert browser.complaints() == []


def test_levels_are_where_the_verdicts_say(opened):
    answer = "return document.querySelector('#latency .answer').textContent"
    assert opened.show("silicon", "ticks").run(answer) == "2 MB pages: L1 32 KB at 2.85 ticks ok, " \
        "L2 768 KB at 9.95 ticks ok, L3 not known doubt, memory at 426 ticks ok."
    memory = float(lines_of(stored("")["verdicts.csv"], experiment="array", case="2m", name="memory_latency")[0]["value"])
    assert memory in opened.browser.run("return [...document.querySelectorAll('#latency-chain .level')].map((one) => Number(one.dataset.y))")
    assert "times as many" not in text_of(opened.browser, "latency")
    browser = opened.show("levels", "ticks")
    browser.wait_for_charts("latency", least=2)
    verdicts = {line["name"]: line for line in
                lines_of(stored("", "model")["verdicts.csv"], experiment="array", case="2m")}
    assert browser.run(answer) == "2 MB pages: L1 32 KB at 4 ticks ok, L2 256 KB at 12 ticks ok, L3 20 MB at 40 ticks ok, " \
        "memory at 200 ticks ok."
    drawn = browser.run("""const plot = document.querySelector('#latency .plot');
        return ['mark', 'level'].map((kind) => [...plot.querySelectorAll(`.${kind}`)].map((one) =>
            Number(one.dataset.x ?? one.dataset.y)));""")
    for level in ["l1", "l2", "l3"]:
        size, time = (float(verdicts[f"{level}_{what}"]["value"]) for what in ["bytes", "latency"])
        assert size in drawn[0] and any(time == pytest.approx(one, rel=0.05) for one in drawn[1]), level


def test_the_chosen_unit_leads_and_the_other_is_in_brackets(opened, browser, tmp_path):
    files = stored("")
    files["verdicts.csv"] = files["verdicts.csv"].replace("l1_latency_cycles,,,,cycles,skip", "l1_latency_cycles,4,4,4,cycles,ok", 1)
    for unit, other in [("ns", "cycles"), ("cycles", "ns")]:
        browser.open(page_of(tmp_path / "report.html", {"0001": files}), unit)
        assert re.search(rf"at [\d.]+ {unit} \([\d.]+ {other}\)", text_of(browser, "latency"))
    opened.name = None


def test_arrow_keys_read_latencies_that_follow_from_the_rows(opened):
    text = stored("")["results.csv"]
    for unit, factor in [("ticks", 1), ("cycles", 1.25)]:
        browser = opened.show("silicon", unit)
        browser.wait_for_charts("latency", least=2)
        x, first = browser.read(("latency", 0), "Home")
        assert x == "array size 1 KB" and first.startswith(f"whole core: {shown(latency(text, '2m', 1, 1024) * factor)} {unit} (")
        x, *second = browser.read(("latency", 1), "Home", "ArrowRight")
        assert x == "array size 2 KB" and f"4 chains: {shown(latency(text, '2m', 4, 2048) * factor)} {unit}" in second


def test_each_bandwidth_stands_with_its_case_and_the_other_runs(browser, opened, tmp_path):
    opened.name = None
    one, two = stored("one", "zen5"), stored("two", "zen5")
    rates = [line for line in lines_of(one["verdicts.csv"], experiment="array") if line["name"].endswith("bandwidth") and line["value"]]
    bars = "return [...document.querySelectorAll('#latency .bars li')].map((one) => [one.className, one.textContent])"
    browser.open(page_of(tmp_path / "report.html", {"one": one}))
    shown_bars = browser.run(bars)
    assert [text for kind, text in shown_bars if kind == "group"] == ["2 MB pages", "4 KB pages"]
    first = float(rates[0]["value"])
    assert shown_bars[1][1].startswith(f"L1, read: {shown(float(f'{first * 3.125:.3g}'))} GB/s")
    browser.open(page_of(tmp_path / "report.html", {"one": one, "two": two}))
    shown_bars = browser.run(bars)
    assert len(shown_bars) == 3 * len(rates) and shown_bars[0] == ["group", "2 MB pages: L1, read"]
    assert [text[:3] for _, text in shown_bars[1:3]] == ["one", "two"]


def test_patterns_and_swaps_are_as_their_verdicts_say(opened):
    browser = opened.show("silicon", "ns")
    browser.wait_for_charts("shuffle", least=1)
    verdicts, rows = stored("")["verdicts.csv"], stored("")["results.csv"]
    value = float(lines_of(verdicts, case="linear-2m", name="ticks_per_access")[0]["value"])
    assert f"{value * NS:.3g} ns" in text_of(browser, "patterns")
    words = (ROOT / "images" / "manual" / "methods.md").read_text()
    for pattern in ("linear", "page", "heap", "random"):  # the manual's words, and each is explained
        assert f"| `{pattern}` |" in words and f"{pattern}: " in text_of(browser, "patterns")
    gain = lines_of(verdicts, case="staged-precomputed-2m", name="staged_gain")[0]
    assert f"takes longer without stages by: {float(gain['value']):.1f} %" in text_of(browser, "shuffle")
    means = [statistics.mean(float(line["center"]) / float(line["k"]) for line in
                             lines_of(rows, case=f"{loop}-precomputed-2m", metric="tsc", bytes="268435456", stage="8"))
             for loop in ("plain", "staged")]
    assert f"256 MB: {shown(100 * (means[0] / means[1] - 1))} %" in browser.read(("shuffle", 0), "Home")


def test_what_is_not_ok_is_a_click_away(opened):
    browser = opened.show("silicon", "ns")
    for section in SECTIONS:
        verdicts = lines_of(stored("")["verdicts.csv"], experiment=EXPERIMENTS[section])
        count = sum(one["status"] in ("doubt", "error") for one in verdicts)
        assert f"{count} of {len(verdicts)} verdicts here are not ok" in text_of(browser, section)
    browser.run("[...document.querySelectorAll('#tlb a')].at(-1).click()")
    browser.wait_for_page()
    shown_rows = browser.run("return [...document.querySelectorAll('.verdicts tbody tr')].map((one) => one.textContent)")
    doubts = lines_of(stored("")["verdicts.csv"], experiment="tlb", status="doubt")
    assert len(shown_rows) == len(doubts) and all(row.startswith("tlb") for row in shown_rows)


def test_the_tlb_is_as_its_verdicts_say(opened):
    browser = opened.show("model", "ticks")
    browser.wait_for_charts("tlb", least=3)
    assert browser.complaints() == []
    text = text_of(browser, "tlb")
    for words in ["First TLB: 16 entries ok", "Second TLB: 96 entries ok", "First TLB, a miss adds: 7 cycles ok",
                  "First TLB, ways: 4 ways ok", "Second TLB, ways: 6 ways ok"]:
        assert words in re.sub(r" \([^)]*\)", "", text), words
    assert re.search(r"TLB cold60 ticks|4 KB pages60 ticks", text), text
    rows = lines_of((opened.folder / "run" / "results.csv").read_text(), experiment="tlb", case="chain-4k",
                    metric="chain", bytes="4096", n="2", stage="")
    wanted = float(rows[0]["center"]) / float(rows[0]["k"])
    below = browser.read(("tlb", 0), "Home")
    assert below[0] == "pages 2" and below[1].startswith(f"pages side by side: {shown(wanted)} ticks (")
    costs = browser.run("""return [...document.querySelectorAll('#tlb .bars li')].map((one) => one.textContent)""")
    assert any(cost.startswith("Page walk, pages 512 GB apart, 4 KB pages") and "60 cycles" in cost for cost in costs)
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
            .filter((one) => one.getBoundingClientRect().right > 391)
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
    assert all("one" in legend and "two" in legend for legend in legends) and len(legends) == 3
    bars = browser.run("""return [...document.querySelectorAll('#patterns .bars li')].slice(0, 3)
        .map((one) => [one.textContent, one.querySelector('.bar')?.style.getPropertyValue('--bar')])""")
    assert bars[0][0] == "2 MB pages: linear" and bars[1][0].startswith("one0.592 ns")
    assert bars[2][0].startswith("two0.592 ns") and bars[1][1] != bars[2][1]
    value = shown(latency(stored("")["results.csv"], "2m", 1, 1024) * NS)
    x, *lines = browser.read(("latency", 0), "Home")
    assert x == "array size 1 KB"
    assert [line.split(" (")[0] for line in lines] == [f"one: {value} ns", f"two: {value} ns"]


def test_a_narrow_dark_screen_has_all_of_two_runs(opened):
    fits_a_narrow_dark_screen(opened, "two")
