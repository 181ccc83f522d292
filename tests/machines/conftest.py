"""Tests that share what a module's fixture makes run in one process, which makes it once; they come first,
so that no long row of them is left for the end."""

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
def one_browser():
    from browser import Browser  # which not every machine that tests has

    with Browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def browser(one_browser):
    """The browser of all tests in this process, as if it were new."""
    one_browser.show_as(1280, 900)
    one_browser.complaints()
    return one_browser
