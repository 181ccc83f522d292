"""The page in a browser: it shows what the files of a run hold."""

import re
import socket
import subprocess
import xml.etree.ElementTree as tree

import pytest

from browser import Browser, lines_of, page_of, stored
from stored_runs import JUDGED

NEEDS = ["librsvg2-bin"]

SILICON = stored("zen4", program="mlpboot")


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    browser.open(page_of(tmp_path_factory.mktemp("page") / "report.html", {"0001": SILICON}))
    return browser


SAVED = """window.saved = []; URL.createObjectURL = (blob) => { saved.push(blob); return 'blob:none'; };
    HTMLAnchorElement.prototype.click = () => {};"""
SIZE = """const list = document.querySelector(`#${arguments[0]} .take select`);
    list.value = arguments[1]; list.dispatchEvent(new Event('change'));"""
PRESS = "[...document.querySelectorAll(`#${arguments[0]} .take button`)].find((one) => one.textContent === arguments[1]).click();"
SVG = "{http://www.w3.org/2000/svg}"


def place_of(ticks, column):
    """From a value to pixels, by two ticks of an axis with even steps."""
    (a, x), *_, (b, y) = [(float(one.text.replace(",", "")), float(one.get(column)) - 4 * (column == "y")) for one in ticks]
    return lambda value: x + (value - a) * (y - x) / (b - a)


def test_a_chart_is_saved_for_other_programs(page, tmp_path):
    """Its SVG has the rows' points and the verdict's mark, and a program that knows nothing of the page draws it."""
    page.run(SAVED)
    page.run(PRESS, "rob-loads", "SVG")
    path = tmp_path / "chart.svg"
    path.write_text(page.run("return saved[0].text()"))
    root = tree.parse(path).getroot()
    assert root.find(f"{SVG}text").text.startswith("Two loads with K NOPs between them")
    assert page.texts("#rob-loads .take summary") == ["save"]
    drawing = root.find(f"{SVG}svg")
    texts = [one for one in drawing.iter(f"{SVG}text") if re.fullmatch(r"[\d,]+", one.text or "")]
    x = place_of([one for one in texts if one.get("text-anchor") == "middle"], "x")
    y = place_of([one for one in texts if one.get("text-anchor") == "end"], "y")
    line = max((one.get("d") for one in drawing.iter(f"{SVG}path") if one.get("fill") == "none"), key=len)
    points = [tuple(map(float, point.split(","))) for point in line.removeprefix("M").split("L")]
    rows = {int(one["k"]) + 2: float(one["center"]) for one in lines_of(SILICON, "results.csv", experiment="mlp", case="2m", metric="tsc", n="2")}
    assert len(points) == len(rows) > 20
    for (left, top), (entries, ticks) in zip(points, sorted(rows.items())):
        assert left == pytest.approx(x(entries), abs=0.1) and top == pytest.approx(y(ticks), abs=0.1)
    marks = {float(one.get("data-x")): float(re.match(r"M([\d.]+),", one.get("d"))[1]) for one in drawing.iter(f"{SVG}path") if one.get("data-x")}
    size = float(lines_of(SILICON, "verdicts.csv", case="2m", name="rob_entries")[0]["value"])
    assert marks[size] == pytest.approx(x(size), abs=0.1)
    picture = subprocess.run(["rsvg-convert", path], capture_output=True, check=True).stdout
    assert picture.startswith(b"\x89PNG") and len(picture) > 5000
    page.run(PRESS, "rob-loads", "PNG")
    page.wait(lambda: page.run("return saved.length") == 2)
    size = page.run("return createImageBitmap(saved[1]).then(({ width, height }) => [width, height])")
    assert size == [2 * float(root.get("width")), 2 * float(root.get("height"))]


def saved_figure(page, chart, size):
    page.run(SAVED)
    page.run(SIZE, chart, size)
    page.run(PRESS, chart, "SVG")
    return tree.fromstring(page.run("return saved[0].text()"))


def entries_of(root):
    """The legend's entries: for each name the dashes of its line, and its symbol's shape and filling."""
    return {entry.find(f"{SVG}text").text: (re.findall(r"\d+", line.get("stroke-dasharray")), *((one.get("d"), one.get("fill")) for one in symbol))
            for entry in root.findall(f"{SVG}g/{SVG}g") for line, *symbol in [list(entry.iter(f"{SVG}path"))]}


def test_a_saved_legend_has_the_dashes_of_its_lines(page):
    entries = entries_of(saved_figure(page, "mlp-loads", "screen"))
    assert list(entries.values()) == [([],), (["6", "3"],), (["8", "4"],)]
    assert list(entries)[:2] == ["mean", "fastest hundredth"] and re.fullmatch(r"two loads, one after the other 79[\d.]+ ticks", list(entries)[2])


