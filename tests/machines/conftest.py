"""Tests that share what a module's fixture makes run in one process, which makes it once; they come first,
so that no long row of them is left for the end. All tests of the page in a process share one browser."""

import pytest


def shares(item):
    definitions = item._fixtureinfo.name2fixturedefs.values()
    return any(found[-1].scope == "module" for found in definitions)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if shares(item):
            item.add_marker(pytest.mark.xdist_group(item.module.__name__))
    items.sort(key=lambda item: not shares(item))


@pytest.fixture(scope="session")
def chromium():
    from browser import Browser  # selenium, for those tests alone

    with Browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def browser(chromium):
    """As it was when it was started."""
    chromium.driver.get("about:blank")
    chromium.show_as(1280, 900)
    chromium.complaints()
    return chromium
