"""browser: a page in headless Chromium, opened from its file and without a network."""

import base64
import contextlib
import csv
import io
import json
import re
import tempfile
from pathlib import Path

import pytest

pytest.importorskip("selenium")
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

from stored_runs import stored_text
from tool import tool

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
FILES = ["run.json", "verdicts.csv", "results.csv"]


def stored(name, **members):
    """The files of a stored run: its tables, and a run.json of these members."""
    return {"run.json": json.dumps(members), **{file: stored_text(name, file) for file in FILES[1:]}}


def page_of(path, runs):
    """Has `mlpboot.pyz report` write a page over runs, {name: {file: text}}; its path. Without runs it is
    the page alone, as one is that was cut off before its first part."""
    path.unlink(missing_ok=True)
    if not runs:
        path.write_bytes((BUILD / "page.html").read_bytes())
        return path
    with tempfile.TemporaryDirectory() as work:
        folders = [Path(work) / name for name in runs]
        for folder, files in zip(folders, runs.values()):
            folder.mkdir()
            for name, text in files.items():
                (folder / name).write_text(text)
        status, said, complaint = tool("report", *folders, "--out", path)
        assert status == 0, said + complaint
    return path


def files_of(folder):
    return {name: (folder / name).read_text() for name in FILES if (folder / name).exists()}


def lines_of(files, file, **cells):
    """The lines with these cells of a table among a run's files."""
    return [line for line in csv.DictReader(io.StringIO(files[file]))
            if all(line[name] == cell for name, cell in cells.items())]


def line_of(files, file, **cells):
    """The only line with these cells."""
    (found,) = lines_of(files, file, **cells)
    return found


def numbers(text):
    return [float(one.replace(",", "")) for one in re.findall(r"-?\d[\d,]*(?:\.\d+)?", text)]


def shows(text, value, apart=0.0):
    """True if a number in the text is this one, to the four digits that are shown, or not further apart."""
    return any(abs(one - value) <= max(apart, 5.001e-4 * abs(value)) for one in numbers(text))


# Returns for each chart of some sections, or of all, whether the chart shows more than its axes.
DRAWN = """return [...document.querySelectorAll(arguments[0].map((id) => `#${id} .plot`).join() || '.plot')]
    .filter((host) => host.checkVisibility()).map((host) => host.querySelector('.series :is(path[d], rect, circle)') !== null);"""

# Goes to a point of a chart by keys; the lines that are then said: of x, and of each series.
READ = """const [host, keys] = arguments;
    host.focus();
    for (const key of keys)
        host.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    return [...host.parentElement.querySelector('.readout').children].map((one) => one.textContent);"""


# Lays out all sections at once: the page leaves out those that are far from view until a reader comes near.
ALL_NEAR = """const sheet = new CSSStyleSheet();
    sheet.replaceSync('section { content-visibility: visible !important; }');
    document.adoptedStyleSheets = [sheet];"""


class Browser:
    """A context manager: leaving it closes the browser."""

    def __init__(self, width=1280, height=900, dark=False):
        options = Options()
        options.binary_location = "/usr/bin/chromium-headless-shell"
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        for word in ["--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
                     "--disable-background-networking", "--disable-component-update", "--no-default-browser-check",
                     "--force-device-scale-factor=1", "--hide-scrollbars"]:
            options.add_argument(word)
        # Chromium refuses its sandbox to root, and containers refuse it to others; what it opens here is ours.
        options.add_argument("--no-sandbox")
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_script_timeout(120)  # axe-core on a busy machine
        self.tell("Network.enable")
        self.tell("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1,
                  uploadThroughput=-1)
        self.show_as(width, height, dark)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """The driver alone would leave the browser running, and answers that the page is gone."""
        with contextlib.suppress(WebDriverException):
            self.tell("Browser.close")
        self.driver.quit()

    def tell(self, command, **arguments):
        """A command of the browser's own protocol (Chrome DevTools)."""
        return self.driver.execute_cdp_cmd(command, arguments)

    def show_as(self, width, height, dark=False, media=""):
        self.tell("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.tell("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path, unit=None, all_near=True):
        """A page, by its path or address, with times in the unit that it starts with or in another: ns, cycles, ticks."""
        self.driver.get("about:blank")  # with another fragment alone, nothing would be loaded
        self.driver.get(path if str(path).startswith("file:") else Path(path).resolve().as_uri())
        self.wait_for_page()
        if all_near:
            self.run(ALL_NEAR)
        if unit:
            self.choose_unit(unit)

    def choose_unit(self, unit):
        self.run("document.querySelector(`header input[value=${arguments[0]}]`)?.click()", unit)
        self.wait_for_page()

    def wait_for_page(self):
        self.wait(lambda: self.run("return document.documentElement.dataset.ready === 'yes'"))

    def wait(self, condition, seconds=20):
        WebDriverWait(self.driver, seconds, poll_frequency=0.05).until(lambda _: condition())

    def wait_for_charts(self, *sections, least=1):
        """Until all charts of these sections have drawn, at least so many; without sections, of the page."""
        self.wait(lambda: len(drawn := self.run(DRAWN, sections)) >= least and all(drawn))

    def read(self, plot, *keys):
        """What is said of the point of a chart, an element or (section, number), that these keys go to."""
        if isinstance(plot, tuple):
            find = "return document.querySelectorAll(`#${arguments[0]} .plot`)[arguments[1]]"
            self.wait(lambda: self.run(f"{find}?.firstChild != null", *plot))
            plot = self.run(find, *plot)
        return self.run(READ, plot, keys)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def text(self, selector):
        """What a reader sees of an element; "" if it is not there."""
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def texts(self, selector):
        """The text of each such element, hidden or not."""
        return self.run("return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", selector)

    def rules_broken(self, part="html"):
        """The rules of WCAG that a program can check and that a part breaks, by axe-core; in the dark, of colours."""
        axe = BUILD / "lint/node_modules/axe-core/axe.min.js"
        if not axe.exists():
            pytest.skip("axe-core could not be fetched from the npm registry")
        found = []
        for dark, rules in ((False, "{}"), (True, "{runOnly: ['color-contrast', 'link-in-text-block']}")):
            self.show_as(1280, 900, dark)
            found += self.run(f"""{axe.read_text()}; return axe.run(arguments[0], {rules}).then(({{ violations }}) =>
                violations.map(({{ id, nodes }}) => [id, nodes.slice(0, 3).map(({{ html }}) => html)]))""", part)
        return found

    def press(self, key):
        """A key of the keyboard, to whatever has the focus."""
        code, text = {"Enter": (13, "\r"), "ArrowRight": (39, "")}[key]
        for kind in ("keyDown", "keyUp"):
            self.tell("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, text=text)

    def width(self):
        """The width that the page needs."""
        return self.run("return document.documentElement.scrollWidth")

    def complaints(self):
        """What the page's console says of errors and warnings, since it was last asked."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Addresses that were asked for, since it was last asked."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [event["params"]["request"]["url"] for event in events
                if event["method"] == "Network.requestWillBeSent"]

    def picture(self, path, whole=False):
        """A PNG of what is seen, or of the whole page."""
        data = self.tell("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        Path(path).write_bytes(base64.b64decode(data))

    def pdf(self, path):
        data = self.tell("Page.printToPDF", printBackground=True)["data"]
        Path(path).write_bytes(base64.b64decode(data))
