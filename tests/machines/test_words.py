"""The words beside the code: links lead somewhere, and the manual names whatever a run can answer."""

import csv
import json
import re
import subprocess

import pytest

from machine import BUILD, ROOT
from made_runs import hosted, run
from report import MANUAL as MANUAL_PAGE
from stored_runs import stored_text
from tool import tool

README = ROOT / "README.md"
GUIDE, REFERENCE, METHODS, LAB, CI, PUBLISHED = MANUAL = [ROOT / "images/manual" / f"{name}.md"
                                           for name in ("guide", "reference", "methods", "lab", "ci", "published")]
HOUSE = ROOT / "kernel/README.md"
DOCUMENTS = [README, *MANUAL, HOUSE]
README_LINES_MAX = 150

# Small enough for seconds, and yet every verdict is given, if only as a doubt.
MODEL = "model:remote=65,rob=100,memory=400"
SMALL = ["samples.min=5", "samples.max=10", "mlp.fillers=0-96/48", "mlp.loads=1-3",
         "mlp.tlb=natural warm cold", "mlp.order=lfence cpuid", "mlp.bytes=4m", "pages=2m 4k",
         "tlb.pages=2-8*2", "tlb.loads=1-6",
         "structures.fillers=0-96/48", "array.bytes=4k-256k*4", "array.loads=1 2"]
ACCESSES = [*SMALL, "experiments=mlp", "mlp.tlb=natural", "mlp.order=lfence", "mlp.access=prefetch store nt"]
PATTERNS = ["experiments=floor patterns", "pages=4k", "patterns.bytes=4m", "samples.min=5", "samples.max=10"]


# --- Reading Markdown ---


def prose(text):
    """The text without what is code: indented blocks, fences, and words between backticks."""
    text = re.sub(r"(?ms)^```.*?^```$", "", text)
    text = re.sub(r"(?m)^ {4}(?! *[-\[]).*$", "", text)
    return re.sub(r"`[^`\n]*`", "", text)


def headings(text, least=1, most=6):
    text = re.sub(r"(?ms)^```.*?^```$", "", text)  # comments of a shell begin as headings do
    return [found[2] for found in re.finditer(r"(?m)^(#+) (.+)$", text) if least <= len(found[1]) <= most]


def anchor(heading):
    """As GitHub makes it: small letters, dashes for blanks, no other signs."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def links(text):
    return re.findall(r"\]\(([^)\s]+)\)", prose(text))


def broken_links(document):
    broken = []
    for link in links(document.read_text()):
        if re.match(r"\w+:", link):
            continue
        path, _, wanted = link.partition("#")
        target = document.parent / path if path else document
        if not target.exists():
            broken.append(link)
        elif wanted and wanted not in map(anchor, headings(target.read_text())):
            broken.append(link)
    return broken


def words_of(text):
    """Everything between backticks: what a reader can search for."""
    return set(re.findall(r"[\w.]+", " ".join(re.findall(r"`([^`\n]+)`", text))))


def explained_in(heading):
    """What the first cells of the manual's tables under a heading name."""
    text = "\n".join(document.read_text() for document in MANUAL)
    assert headings(text).count(heading) == 1
    under = re.split(rf"(?m)^#+ {re.escape(heading)}$", text)[1]
    cells = re.findall(r"(?m)^\|([^|\n]*)\|", re.split(r"(?m)^#", under)[0])
    return set(re.findall(r"`(\w+)`", " ".join(cells)))


def section(text, start, end):
    assert text.count(start) == 1 and text.count(end) == 1, f"{start} and {end}, once each"
    return text.partition(start)[2].partition(end)[0]


# --- The documents themselves ---


def test_the_front_page_is_one():
    assert len(README.read_text().splitlines()) <= README_LINES_MAX


def test_the_front_page_explains_the_screen_of_its_picture(tmp_path):
    """The picture has what this program prints of a stored run; each figure in the words below it is there."""
    subprocess.run(["make", "-s", "build/last-page"], cwd=ROOT, check=True, timeout=300)
    rows = tmp_path / "results.csv"
    rows.write_text(stored_text("zen5", "results.csv"))
    hertz = str(json.loads(stored_text("zen5", "run.json"))["tsc_hz"])
    screen = subprocess.run([BUILD / "last-page", rows, hertz], check=True, text=True, capture_output=True).stdout
    assert screen.startswith("ROB ") and screen.splitlines()[-1].startswith("longest gap ")
    words = re.sub(r"`[^`]*`", "", section(README.read_text(), "In words:", "The folder has"))
    told = set(re.findall(r"(?<![\w.])\d+(?:\.\d+)?", words)) - {"448", "95"}  # published, of the interval
    shown = set(re.findall(r"(?<![\d.])\d+(?:\.\d+)?", screen))
    assert len(told) > 8 and told <= shown, told - shown


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document):
    assert links(document.read_text()), "no links at all"
    assert broken_links(document) == []


