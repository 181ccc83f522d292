"""
The page's sections, one for each experiment, in a browser: what they draw and say stands in the files of the run.
tests/page tests how numbers are computed; here each number arrives at its place.
"""

import json
import re
import statistics
import subprocess

import pytest

from browser import files_of, line_of, lines_of, numbers, shows, stored
from machine import BUILD, NO_VERDICT, ROOT

CLOCK = {"program": "mlpboot", "tsc_hz": 2_500_000_000, "certificate": {"cycles_per_tick": 1.25}}
NS = 0.4  # of a tick by that clock
SILICON = stored("zen4", **CLOCK)

SIZES = "rob=96,fill_buffers=8,int_regs=80,vec_regs=70,load_queue=40,store_queue=30,memory=100"
FEW = ["pages=2m", "mlp.loads=1-12", "mlp.fillers=0-128/32", "structures.fillers=0-128/32"]
# Platform and settings. A TLB whose answers are known; a core that its sibling shares now and then, with counters and
# prefetchers: with fewer samples a point meets one state alone; a core whose sibling does as it is told; two memory
# nodes; and this machine.
RUNS = {
    "tlb": ("model:dtlb=16,dtlb_ways=4,stlb=96,stlb_ways=6",
            ["experiments=tlb", "pages=4k", "tlb.pages=2-256*2 3-192*2 5-160*2 7-224*2", "tlb.loads=1-6", "samples.min=10",
             "samples.max=20", "samples.precision=5%"]),
    "shared": (f"model:{SIZES},prefetchers=1,sibling=0.5",
               ["experiments=mlp structures", "prefetch=both", "samples.max=60", *FEW]),
    "threads": (f"model:{SIZES},threads=2,counters=0,smt_vec_regs=1,smt_fill_buffers=1,smt_caches=2",
                ["experiments=smt", "array.bytes=16k-512k*4", "samples.max=30", *FEW]),
    "nodes": ("model:remote=150,cores=2,bandwidth=2",
              ["experiments=numa loaded timeline noise", "node=all", "pages=4k", "mlp.fillers=0 160-224/8", "mlp.loads=1-12",
               "loaded.cores=1 2", "loaded.pauses=0 256 1024 4096", "timeline.tlb=warm cold", "timeline.cycles=1-300/2"]),
    "linux": ("linux", ["experiments=noise", "noise.seconds=1"]),
}


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """All runs, which go on while the browser starts."""
    folder = tmp_path_factory.mktemp("runs")
    return {name: (folder / name, subprocess.Popen(
        [BUILD / "mlpboot-hosted", "run", "--platform", platform, "--out", folder / name,
         *(word for setting in settings for word in ("--set", setting))],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)) for name, (platform, settings) in RUNS.items()}


@pytest.fixture(scope="module")
def runs(started, browser):
    """The files of each run."""
    for name, (_, process) in started.items():
        _, errors = process.communicate(timeout=300)
        assert process.returncode in (0, NO_VERDICT if name == "linux" else 0), errors
    return {name: files_of(folder) for name, (folder, _) in started.items()}


def shown(value):
    """As number() of format.js writes it, as far as these values go."""
    return f"{float(f'{value:.4g}'):,g}"


def shows_verdict(text, verdict):
    """True if its value and the ends of its interval are there, to two digits of half the interval's width."""
    low, value, high = (float(verdict[name]) for name in ("low", "value", "high"))
    off = max(6e-4 * high, 0.05 * (high - low) / 2)
    return all(any(abs(number - one) <= 1.001 * off for number in numbers(text)) for one in (low, value, high))


def text_of(page, section):
    return page.run("return document.getElementById(arguments[0]).textContent", section)


def read(page, section, chart, *keys):
    """What a chart says of the point that these keys go to; the chart is a number, or how its title begins."""
    page.wait_for_charts(section)
    if isinstance(chart, str):
        chart = next(i for i, title in enumerate(page.texts(f"#{section} figure.chart figcaption")) if title.startswith(chart))
    return page.read((section, chart), *keys)


