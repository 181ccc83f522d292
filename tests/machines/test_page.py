"""The page in a browser: it shows what the files of a run hold."""

import gzip

import pytest

from browser import page_of
from machine import ROOT

SILICON = ROOT / "tests" / "data" / "silicon"


def stored(folder):
    return {name: gzip.decompress((folder / f"{name}.gz").read_bytes()).decode()
            for name in ("verdicts.csv", "results.csv")}


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    browser.open(page_of(tmp_path_factory.mktemp("page") / "report.html",
                         {"0001": {**stored(SILICON), "run.json": '{"program": "mlpboot"}'}}))
    return browser


def test_every_chart_has_drawn(page):
    page.wait_for_charts()


def test_nothing_is_asked_of_the_network_and_nothing_complains(page):
    assert [address for address in page.requests() if not address.startswith(("file:", "data:", "blob:"))] == []
    assert page.complaints() == []


def test_no_script_but_the_page_s_own_runs(browser, tmp_path):
    path = page_of(tmp_path / "report.html", {"0001": {"run.json": '{"program": "mlpboot"}'}})
    with open(path, "a", encoding="utf-8") as page:
        page.write("\n<script>document.title = 'ran'</script><img src=x onerror=\"document.title = 'ran'\">\n")
    browser.open(path)
    assert browser.run("return document.title") != "ran"
    assert any("Content Security Policy" in complaint for complaint in map(str, browser.complaints()))
