"""pictures: makes README's pictures anew: the page of a run on this processor, one of its charts, and the
last screen of the image in QEMU. usage: pictures.py [FOLDER], of a run that there is already"""

import subprocess
import sys
import tempfile
from pathlib import Path

from browser import Browser
from machine import BUILD, KEY_PROMPT, ROOT, Machine

PICTURES = ROOT / "images" / "pictures"
HOSTED = BUILD / "mlpboot-hosted"
COLORS = "32"  # enough for text and a few lines, and a tenth of the bytes

# What the screen is to show: a run that an emulator does in seconds.
SCREEN = """\
experiments = mlp tlb array
pages = 2m 4k
samples.min = 10
samples.max = 20
mlp.loads = 1-12
mlp.fillers = 0-320/64
mlp.bytes = 16m
tlb.loads = 1-4
tlb.pages = 2-64*2
array.bytes = 4k-4m*4
array.loads = 1-2
"""


def shrink(path, name):
    subprocess.run(["pngquant", "--force", "--strip", "--output", PICTURES / name, COLORS, path], check=True)
    print(f"{PICTURES / name}: {(PICTURES / name).stat().st_size} bytes")


def picture_page(work, folder):
    if folder is None:
        folder = work / "0001"
        subprocess.run([HOSTED, "run", "--set", "experiments=noise mlp structures tlb array", "--set",
                        "mlp.fillers=0-1400/16", "--set", "structures.fillers=0-1400/16", "--out", folder],
                       check=True, stdout=subprocess.DEVNULL)
    with Browser(1200, 1000) as browser:
        browser.open(folder / "report.html")
        browser.wait(lambda: browser.run("return document.querySelectorAll('.plot canvas').length") > 0)
        browser.picture(work / "page.png")
        browser.driver.find_element("css selector", "#rob figure.chart").screenshot(str(work / "chart.png"))
    shrink(work / "page.png", "page.png")
    shrink(work / "chart.png", "chart.png")


def picture_screen(work):
    with Machine(work, SCREEN, finish="wait", extra=["-device", "VGA,xres=640,yres=480"], monitored=True) as machine:
        machine.wait_for("status: done", 180)
        machine.wait_for(KEY_PROMPT)
        machine.monitor.do("screendump", filename=str(work / "screen.png"), format="png")
    shrink(work / "screen.png", "screen.png")


def main():
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        picture_page(Path(work), Path(sys.argv[1]) if len(sys.argv) > 1 else None)
        picture_screen(Path(work))


main()