def values(lines):
    """Of what a chart says: x, and the number of each line by its name."""
    at, *values = lines
    return at.split()[-1], {
        f"whole core, {name}" if name in ("mean", "fastest hundredth") else name or "whole core": numbers(text)[0]
        for name, text in (value.rpartition(": ")[::2] for value in values)}


# --- caches, TLBs, patterns ---------------------------------------------------------------------


@pytest.mark.parametrize("name, memory", [("zen4", 426), ("model", 200)])
def test_levels_are_where_the_verdicts_say(show, name, memory):
    """The stored runs have no lines of few pages, which tell memory's latency."""
    files = stored(name, **CLOCK)
    rows = [line for line in files["verdicts.csv"].splitlines() if not line.startswith("array,2m,memory_latency,")]
    files["verdicts.csv"] = "\n".join([*rows, f"array,2m,memory_latency,{memory},{memory},{memory},ticks,ok,,how", ""])
    page = show({"0001": files}, "ticks")
    page.wait_for_charts("latency", least=2)
    assert {"4 KB", "32 KB", "2 MB"} <= set(page.texts("#latency .plot .ticks text")) or name != "zen4"


def latency(files, chains, size):
    """In ticks, of the case 2m."""
    steps = {int(line["k"]): float(line["center"]) for line in lines_of(
        files, "results.csv", experiment="array", case="2m", metric="tsc", n=str(chains), bytes=str(size))}
    few, many = min(steps), max(steps)
    return (steps[many] - steps[few]) / (many - few) / chains


def test_arrow_keys_read_latencies_that_follow_from_the_rows(show):
    page = show({"0001": SILICON}, "cycles")
    x, first = read(page, "latency", 0, "Home")
    assert x == "array size 1 KB" and first.startswith(f"whole core: {shown(latency(SILICON, 1, 1024) * 1.25)} cycles (")
    x, *second = read(page, "latency", 1, "Home", "ArrowRight")
    assert x == "array size 2 KB" and f"4 chains: {shown(latency(SILICON, 4, 2048) * 1.25)} cycles" in second


def test_the_overlap_by_array_size_has_the_verdicts_and_published_buffers(show):
    rows = [line for line in SILICON["verdicts.csv"].splitlines() if "_overlap," not in line]
    processor = {"vendor": "AuthenticAMD", "family": 25, "model": 17, "stepping": 1, "virtual": False}
    page = show({"0001": SILICON | {"run.json": json.dumps({**CLOCK, "processor": processor}), "verdicts.csv": "\n".join(
        [*rows, "array,2m,memory_overlap,19.8,18.9,20.7,loads,ok,,how", "array,2m,l2_overlap,8.5,8,9,loads,doubt,guest,how", ""])}}, "ticks")
    x, *lines = read(page, "mlp", "Overlap", "Home", "ArrowRight")
    few, many = (float(line_of(SILICON, "results.csv", experiment="array", case="2m", metric="tsc_random", n=n, bytes="2048")["center"])
                 for n in ("32", "288"))
    alone = latency(SILICON, 1, 2048)
    assert x == "array size 2 KB" and lines[0].startswith("2 chains: ")
    assert f"4 chains: {shown(alone / latency(SILICON, 4, 2048))}" in lines
    assert lines[-1] == f"random accesses: {shown(alone / ((many - few) / 256))}"
    labels = "return [...document.querySelectorAll(`#${arguments[0]} .plot ${arguments[1]}`)].map((one) => one.dataset.label)"
    assert page.run(labels, "mlp-overlap", ".level:not(.published)") == ["L2 8.5 (doubt)", "memory 19.8"]
    assert page.run("return [...document.querySelectorAll('#mlp-overlap .plot .level.published')].map((one) => one.dataset.y)") == ["24"]
    assert page.texts("#mlp-overlap .legend span")[-1] == "published 24 misses of any kind (Zen 4)"
    assert page.run(labels, "mlp-overlap", ".mark") == page.run(labels, "latency-chain", ".mark") != []
    said = page.texts("#mlp .answer, #mlp .beside p")
    assert any(words.startswith("Parallel loads (MLP): 19.8 loads (18.9 to 20.7)") for words in said)


