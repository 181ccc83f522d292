"""The page of many machines: it opens on a heat map that says what `fleet` says, and few runs are in it."""

import csv
import json
import re

import pytest

from browser import numbers, page_of, stored
from made_fleet import BENT, make_fleet
from tool import tool

RESULTS = "experiment,case,n,k,bytes,stage,metric,unit,samples,discarded,min,p1,p10,median,p90,max,mean,visits,center\n"


def page_over(folder, path, *words):
    code, said, complaint = tool("fleet", folder, "--html", path, *words)
    assert code in (0, 1), complaint
    return said


@pytest.fixture(scope="module")
def forty(tmp_path_factory):
    folder = tmp_path_factory.mktemp("forty")
    bent = make_fleet(folder / "runs", 40, 1, list(BENT))
    said = page_over(folder / "runs", folder / "fleet.html", "--csv", folder / "fleet.csv")
    return folder, bent, said


@pytest.fixture
def page(browser, forty):
    browser.open(forty[0] / "fleet.html")
    yield browser
    browser.show_as(1280, 900)
    assert browser.complaints() == []


TABLE = """return [...document.querySelectorAll('#fleet .matrix tbody tr')].map((row) => [...row.children].map((one) =>
    [one.textContent, one.className]));"""
HEADS = "#fleet .matrix thead th:not(:first-child)"


def runs_shown(page):
    return page.texts(".runs strong")


