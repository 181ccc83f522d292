"""What all tests of the page share: one browser in each process, and a module's tests in the same process."""

import pytest


def pytest_collection_modifyitems(items):
    """With `--dist loadgroup` a module's page, browser and runs are made once, not once in each process."""
    for item in items:
        if item.path.name.startswith("test_page"):
            item.add_marker(pytest.mark.xdist_group(item.path.name))


@pytest.fixture(scope="session")
def one_browser():
    from browser import Browser  # which not every test needs to be there

    with Browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def browser(one_browser):
    """As if it were new."""
    one_browser.show_as(1280, 900)
    one_browser.complaints()
    return one_browser