def test_each_bandwidth_stands_with_its_case_and_the_other_runs(show):
    one = stored("zen5", **CLOCK)
    rates = [line for line in lines_of(one, "verdicts.csv", experiment="array")
             if line["name"].endswith("bandwidth") and line["value"]]
    page = show({"one": one})
    assert page.texts("#latency .bars li.group") == ["2 MB pages", "4 KB pages"]
    assert re.match(rf"L1, read: {float(rates[0]['value']):.3g} bytes/cycle[\d.]+ GB/s ", first := page.texts("#latency .bars li")[1])
    assert shows(first, float(rates[0]["value"]) * 3.125)
    bars = show({"one": one, "two": one | {"run.json": json.dumps({**CLOCK, "seconds": 2})}}).texts("#latency .bars li")
    assert len(bars) == 3 * len(rates) and bars[0] == "2 MB pages: L1, read"
    assert [text[:3] for text in bars[1:3]] == ["one", "two"]


def test_patterns_and_swaps_are_as_their_verdicts_say(show):
    page = show({"0001": SILICON}, "ns")
    value = float(line_of(SILICON, "verdicts.csv", case="linear-2m", name="ticks_per_access")["value"])
    assert f"{value * NS:.2g} ns" in text_of(page, "patterns")  # as its interval says
    words = (ROOT / "images/manual/methods.md").read_text()
    for pattern in ("linear", "page", "heap", "random"):  # the manual's words, and each is explained
        assert f"| `{pattern}` |" in words and f"{pattern}: " in text_of(page, "patterns")
    gain = line_of(SILICON, "verdicts.csv", case="staged-precomputed-2m", name="staged_gain")
    assert f"takes longer without stages by: {float(gain['value']):.1f} %" in text_of(page, "shuffle")
    means = [statistics.mean(float(line["center"]) / float(line["k"]) for line in lines_of(
        SILICON, "results.csv", case=f"{loop}-precomputed-2m", metric="tsc", bytes="268435456", stage="8"))
        for loop in ("plain", "staged")]
    assert f"256 MB: {shown(100 * (means[0] / means[1] - 1))} %" in read(page, "shuffle", 0, "Home")


def test_the_tlb_is_as_its_verdicts_say(show, runs):
    page = show({"0001": runs["tlb"]}, "ticks")
    page.wait_for_charts("tlb", least=2)
    text = text_of(page, "tlb")
    for words in ["First TLB: 16 entries ok", "Second TLB: 96 entries ok", "First TLB, a miss adds: 7 cycles ok"]:
        assert words in re.sub(r" \([^)]*\)", "", text), words
    assert re.search(r"TLB cold60 ticks|4 KB pages60 ticks", text), text
    row = lines_of(runs["tlb"], "results.csv", case="chain-4k", metric="chain", bytes="4096", n="2", stage="")[0]
    x, below = read(page, "tlb", 0, "Home")[:2]
    assert x == "pages 2" and below.startswith(f"pages side by side: {shown(float(row['center']) / float(row['k']))} ticks (")
    assert any(cost.startswith("Page walk, pages 2 MB apart, 4 KB pages") for cost in page.texts("#tlb .bars li"))


def test_two_runs_are_laid_over_each_other(show):
    page = show({name: stored("zen4", **CLOCK, label=name) for name in ("one", "two")}, "ns")
    legends = page.texts("#latency figure .legend, #mlp-overlap .legend, #shuffle figure .legend")
    assert all("one" in legend and "two" in legend for legend in legends) and len(legends) == 4
    bars = page.run("""return [...document.querySelectorAll('#patterns .bars li')].slice(0, 3)
        .map((one) => [one.textContent, one.querySelector('.bar')?.style.getPropertyValue('--bar')])""")
    assert bars[0][0] == "2 MB pages: linear" and bars[1][0].startswith("one0.59 ns")
    assert bars[2][0].startswith("two0.59 ns") and bars[1][1] != bars[2][1]
    value = shown(latency(SILICON, 1, 1024) * NS)
    x, *lines = read(page, "latency", 0, "Home")
    assert [line.split(" (")[0] for line in lines] == [f"one: {value} ns", f"two: {value} ns"]