def figures_of(forty):
    with open(forty[0] / "fleet.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_the_odd_machines_stand_first_and_are_marked(page, forty):
    """As the text of `fleet` has them: the same lines, the same order; a cell is marked where its figure is odd."""
    _, bent, said = forty
    lines = said.split("\n\n")[0].splitlines()
    assert page.texts("#fleet .odds li") == lines
    rows, heads = page.run(TABLE), page.texts(HEADS)
    assert len(rows) == 40 and [row[0][0] for row in rows[:7]] == [line.partition(":")[0] for line in lines]
    assert "7 of 40 machines are odd" in page.text("#fleet h3")
    for (name, _), *cells in rows:
        machine = name.removesuffix(" typical")
        marked = [head for head, (_, kind) in zip(heads[:-1], cells) if kind == "odd"]
        assert len(marked) == (machine in bent) and all(head.startswith(bent[machine]) for head in marked)
        assert [text[0] in "▼▲" for text, kind in cells[:-1] if kind == "odd"] == [True] * len(marked)
    differ = {row[0][0]: row[-1][0] for row in rows if row[-1][1] == "odd"}
    assert differ == {machine: BENT[name][2] for machine, name in bent.items() if BENT[name][2]}


def test_cells_hold_the_figures(page, forty):
    """And their hue says on which side of the median they are, and how far: at 6 MADs it is as dark as text allows."""
    heads = page.texts(HEADS)
    cells = {(name.removesuffix(" typical"), head): text
             for (name, _), *row in page.run(TABLE) for head, (text, _) in zip(heads, row)}
    for row in figures_of(forty):
        head = next(one for one in heads if one.startswith(row["figure"]))
        value, said = float(row["value"]), cells[row["machine"], head]
        scale = 1024 ** ["B", "KB", "MB"].index(said.split()[-1]) if row["unit"] == "bytes" else 1
        assert numbers(said)[0] * scale == pytest.approx(value, rel=5.1e-3)
        assert numbers(head.removeprefix(row["figure"]))[0] * scale == pytest.approx(float(row["median"]), rel=0.35)
    shown = page.run("""const read = ({ style }) => ['--hue', '--shade'].map((one) => style.getPropertyValue(one));
        return [...document.querySelectorAll('#fleet .matrix tbody tr')].map((row) =>
            [...row.querySelectorAll('td[style]')].map(read));""")
    (group,) = json.loads(tool("fleet", forty[0] / "runs", "--json")[1])["groups"]
    for row, hues in zip(group["rows"], shown, strict=True):
        for cell, (hue, shade) in zip(row["cells"], hues, strict=True):
            assert float(shade[:-1]) == pytest.approx(46 * min(1, abs(cell["spreads"]) / 6), abs=0.06)
            assert hue == f"var(--series-{int(cell['spreads'] >= 0)})"


def test_a_machine_opens_beside_the_typical_one(page, forty):
    """By a click or Enter; the address has it. Of a machine that is like others there are the figures alone."""
    (typical,) = [row[0][0].removesuffix(" typical") for row in page.run(TABLE) if row[0][0].endswith(" typical")]
    first, second, *_ = page.texts("#fleet .odds button")
    assert runs_shown(page) == [] and page.texts("nav a") == ["Machines"]
    page.run("document.querySelectorAll('#fleet .matrix tbody tr')[1].children[3].click()")
    page.wait_for_page()
    assert runs_shown(page) == [f"{typical} (typical)", second]
    assert 0 <= page.run("return document.getElementById('answers').getBoundingClientRect().top") < 200
    page.run("document.querySelector('#fleet .matrix td').focus()")
    page.press("ArrowRight")
    assert page.text("#fleet .readout") == f"{first}, L2 size: 1 MB (1 MB to 1.25 MB), as the median; 2 MB pages"
    page.press("Enter")
    page.wait_for_page()
    assert runs_shown(page) == [f"{typical} (typical)", first]
    address = page.run("return location.href")
    page.open(address)
    assert runs_shown(page) == [f"{typical} (typical)", first]
    page.run("[...document.querySelectorAll('#fleet .matrix tbody tr')].at(-1).children[3].click()")
    assert runs_shown(page) == [f"{typical} (typical)", first]
    assert len(page.texts("#fleet .matrix tbody button")) == 8


def test_on_a_phone_the_names_stay_while_the_map_scrolls(page):
    page.show_as(390, 800, True)
    page.wait_for_page()
    assert page.width() == 390
    before, after, cell = page.run("""
        const left = (part) => document.querySelector(`#fleet .matrix tbody ${part}`).getBoundingClientRect().left;
        const before = left("th");
        document.querySelector('#fleet .matrix .wide').scrollLeft = 200;
        return [before, left("th"), left("td")];""")
    assert before == pytest.approx(after, abs=1) and after > cell


def test_on_paper_the_machines_keep_their_names(page):
    """Other buttons are not printed. The whole map is as wide as a sheet."""
    page.show_as(1280, 900, media="print")
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert page.run("""return [...document.querySelectorAll('#fleet button')].every((one) => one.checkVisibility()) &&
        document.querySelector('#fleet .matrix table').getBoundingClientRect().width <= 700;""")
    page.run("dispatchEvent(new Event('afterprint'))")
    page.wait_for_page()


def test_axe_finds_nothing(page):
    page.run("document.querySelector('#fleet .odds button').click()")
    page.wait_for_page()
    assert page.rules_broken("#fleet") == []


def embedded(path):
    return list(dict.fromkeys(re.findall(r'class="file">\{"run":"([^"]*)"', path.read_text())))


def test_a_long_page_has_the_worst(tmp_path):
    """Results of a megabyte each: as many odd machines as fit, the worst first, behind the typical one."""
    bent = make_fleet(tmp_path / "runs", 40, 1, list(BENT))
    for folder in (tmp_path / "runs").iterdir():
        (folder / "results.csv").write_text(RESULTS + "mlp,2m,2,1,,,tsc,ticks,9,0,1,1,1,1,1,1,1,1,1\n" * 25_000)
    said = page_over(tmp_path / "runs", tmp_path / "fleet.html")
    assert (tmp_path / "fleet.html").stat().st_size < 5e6
    worst = [f"{int(line.partition(':')[0].split()[1]):03}" for line in said.splitlines()[:7]]
    typical, *others = embedded(tmp_path / "fleet.html")
    assert f"slot {int(typical)}" not in bent and 2 <= len(others) < 7 and others == worst[:len(others)]


def test_few_runs_and_runs_of_many_kinds_stand_side_by_side(tmp_path, show):
    make_fleet(tmp_path / "six", 6, 2)
    page_over(tmp_path / "six", tmp_path / "six.html")
    assert len(embedded(tmp_path / "six.html")) == 6 and 'class="fleet">' not in (tmp_path / "six.html").read_text()
    make_fleet(tmp_path / "kinds", 7, 2)
    for model, path in enumerate(sorted((tmp_path / "kinds").glob("*/run.json"))):
        said = json.loads(path.read_text())
        said["processor"]["model"] = model
        path.write_text(json.dumps(said))
    tool("report", tmp_path / "kinds", "--out", tmp_path / "kinds.html")
    assert len(embedded(tmp_path / "kinds.html")) == 7 and 'class="fleet">' not in (tmp_path / "kinds.html").read_text()


def test_a_group_that_is_too_small_is_there_in_full(tmp_path, browser):
    make_fleet(tmp_path / "many", 8, 2)
    make_fleet(tmp_path / "few", 2, 3)
    for path in (tmp_path / "few").glob("*/run.json"):
        said = json.loads(path.read_text())
        processor = said["processor"] | {"model": 9}
        path.write_text(json.dumps(said | {"label": f"other {said['label']}", "processor": processor}))
    tool("report", tmp_path / "many", tmp_path / "few", "--out", tmp_path / "both.html")
    browser.open(tmp_path / "both.html")
    assert "2 machines, too few to compare with each other" in browser.texts("#fleet h3")[1]
    assert browser.texts("#fleet .odds li") == ["other slot 0", "other slot 1"] and len(browser.run(TABLE)) == 8
    browser.run("document.querySelector('#fleet .odds button').click()")
    browser.wait_for_page()
    assert runs_shown(browser) == ["other slot 0", "other slot 1"]


def test_a_page_that_was_cut_off_in_the_map_has_none(browser, forty, tmp_path):
    text = (forty[0] / "fleet.html").read_text()
    (tmp_path / "cut.html").write_text(text[:text.index('class="fleet">') + 3000])
    browser.open(tmp_path / "cut.html")
    assert browser.texts("#fleet") == [] and "This page holds no run" in browser.text("main")


def test_runs_can_be_added_to_a_fleet(page, tmp_path):
    path = page_of(tmp_path / "one.html", {"0007": stored("zen4", program="mlpboot")})
    field = page.driver.find_element("css selector", "#runs input[type=file]")
    field.send_keys(str(path))
    page.wait(lambda: "1 run came." in page.text("#runs output"))
    assert len(page.run(TABLE)) == 40