@pytest.mark.parametrize("size, cm", [("one column", 8.46), ("two columns", 17.5)])
def test_a_figure_for_paper_has_letters_of_8_points_and_a_caption_and_needs_no_colour(page, size, cm):
    """From a dark page, too."""
    page.show_as(1280, 900, dark=True)
    root = saved_figure(page, "latency-chains", size)
    page.show_as(1280, 900)
    assert root.get("width") == f"{cm}cm"
    scale = cm / 2.54 * 72 / float(root.get("viewBox").split()[2])  # points a unit
    texts = list(root.iter(f"{SVG}text"))
    assert all(float(one.get("font-size").removesuffix("px")) * scale == pytest.approx(8) for one in texts if one.text)
    entries = entries_of(root)
    assert len(entries) > 4 and len({symbol for _, symbol in entries.values()}) == len(entries)
    assert {one.get("fill") for one in texts} == {"rgb(86, 96, 106)"}
    caption = " ".join(one.text for one in root.findall(f"{SVG}text"))
    assert "2 MB pages" in caption and "microcode not known" in caption and re.search(r"\d+ to \d+ samples a point\.$", caption)
    height = float(root.get("height").removesuffix("cm"))
    assert height == pytest.approx(float(root.get("viewBox").split()[3]) * scale / 72 * 2.54, abs=0.01)


def test_a_charts_numbers_are_saved_with_their_units_and_can_be_read(page):
    page.run(SAVED)
    page.run(PRESS, "mlp-loads", "data (CSV)")
    caption, names, *lines = page.run("return saved[0].text()").splitlines()
    assert caption.startswith("# ") and "samples a point" in caption
    rows = {one["n"]: one for one in lines_of(SILICON, "results.csv", experiment="mlp", case="2m", metric="tsc", k="0")}
    assert names == "loads side by side (N),mean (ticks),fastest hundredth (ticks)" and len(lines) == len(rows)
    for n, mean, fastest in (line.split(",") for line in lines):
        assert (float(mean), float(fastest)) == (float(rows[n]["mean"]), float(rows[n]["p1"]))
    page.run(PRESS, "mlp-loads", "show as table")
    assert page.texts("#mlp-loads table.data tbody tr > :first-child") == [line.split(",")[0] for line in lines]


def test_answers_and_a_reference_are_saved_for_a_paper(page):
    page.run(SAVED)
    page.run("[...document.querySelectorAll('#answers button')].filter((one) => /TeX/.test(one.textContent)).forEach((one) => one.click())")
    table, reference = (page.run("return saved[arguments[0]].text()", i) for i in (0, 1))
    (size,) = lines_of(SILICON, "verdicts.csv", experiment="array", case="2m", name="l1_bytes")
    assert f"L1 cache & {int(size['value']) // 1024} KB &" in table and reference.startswith("@misc{mlpboot-")


def test_a_drag_zooms_and_a_double_click_shows_all_again(page):
    ticks = "#rob-loads .ticks text[text-anchor=middle]"
    box = page.run("document.getElementById('rob-loads').scrollIntoView(); const { left, top, width } = "
                   "document.querySelector('#rob-loads .plot').getBoundingClientRect(); return [left, top, width];")
    whole = page.texts(ticks)
    for kind, part in (("mousePressed", 0.8), ("mouseMoved", 0.85), ("mouseReleased", 0.95)):
        page.tell("Input.dispatchMouseEvent", type=kind, x=box[0] + part * box[2], y=box[1] + 100, button="left", buttons=1, clickCount=1)
    assert page.texts(ticks) != whole and "0" not in page.texts(ticks)
    page.tell("Input.dispatchMouseEvent", type="mouseMoved", x=box[0] + 0.4 * box[2], y=box[1] + 100)
    (said,) = page.texts("#rob-loads .readout")
    entries, value = re.match(r"entries: NOPs and both loads ([\d,]+)whole core: ([\d.]+) ticks", said.replace("2 MB pages", "whole core")).groups()
    (row,) = lines_of(SILICON, "results.csv", experiment="mlp", case="2m", metric="tsc", n="2", k=str(int(entries.replace(",", "")) - 2))
    assert float(value) == pytest.approx(float(row["center"]), rel=1e-3)  # a measured point, not one between
    page.run("document.querySelector('#rob-loads .plot').dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))")
    assert page.texts(ticks) == whole


def test_the_limit_of_parallel_loads_is_a_line_and_the_answer_a_point_on_the_curve(page):
    """Two serialized loads; the mean and the fastest have colours of their own, and each mark that of its curve."""
    (two,), (most,) = (lines_of(SILICON, "verdicts.csv", experiment="mlp", case="2m", name=name) for name in ("two_sequential", "mlp"))
    level, points, colors, figures = page.run("""const all = (selector) => [...document.querySelectorAll(`#mlp-loads ${selector}`)];
        return [all('.plot .level').map((one) => Number(one.dataset.y)), all('.annotations .symbol').map((one) => one.getAttribute('class')),
            [all('.series'), all('.mark')].map((list) => list.map((one) => one.style.color)), [...document.querySelectorAll('#mlp figure')].map(({ id }) => id)];""")
    assert level == [float(two["value"])] and float(most["value"]) > 0
    assert colors[0] == colors[1] and len(set(colors[0])) == 2  # MLP on the mean, fill buffers on the fastest
    assert points == ["symbol", "symbol hollow"]  # ok, and doubt
    assert figures[0] == "mlp-overlap"
    assert page.texts("#mlp-loads .plot .name") == ["loads side by side (N)", "time of all N loads, ticks"]