# --- loads and structures -----------------------------------------------------------------------


def of_mlp(files, case, column, metric="tsc", **cells):
    """That column of the rows of mlp with these cells."""
    return [float(row[column]) for row in lines_of(files, "results.csv", experiment="mlp", case=case, metric=metric, **cells)
            if row[column]]


def test_loads_are_as_the_files_say(show, runs):
    files = runs["shared"]
    page = show({"first": files}, "ticks")
    size = line_of(files, "verdicts.csv", experiment="mlp", case="2m", name="rob_entries")
    assert float(size["value"]) in page.run("return [...document.querySelectorAll('#rob-loads .mark')].map((one) => Number(one.dataset.x))")
    assert f": {line_of(files, 'verdicts.csv', case='2m', name='mlp')['value']} loads" in page.text("#mlp .answer")
    note = page.texts("#mlp-loads .note")[0]
    assert "the slowest of N loads decides" in note and "Little's law" in note and "can be larger" in note
    entries, told = values(read(page, "rob", "Two loads", "Home", "ArrowRight"))
    assert any(told["whole core"] == pytest.approx(one, rel=1e-3) for one in of_mlp(files, "2m", "center", n="2", k=str(int(entries) - 2)))
    n, told = values(read(page, "mlp", "N loads", "End"))
    assert n == "12"
    for name, column in (("mean", "mean"), ("fastest hundredth", "p1")):
        assert told[f"whole core, {name}"] == pytest.approx(of_mlp(files, "2m", column, n=n, k="0")[0], rel=1e-3)


def test_counted_occupancy_is_what_was_counted(show, runs):
    files, pending = runs["shared"], "l1d_pend_miss_pending"
    page = show({"first": files}, "ticks")
    n, told = values(read(page, "mlp", "Counted: misses", "End"))
    sums, cycles = (of_mlp(files, "2m", "mean", metric, n=n, k="0", stage="")[0] for metric in (pending, f"{pending}_cycles"))
    assert told["whole core"] == pytest.approx(sums / cycles, rel=1e-3)


def test_another_case_is_drawn_when_it_is_chosen(show, runs):
    page = show({"first": runs["shared"]}, "ticks")
    page.run("""const all = [...document.querySelectorAll('#mlp :is(option, input)')].filter((one) => one.value === '2m-nopf');
        const list = all[0].closest('select');
        if (list) { list.value = '2m-nopf'; list.dispatchEvent(new Event('change')); } else all[0].click();""")
    n, told = values(read(page, "mlp", "N loads side by side: 2 MB pages, prefetchers off", "Home"))
    assert told["whole core, mean"] == pytest.approx(of_mlp(runs["shared"], "2m-nopf", "mean", n=n, k="0")[0], rel=1e-3)


def filler_charts(page, files):
    """Checks that each filler of `structures` has a chart, which says what its verdicts say; their texts by filler."""
    page.run("document.querySelector('nav input[value=drawn]')?.click()")
    page.wait_for_page()
    page.wait_for_charts("rob")
    verdicts = {one["case"]: one for one in lines_of(files, "verdicts.csv", experiment="structures") if one["name"] != "above_floor"}
    texts = {}
    for title, text in page.run("""return [...document.querySelectorAll('#rob .smalls figure')].map((one) =>
            [one.querySelector('figcaption').title, one.innerText])"""):
        *names, filler = title.split(", ")
        filler = filler.removeprefix("filler ")
        assert filler not in texts
        text = texts[filler] = re.sub(r"(?<=\d),(?=\d{3})", "", text.replace("\nsave\n", "\n"))
        assert names == ([verdicts[filler]["name"]] if filler in verdicts else [])
        for verdict in [verdicts[name] for name in (filler, f"{filler}-shared") if name in verdicts]:
            assert verdict["status"] in text and (not verdict["value"] or f"{verdict['value']} {verdict['unit']}" in text)
    assert set(texts) == {row["case"].removesuffix("-shared") for row in lines_of(files, "results.csv", experiment="structures")}
    return texts