@pytest.mark.parametrize("link", ["none.md", "#none", "other.md#none", "other.md#a-headin"])
def test_a_link_that_leads_nowhere_is_found(tmp_path, link):
    (tmp_path / "other.md").write_text("# A heading\n")
    (tmp_path / "text.md").write_text(
        f"# One `two`, 3.csv\n[a](#one-two-3csv) [b](other.md#a-heading) [c](other.md) [d]({link})\n")
    assert broken_links(tmp_path / "text.md") == [link]


@pytest.mark.parametrize("document, most", [*((document, 2) for document in MANUAL), (HOUSE, 6)], ids=str)
def test_the_contents_have_every_heading(document, most):
    text = document.read_text()
    listed = links(text.partition("## Contents\n")[2].partition("\n## ")[0])
    assert listed == [f"#{anchor(heading)}" for heading in headings(text, 2, most) if heading != "Contents"]


def test_the_manual_is_one_file_whose_links_lead_somewhere(browser):
    """In a browser, without a network: each heading is there once, and in the contents; each link has its place."""
    browser.requests()
    browser.driver.get(MANUAL_PAGE.as_uri())
    wanted = {anchor(heading) for document in MANUAL for heading in headings(document.read_text()) if heading != "Contents"}
    there = browser.run("return [...document.querySelectorAll('[id]')].map((element) => element.id)")
    assert sorted(there) == sorted(wanted)
    # Chromium takes no more than 200 clicks on links in ten seconds: the place is looked up as HTML has it.
    led = browser.run("""return [...document.querySelectorAll('a')].map((link) =>
        [link.getAttribute('href'), document.getElementById(decodeURIComponent(link.hash.slice(1)))?.id])""")
    assert [(link, place) for link, place in led if link != f"#{place}"] == []
    assert {place for _, place in led} == wanted
    assert browser.run("return document.querySelectorAll('table').length") > 35
    assert [address for address in browser.requests() if not address.startswith(("file:", "data:"))] == []
    assert browser.complaints() == []


# --- The documents against the code ---


@pytest.fixture(scope="module")
def helped():
    return hosted("run", "--help")[1]


@pytest.fixture(scope="module")
def experiments(helped):
    return re.findall(r"(?m)^  (\w+) +\S", helped.partition("\nExperiments:\n")[2])


@pytest.fixture(scope="module")
def runs(tmp_path_factory, experiments):
    """Every experiment on the model; the model runs no compiled loops, this processor does."""
    folder = tmp_path_factory.mktemp("words")
    every = f"experiments={' '.join(experiments)}"
    for name, platform, settings in (("model", MODEL, [every, *SMALL]), ("accesses", MODEL, ACCESSES),
                                     ("linux", "linux", PATTERNS)):
        run(folder / name, *settings, platform=platform)
    return [folder / name for name in ("model", "accesses", "linux")]


def rows(folders, file):
    for folder in folders:
        with open(folder / file, newline="") as table:
            yield from csv.DictReader(table)


def members(value):
    """The names of all members of a JSON object, but for those that a table of names holds."""
    for name, inside in value.items():
        yield name
        if isinstance(inside, dict) and name not in ("configuration", "configured_by", "events"):
            yield from members(inside)


def test_the_manual_names_every_verdict(runs, experiments):
    verdicts = list(rows(runs, "verdicts.csv"))
    assert {row["experiment"] for row in verdicts} == set(experiments)
    unnamed = {(row["experiment"], row["name"]) for row in verdicts
               if not re.search(rf"(?m)^\|.*`{row['name']}`.*\|", REFERENCE.read_text())}
    assert unnamed == set()


def test_the_manual_names_every_column(runs, tmp_path):
    assert tool("table", *runs, "--out", tmp_path)[0] == 0
    tables = {"Columns of results.csv": runs[0] / "results.csv",
              "Columns of verdicts.csv": runs[0] / "verdicts.csv",
              "Runs side by side": tmp_path / "summary.csv"}
    for heading, table in tables.items():
        columns = table.read_text().partition("\n")[0].split(",")
        assert set(columns) - explained_in(heading) == set()


def test_the_manual_names_every_member_of_the_conditions(runs):
    conditions = [json.loads((folder / "run.json").read_text()) for folder in runs]
    of_run = {name for value in conditions for name in value}
    of_parts = {name for value in conditions for part in ("certificate", "numa")
                for name in members(value[part])}
    nodes = {name for name in of_parts if re.fullmatch(r"node_\d+", name)}
    assert nodes
    assert (of_run | of_parts) - nodes - words_of(REFERENCE.read_text()) == set()


def test_the_manual_has_every_key(helped):
    table = section(REFERENCE.read_text(), "<!-- keys: generated -->", "<!-- keys: end -->")
    keys = re.findall(r"(?m)^  ([a-z]\w*(?:\.\w+)?) =(?: .*)?$",
                      helped.partition("Keys of the configuration")[2])
    assert "suite" in keys and "label" in keys
    assert [key for key in keys if not re.search(rf"(?m)^\| `{re.escape(key)}` \|", table)] == []


def test_both_name_every_experiment(experiments):
    table = section(README.read_text(), "<!-- experiments: generated -->", "<!-- experiments: end -->")
    assert re.findall(r"(?m)^\| `(\w+)` \|", table) == experiments
    assert [name for name in headings(REFERENCE.read_text(), 3) if name in experiments] == experiments
