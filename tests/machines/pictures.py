"""pictures: makes README's pictures anew: the answers of a stored run on Zen 5, on its page and on the last screen, and
two charts of it and of a stored run on an Intel Xeon."""

import base64
import html
import json
import subprocess
import tempfile
from pathlib import Path

from browser import Browser, page_of
from machine import ROOT
from stored_runs import stored_text

PICTURES = ROOT / "images" / "pictures"
COLORS = "32"  # enough for text and a few lines, and a tenth of the bytes


def shrink(path, name):
    subprocess.run(["pngquant", "--force", "--strip", "--output", PICTURES / name, COLORS, path], check=True)
    print(f"{PICTURES / name}: {(PICTURES / name).stat().st_size} bytes")


SCALE = 2  # of the pixels
MACHINES = {"zen5": "AMD EPYC, Zen 5", "golden-cove": "Intel Xeon"}


def stored(name):
    files = {file: stored_text(name, file) for file in ("verdicts.csv", "results.csv")}
    return {**files, "run.json": json.dumps({**json.loads(stored_text(name, "run.json")), "label": MACHINES[name]})}


def take(browser, selector, path):
    """A part of the page at twice its pixels."""
    box = browser.run("const { x, y, width, height } = document.querySelector(arguments[0]).getBoundingClientRect();"
                      "return { x: x - 12, y: y + scrollY - 8, width: width + 24, height: height + 10, scale: arguments[1] };", selector, SCALE)
    data = browser.tell("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=box)["data"]
    path.write_bytes(base64.b64decode(data))


def picture_page(work):
    with Browser(900, 1000) as browser:
        browser.open(page_of(work / "one.html", {"zen5": stored("zen5")}))
        browser.run("document.querySelector('nav').style.position = 'static'")
        take(browser, "#answers table", work / "page.png")
        browser.open(page_of(work / "two.html", {name: stored(name) for name in MACHINES}))
        browser.run("document.querySelectorAll('.take, nav').forEach((one) => one.remove())")
        browser.wait_for_charts("rob", "latency")
        for name, figure in (("chart.png", "#latency-chain"), ("jump.png", "#rob-loads")):
            take(browser, figure, work / name)
    for name in ("page.png", "chart.png", "jump.png"):
        shrink(work / name, name)


SCREEN = "<body style='margin:8px 12px'><pre style='display:inline-block;margin:0;background:#000;color:#ccc;padding:8px'>{}</pre>"


def picture_screen(work):
    """What the console shows at the end of the run, which is judged again from its rows."""
    (work / "results.csv").write_text(stored_text("zen5", "results.csv"))
    hertz = json.loads(stored_text("zen5", "run.json"))["tsc_hz"]
    page = subprocess.run([ROOT / "build" / "last-page", work / "results.csv", str(hertz)], check=True, text=True, capture_output=True).stdout
    (work / "screen.html").write_text(SCREEN.format(html.escape(page.rstrip())))
    with Browser(900, 400) as browser:
        browser.driver.get((work / "screen.html").as_uri())
        take(browser, "pre", work / "screen.png")
    shrink(work / "screen.png", "screen.png")


def main():
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        picture_page(Path(work))
        picture_screen(Path(work))


main()