def test_each_filler_has_a_chart_with_its_verdict(show, runs):
    texts = filler_charts(show({"first": runs["shared"]}), runs["shared"])
    assert texts["long-nop"].startswith("Reorder buffer (ROB)\n") and texts["nop"].startswith("1-byte NOPs in flight\n")
    assert texts["zero"].startswith("Zeroed registers\nNo size of its own")


@pytest.mark.parametrize("folder", ["model", "zen4", "vices", "qemu"])
def test_stored_runs_have_charts_of_their_fillers(show, folder):
    files = stored(folder)
    assert filler_charts(show({"run": files}), files)


def test_verdicts_of_older_versions_stand_in_their_fillers_charts(show):
    """Both kinds of NOPs were of the reorder buffer, and loads that wait were of the load queue."""
    files = stored("model")
    old = [("nop", "rob_entries", "Reorder buffer (ROB)"), ("long-nop", "rob_entries_long_nop", "Reorder buffer (long NOPs)"),
           ("load", "loads_in_flight", "Loads in flight"), ("waiting-load", "load_queue", "Load queue")]
    files["verdicts.csv"] = "\n".join(["experiment,case,name,value,low,high,unit,status,method", *(
        f"structures,{case},{name},192,192,192,entries,ok,the fillers before the jump and both loads fit"
        for case, name, _ in old), ""])
    texts = filler_charts(show({"run": files}), files)
    for filler, _, title in old:
        assert texts[filler].startswith(f"{title}\n")


def test_threads_share_what_the_verdicts_say(show, runs):
    files = runs["threads"]
    page = show({"threads": files})
    page.wait_for_charts("smt")
    splits = [one for one in lines_of(files, "verdicts.csv", experiment="smt") if one["name"].endswith("split")]
    assert len(page.texts("#smt figure.chart")) == len(splits) == 13
    words = {one["method"].split(":")[0] for one in splits if one["status"] == "ok"}
    assert {"halved", "competitive"} <= words
    assert all(f"{word[0].upper()}{word[1:]} (" in page.text("#smt .answer") for word in words)
    marks = page.run("return [...document.querySelectorAll('#smt-long-nop-rob-entries .mark')].map((one) => Number(one.dataset.x))")
    assert marks == [float(line_of(files, "verdicts.csv", experiment="smt", case=f"long-nop-{work}", name="rob_entries")["value"])
                     for work in ("idle", "busy", "loading")]


def test_two_cores_are_laid_over_each_other(show, runs):
    both = {"first": runs["shared"], "second": stored("model")}
    page = show(both)
    page.wait_for_charts("rob")
    least, told = values(read(page, "rob", "Two loads", "Home"))
    for name, files in both.items():
        assert any(told[name] == pytest.approx(row, rel=1e-3) for row in of_mlp(files, "2m", "center", n="2", k=str(int(least) - 2)))
    assert {"first, mean", "second, mean"} <= set(values(read(page, "mlp", "N loads", "Home"))[1])


# --- loaded memory, timeline, nodes, noise ------------------------------------------------------


def test_loaded_latency(show, runs):
    files, case = runs["nodes"], {"experiment": "loaded", "case": "read-4k-cores2"}
    page = show({"nodes": files}, "ticks")
    page.wait_for_charts("loaded", least=2)
    few, many = (float(line_of(files, "results.csv", **case, metric="chain", n=n, k="0")["center"]) for n in ("8", "72"))
    traffic = line_of(files, "results.csv", **case, metric="traffic", n="72", k="0")["center"]
    said = [" · ".join(read(page, "loaded", 0, "End", *["ArrowLeft"] * back)) for back in range(12)]
    (found,) = [text for text in said if re.search(r"\bread: [^·]*pause 0\b", text)]
    moved, value = re.match(r"bandwidth of the other cores, GB/s ([\d.,]+) .*?\bread: ([\d.,]+)", found).groups()
    assert shows(moved, float(traffic)) and shows(value, (many - few) / 64)
    peak = line_of(files, "verdicts.csv", **case, name="peak_bandwidth")
    assert shows(" ".join(read(page, "loaded", 1, "End")), float(peak["value"]))
    most = max(lines_of(files, "verdicts.csv", name="peak_bandwidth", status="ok"), key=lambda one: float(one["value"]))
    answers = page.texts("#loaded .answer")
    for answer, name in zip(answers, ("idle_latency", "latency_at_peak", "peak_bandwidth"), strict=True):
        assert shows_verdict(answer, line_of(files, "verdicts.csv", experiment="loaded", case=most["case"], name=name))
    assert answers[0].startswith("Latency while other cores rest: ")