MARKS = """return ['x', 'y'].map((axis) => [...document.querySelectorAll(`:is(.mark, .level):not(.published)[data-${axis}]`)]
    .filter((one) => one.dataset.label !== 'no difference').map((one) => [one.closest('section').id, Number(one.dataset[axis])]));"""


@pytest.mark.parametrize("folder", JUDGED)
def test_every_mark_is_a_verdict(show, folder):
    files = stored(folder, program="mlpboot")
    page = show({"0001": files})
    page.run("document.querySelectorAll('.plot').forEach((host) => host.fit())")
    verdicts = lines_of(files, "verdicts.csv")
    values = {float(one[end]) for one in verdicts for end in ("value", "low") if one[end]}
    across, up = page.run(MARKS)
    assert [one for one in [*across, *up] if one[1] not in values] == []
    # And each is there.
    expected = {"rob_entries": "rob", "mlp": "mlp", "l1_bytes": "latency", "dtlb_entries": "tlb"}
    for name, section in expected.items():
        found = [one for one in verdicts if one["name"] == name and one["value"] and one["experiment"] in ("mlp", "array", "tlb")]
        assert not found or any([section, float(one["value"])] in across for one in found), name
    for level in ("l1", "l2", "l3", "memory") if folder in ("zen4", "model") else ():
        size, time = ([one for one in verdicts if (one["case"], one["name"]) == ("2m", f"{level}_{what}") and one["value"]]
                      for what in ("bytes", "latency"))
        assert all(["latency", float(one["value"])] in across for one in size), level
        assert all(["latency", float(one["value"])] in up for one in time), level


def test_no_name_of_a_mark_is_over_the_plot_or_another_name(show):
    for width in (1280, 390):
        page = show({name: stored(name) for name in ("zen4", "zen5")}, width=width)
        page.wait_for_charts()
        names, collisions = page.run("""const box = (one) => one.getBoundingClientRect(), all = [...document.querySelectorAll('.plot .label')];
            const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom - 4 && b.top < a.bottom - 4;
            return [all.length, all.flatMap((name) => [...name.closest('.plot').querySelectorAll('.label, .line')]
                .filter((one) => one !== name && meet(box(name), box(one))).map((one) => `${name.textContent} on ${one.textContent}`))];""")
        assert names > 20 and collisions == []


@pytest.mark.parametrize("width", [1280, 390])
def test_no_text_of_a_chart_is_cut(show, width):
    page = show({"0001": stored("zen5")}, width=width)
    page.wait_for_charts()
    cut = page.run("""return [...document.querySelectorAll('.plot')].flatMap((host) => [...host.querySelectorAll('text')].filter((one) => {
        const [text, plot] = [one, host].map((it) => it.getBoundingClientRect());
        return plot.width > 0 && (text.left < plot.left - 1 || text.right > plot.right + 1);
    }).map((one) => one.textContent));""")
    assert cut == []


def test_axe_finds_nothing(page):
    assert page.rules_broken() == []
    page.show_as(1280, 900)


def test_nothing_is_asked_of_the_network_and_nothing_complains(page):
    assert [address for address in page.requests() if not address.startswith(("file:", "data:", "blob:"))] == []
    assert page.complaints() == []


def test_a_chart_far_from_view_is_drawn_when_a_reader_comes_near(browser, tmp_path):
    browser.open(page_of(tmp_path / "report.html", {"0001": SILICON}), all_near=False)
    drawn = "return document.querySelector('#tlb .plot').firstChild !== null"
    assert not browser.run(drawn)
    browser.run("document.querySelector('#tlb').scrollIntoView()")
    browser.wait(lambda: browser.run(drawn))


def test_no_script_but_the_page_s_own_runs(browser, tmp_path):
    path = page_of(tmp_path / "report.html", {"0001": {"run.json": '{"program": "mlpboot"}'}})
    with open(path, "a", encoding="utf-8") as page:
        page.write("\n<script>document.title = 'ran'</script><img src=x onerror=\"document.title = 'ran'\">\n")
    browser.open(path)
    assert browser.run("return document.title") != "ran"
    assert any("Content Security Policy" in complaint for complaint in map(str, browser.complaints()))


def test_a_browser_that_is_closed_is_gone():
    with Browser() as browser:
        host, port = browser.driver.capabilities["goog:chromeOptions"]["debuggerAddress"].split(":")
        socket.create_connection((host, int(port))).close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)))
