"""Loaded latency, timeline, memory nodes and noise on the page: what they show stands in the run's files."""

import csv
import gzip
import json
import re
import subprocess

import pytest

from browser import files_of, page_of
from machine import BUILD, NO_VERDICT, ROOT


MODEL = ["--platform", "model:remote=150,cores=2,bandwidth=2", "--set", "experiments=numa loaded timeline noise",
         "--set", "node=all", "--set", "pages=4k", "--set", "mlp.fillers=0 160-224/8", "--set", "mlp.loads=1-12",
         "--set", "loaded.cores=1 2", "--set", "loaded.pauses=0 256 1024 4096",
         "--set", "timeline.tlb=warm cold", "--set", "timeline.cycles=1-300/2", "--set", "label=two nodes"]
LINUX = ["--set", "experiments=noise", "--set", "noise.seconds=1"]


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """Runs of the model and of this machine; they go on while the browser starts."""
    folder = tmp_path_factory.mktemp("runs")
    return folder, [subprocess.Popen([BUILD / "mlpboot-hosted", "run", *arguments, "--out", folder / name],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                    for name, arguments in (("model", MODEL), ("linux", LINUX))]


@pytest.fixture(scope="module")
def folders(started, browser):
    folder, runs = started
    for run in runs:
        _, errors = run.communicate(timeout=300)
        assert run.returncode in (0, NO_VERDICT), errors
    return folder


@pytest.fixture(scope="module")
def pages(folders):
    files = {name: files_of(folders / name) for name in ("model", "linux")}
    silicon = gzip.decompress((ROOT / "tests" / "data" / "silicon" / "results.csv.gz").read_bytes()).decode()
    curve = "".join(line for line in silicon.splitlines(keepends=True) if line.startswith(("experiment,", "mlp,")))
    data = {name: gzip.decompress((ROOT / "tests" / "data" / "model" / f"{name}.gz").read_bytes()).decode() for name in ("verdicts.csv", "results.csv")}
    runs = {"unnumbered": {"model": {**data, "run.json": "{}"}}, "model": {"model": files["model"]}, "linux": {"linux": files["linux"]},
            "both": {name: {**texts, "run.json": json.dumps({**json.loads(texts["run.json"]), "label": name})}
                     for name, texts in files.items()},
            "neither": {"curve": {"results.csv": curve, "run.json": "{}"}}}
    return {name: page_of(folders / f"{name}.html", run) for name, run in runs.items()}


def read(folder, file):
    with open(folder / file, newline="") as lines:
        return list(csv.DictReader(lines))


def find(table, **fields):
    """The only line with these fields."""
    (found,) = [line for line in table if all(line[name] == value for name, value in fields.items())]
    return found


def numbers(text):
    return [float(number.replace(",", "")) for number in re.findall(r"-?\d[\d,]*(?:\.\d+)?", text)]


def shows(text, value):
    """Whether a number in the text is this one, to the four digits that are shown."""
    return any(number == pytest.approx(value, rel=6e-4, abs=1e-9) for number in numbers(text))


def shows_verdict(text, verdict):
    """Whether its value and the ends of its interval are there, to two digits of half the interval's width."""
    low, value, high = (float(verdict[name]) for name in ("low", "value", "high"))
    off = max(6e-4 * high, 0.05 * (high - low) / 2)
    return all(any(abs(number - one) <= 1.001 * off for number in numbers(text)) for one in (low, value, high))


def press(browser, section, chart, *keys):
    """What the chart says of the point that these keys go to."""
    return " · ".join(browser.read((section, chart), *keys))


def texts(browser, selector):
    return browser.run("return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", selector)


def test_loaded_latency(browser, folders, pages):
    browser.open(pages["model"], "ticks")
    browser.wait_for_charts("loaded", least=2)
    rows, verdicts = read(folders / "model", "results.csv"), read(folders / "model", "verdicts.csv")
    case = {"experiment": "loaded", "case": "read-4k-cores2"}
    chain = {n: float(find(rows, **case, metric="chain", n=n, k="0")["center"]) for n in ("8", "72")}
    traffic = float(find(rows, **case, metric="traffic", n="72", k="0")["center"])
    said = [press(browser, "loaded", 0, "End", *["ArrowLeft"] * back) for back in range(12)]
    (found,) = [text for text in said if re.search(r"\bread: [^·]*pause 0\b", text)]
    moved, value = re.match(r"GB/s of the other cores ([\d.,]+) .*?\bread: ([\d.,]+)", found).groups()
    assert shows(moved, traffic)
    assert shows(value, (chain["72"] - chain["8"]) / 64)
    most = find(verdicts, **case, name="peak_bandwidth")
    assert shows(press(browser, "loaded", 1, "End"), float(most["value"]))
    most = max((one for one in verdicts if one["name"] == "peak_bandwidth" and one["status"] == "ok"), key=lambda one: float(one["value"]))
    idle, top, bandwidth = texts(browser, "#loaded .answer")
    for answer, name in ((idle, "idle_latency"), (top, "latency_at_peak"), (bandwidth, "peak_bandwidth")):
        assert shows_verdict(answer, find(verdicts, experiment="loaded", case=most["case"], name=name))
    assert idle.startswith("Latency while other cores rest: ")


def test_timeline(browser, folders, pages):
    browser.open(pages["model"])
    browser.wait_for_charts("timeline", least=2)
    rows, verdicts = read(folders / "model", "results.csv"), read(folders / "model", "verdicts.csv")
    case = {"experiment": "timeline", "case": "4k-warm"}
    last = max((row for row in rows if row["case"] == "4k-warm" and row["metric"] == "instructions"),
               key=lambda row: int(row["stage"]))
    said = {title: browser.read(("timeline", i), "End")[-1] for i, title in enumerate(texts(browser, "#timeline figcaption"))}
    for metric, words in (("instructions", "instructions retired"), ("l2_demand_data_rd", "misses issued")):
        row = find(rows, **case, metric=metric, stage=last["stage"])
        assert f": {float(row['median']):g} (" in said[words]
    assert "misses outstanding in each cycle" in said
    answers = " ".join(texts(browser, "#timeline .answer"))
    for name in ("misses_issued_in", "retirement_resumes"):
        verdict = find(verdicts, **case, name=name)
        assert shows_verdict(answers, verdict) and verdict["status"] in answers
    zero = float(find(verdicts, **case, name="cycle_zero")["value"])
    x, _ = browser.read(("timeline", texts(browser, "#timeline figcaption").index("instructions retired")), "Home")
    first = min(float(row["mean"]) for row in rows if row["case"] == "4k-warm" and row["metric"] == "core_cycles")
    assert shows(x, first - zero)
    marks = browser.run("return [...document.querySelectorAll('#timeline .mark')].map((one) => [one.closest('figure').id, Number(one.dataset.x)])")
    for event, name in (("l2_demand_data_rd", "first_miss"), ("l2_demand_data_rd", "last_miss"), ("instructions", "retirement_resumes")):
        assert [f"timeline-{event}", float(find(verdicts, **case, name=name)["value"])] in marks
    browser.run("document.querySelector('#timeline input[value=\"4k-cold\"]').click()")
    walk = find(verdicts, experiment="timeline", case="4k-cold", name="walk_start")
    browser.wait(lambda: shows(" ".join(texts(browser, "#timeline .answer")), float(walk["value"])))


def test_the_matrix_has_the_verdicts_values(browser, folders, pages):
    browser.open(pages["model"], "ticks")
    verdicts, numa = read(folders / "model", "verdicts.csv"), {"experiment": "numa"}
    expected = [float(find(verdicts, **numa, case=case, name=name)["value"])
                for name in ("one_load", "mlp") for case in ("4k", "4k-node1")]
    cells = [numbers(text)[0] for text in texts(browser, "#numa .matrix td")]
    assert [*cells[:2], *cells[4:6]] == pytest.approx(expected, rel=6e-4)
    ten = find(read(folders / "model", "results.csv"), **numa, case="4k-node1", metric="tsc", n="10", k="0")
    assert cells[3] == pytest.approx(float(ten["center"]), rel=6e-4)
    words = browser.run("""const cells = document.querySelectorAll("#numa .matrix td");
        cells[0].focus();
        cells[0].dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
        return [document.activeElement === cells[1], cells[1].tabIndex, cells[0].tabIndex,
                document.querySelector("#numa .matrix .readout").textContent];""")
    assert words[:3] == [True, 0, -1]
    for name in ("one_load", "node_one_load_extra"):
        verdict = find(verdicts, **numa, case="4k-node1", name=name)
        assert verdict["status"] in words[3] and all(shows(words[3], float(verdict[end])) for end in ("value", "low", "high"))
    reason = json.loads((folders / "model" / "run.json").read_text())["numa"]["no_distances"]
    assert reason in " ".join(texts(browser, "#numa .note"))


@pytest.mark.parametrize("name, own", [("model", "own node 0"), ("unnumbered", "own node")])
def test_the_own_node_is_named_once(browser, pages, name, own):
    browser.open(pages[name])
    assert f"one from this core's {own}," in texts(browser, "#numa .answer")[0]


def test_gaps_and_the_noise_report(browser, folders, pages):
    browser.open(pages["linux"])
    browser.wait_for_charts("noise")
    certificate = json.loads((folders / "linux" / "run.json").read_text())["certificate"]
    lines = dict(browser.run("""return [...document.querySelectorAll("#noise .noisereport tbody tr")].map((line) =>
        [line.querySelector("th").textContent, line.querySelector("td").textContent])"""))
    for name, members in {"interrupts": ["interrupts_why"], "clocks": ["tsc_not_checked"], "prefetchers": ["prefetch"],
                          "turbo": ["turbo"], "sibling threads": ["siblings"]}.items():
        assert all(certificate[member] in lines[name] for member in members)
    for name, members in {"gaps": ["gaps_over_1us_per_second"], "core shared": ["core_shared_percent"],
                          "frequency": ["frequency_drift_percent"]}.items():
        for member in members:
            assert not certificate[member] or any(  # a zero is told in words
                number == pytest.approx(certificate[member], rel=6e-3) for number in numbers(lines[name])), lines[name]
    assert all(line.startswith(("good", "not good", "not known")) for line in lines.values())
    gaps = [row for row in read(folders / "linux", "results.csv") if row["metric"] == "gap" and row["samples"] != "0"]
    said = [press(browser, "noise", 0, "Home", *["ArrowRight"] * step) for step in range(len(gaps))]
    for row, text in zip(sorted(gaps, key=lambda row: int(row["n"])), said):
        assert f"interrupts on: {int(row['samples']):,}," in text


def test_a_run_without_these_says_how_to_get_them(browser, pages):
    browser.open(pages["neither"])
    for section in ("loaded", "timeline", "numa", "noise"):
        assert f'Add "{section}" to experiments' in " ".join(texts(browser, f"#{section}"))
    browser.open(pages["linux"])
    assert 'Add "timeline" to experiments' in " ".join(texts(browser, "#timeline"))


def test_runs_side_by_side(browser, folders, pages):
    browser.open(pages["both"])
    browser.wait_for_charts("loaded", "timeline", "noise", least=3)
    assert texts(browser, "#noise .noisereport thead th")[1:] == ["model", "linux"]
    assert "others read" in texts(browser, "#loaded .legend span")
    assert texts(browser, "#numa .matrix tbody th")[0] == "model, node 0"


@pytest.mark.parametrize("name", ["model", "linux", "both"])
def test_a_small_dark_screen_has_all_of_it(browser, pages, name):
    browser.show_as(390, 844, dark=True)
    try:
        browser.open(pages[name])
        browser.wait_for_charts("loaded", "timeline", "noise")
        assert browser.run("return document.documentElement.scrollWidth") <= 390
        paper = numbers(browser.run("return getComputedStyle(document.body).backgroundColor"))
        assert max(paper[:3]) < 64
        # Text of the matrix stands out from its darkest shade.
        least = browser.run("""const luminance = (color) => {
                const [r, g, b] = color.match(/[\\d.]+/g).slice(0, 3).map(Number)
                    .map((one) => (color.startsWith("color(") ? one : one / 255))
                    .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            return Math.min(99, ...[...document.querySelectorAll(".matrix td")].map((cell) => {
                const style = getComputedStyle(cell);
                const [a, b] = [luminance(style.color), luminance(style.backgroundColor)].sort((x, y) => y - x);
                return (a + 0.05) / (b + 0.05);
            }));""")
        assert least >= 4.5
    finally:
        browser.show_as(1280, 900)


def test_nothing_complains(browser):
    assert browser.complaints() == []