def test_timeline(show, runs):
    files, case = runs["nodes"], {"experiment": "timeline", "case": "4k-warm"}
    verdict = {one["name"]: one for one in lines_of(files, "verdicts.csv", **case)}
    page = show({"nodes": files})
    page.wait_for_charts("timeline", least=2)
    titles = page.texts("#timeline figcaption")
    assert "misses outstanding in each cycle" in titles
    for metric, title in (("instructions", "instructions retired"), ("l2_demand_data_rd", "misses issued")):
        row = max(lines_of(files, "results.csv", **case, metric=metric), key=lambda row: int(row["stage"]))
        assert f": {float(row['median']):g} (" in read(page, "timeline", title, "End")[-1]
    answers = " ".join(page.texts("#timeline .answer"))
    for name in ("misses_issued_in", "retirement_resumes"):
        assert shows_verdict(answers, verdict[name]) and verdict[name]["status"] in answers
    first = min(float(row["mean"]) for row in lines_of(files, "results.csv", case="4k-warm", metric="core_cycles"))
    assert shows(read(page, "timeline", "instructions retired", "Home")[0], first - float(verdict["cycle_zero"]["value"]))
    marks = page.run("return [...document.querySelectorAll('#timeline .mark')].map((one) => [one.closest('figure').id, Number(one.dataset.x)])")
    for event, name in (("l2_demand_data_rd", "first_miss"), ("l2_demand_data_rd", "last_miss"), ("instructions", "retirement_resumes")):
        assert [f"timeline-{event}", float(verdict[name]["value"])] in marks
    page.run("document.querySelector('#timeline input[value=\"4k-cold\"]').click()")
    walk = line_of(files, "verdicts.csv", experiment="timeline", case="4k-cold", name="walk_start")
    page.wait(lambda: shows(" ".join(page.texts("#timeline .answer")), float(walk["value"])))


def test_the_matrix_has_the_verdicts_values(show, runs):
    files = runs["nodes"]

    def of(case, name):
        return line_of(files, "verdicts.csv", experiment="numa", case=case, name=name)

    page = show({"nodes": files}, "ticks")
    cells = [numbers(text)[0] for text in page.texts("#numa .matrix td")]
    expected = [float(of(case, name)["value"]) for name in ("one_load", "mlp") for case in ("4k", "4k-node1")]
    assert [*cells[:2], *cells[4:6]] == pytest.approx(expected, rel=6e-4)
    ten = line_of(files, "results.csv", experiment="numa", case="4k-node1", metric="tsc", n="10", k="0")
    assert cells[3] == pytest.approx(float(ten["center"]), rel=6e-4)
    *focus, said = page.run("""const cells = document.querySelectorAll("#numa .matrix td");
        cells[0].focus();
        cells[0].dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
        return [document.activeElement === cells[1], cells[1].tabIndex, cells[0].tabIndex,
                document.querySelector("#numa .matrix .readout").textContent];""")
    assert focus == [True, 0, -1]
    for verdict in (of("4k-node1", "one_load"), of("4k-node1", "node_one_load_extra")):
        assert verdict["status"] in said and all(shows(said, float(verdict[end])) for end in ("value", "low", "high"))
    assert json.loads(files["run.json"])["numa"]["no_distances"] in " ".join(page.texts("#numa .note"))


@pytest.mark.parametrize("name, own", [("nodes", "node 0"), ("unnumbered", "own node")])
def test_the_far_node_is_compared_with_the_own_one(show, runs, name, own):
    page = show({name: {**runs, "unnumbered": stored("model")}[name]})
    assert [text.split(": ")[0] for text in page.texts("#numa .answer")] == ["A load from node 1", "More than at home"]
    assert page.texts("#numa .matrix thead th")[1:3] == [own, "node 1"]


