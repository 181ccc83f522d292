"""One browser for all tests of the page that a process runs: it takes longer to start than most of them."""

import pytest

from browser import Browser


@pytest.fixture(scope="session")
def chromium():
    with Browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def browser(chromium):
    """As it was when it was started."""
    chromium.driver.get("about:blank")
    chromium.show_as(1280, 900)
    chromium.complaints()
    return chromium