def test_gaps_and_the_noise_report(show, runs):
    page = show({"linux": runs["linux"]})
    certificate = json.loads(runs["linux"]["run.json"])["certificate"]
    lines = dict(page.run("""return [...document.querySelectorAll("#noise .noisereport tbody tr")].map((line) =>
        [line.querySelector("th").textContent, line.querySelector("td").textContent])"""))
    for name, member in {"interrupts": "interrupts_why", "clocks": "tsc_not_checked", "prefetchers": "prefetch", "turbo": "turbo",
                         "sibling threads": "siblings"}.items():
        assert certificate[member] in lines[name]
    for name, member in {"gaps": "gaps_over_1us_per_second", "core shared": "core_shared_percent",
                         "frequency": "frequency_drift_percent"}.items():
        assert not certificate[member] or any(  # a zero is told in words
            number == pytest.approx(certificate[member], rel=6e-3) for number in numbers(lines[name])), lines[name]
    assert all(line.startswith(("good", "not good", "not known")) for line in lines.values())
    gaps = [row for row in lines_of(runs["linux"], "results.csv", metric="gap") if row["samples"] != "0"]
    for step, row in enumerate(sorted(gaps, key=lambda row: int(row["n"]))):
        assert f", {int(row['samples']):,} in " in " · ".join(read(page, "noise", 0, "Home", *["ArrowRight"] * step))


def test_a_run_without_these_says_how_to_get_them(show, runs):
    rows = "".join(line for line in SILICON["results.csv"].splitlines(keepends=True) if line.startswith(("experiment,", "mlp,")))
    page = show({"curve": {"results.csv": rows, "run.json": "{}"}})
    for section in ("loaded", "timeline", "numa", "noise"):
        assert f'Add "{section}" to experiments' in text_of(page, section)
    assert 'Add "timeline" to experiments' in text_of(show({"linux": runs["linux"]}), "timeline")


def test_runs_side_by_side(show, runs):
    page = show({name: runs[name] for name in ("nodes", "linux")})
    page.wait_for_charts("loaded", "timeline", "noise", least=3)
    assert page.texts("#noise .noisereport thead th") == ["nodes", "linux"]
    assert "others read" in page.texts("#loaded .legend span")
    assert page.texts("#numa .matrix tbody th")[0] == "nodes, node 0"


# --- on a small screen --------------------------------------------------------------------------


# Elements of the sections without tables that end beyond the screen.
TOO_WIDE = """return ['latency', 'tlb', 'patterns', 'shuffle'].flatMap((id) => [...document.querySelectorAll(`#${id} *`)])
    .filter((one) => one.getBoundingClientRect().right > 391).map((one) => one.outerHTML.slice(0, 80))"""
# The least contrast of a text of the matrix with its shade.
CONTRAST = """const luminance = (color) => {
        const [r, g, b] = color.match(/[\\d.]+/g).slice(0, 3).map(Number)
            .map((one) => (color.startsWith("color(") ? one : one / 255))
            .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    return Math.min(99, ...[...document.querySelectorAll(".matrix td")].map((cell) => {
        const style = getComputedStyle(cell);
        const [a, b] = [luminance(style.color), luminance(style.backgroundColor)].sort((x, y) => y - x);
        return (a + 0.05) / (b + 0.05);
    }));"""


@pytest.mark.parametrize("names", [["tlb"], ["zen4", "shared"], ["nodes"], ["linux"], ["nodes", "linux"], ["shared"]], ids="+".join)
def test_a_small_dark_screen_has_all_of_it(show, runs, names):
    page = show({name: {**runs, "zen4": SILICON}[name] for name in names}, dark=True, width=390)
    page.wait_for_charts()
    page.wait(lambda: page.width() <= 390)
    assert page.run(TOO_WIDE) == []
    assert max(numbers(page.run("return getComputedStyle(document.body).backgroundColor"))[:3]) < 64
    assert page.run(CONTRAST) >= 4.5
    page.show_as(1280, 900, dark=True)
    assert page.width() <= 1280
