"""Tests that share what a module's fixture makes run in one process, which makes it once. They come first, and
with them the longest: nothing long is left for the end. All tests of the page share one browser."""

import re

import pytest
from hypothesis import settings

from machine import command
from network import Lab

# Property-based tests try the same few examples each time; `make fuzz` tries others, and more.
settings.register_profile("others", deadline=None, database=None, max_examples=500)
settings.register_profile("same", parent=settings.get_profile("others"), derandomize=True, max_examples=60)
settings.load_profile("same")

# Half a minute of a processor, or nearly.
LONG = {
    "test_a_call_that_ends_badly",
    "test_a_processor_without_mwait_waits_and_measures",
    "test_another_core_measures_and_all_is_left_as_it_was",
    "test_counters_that_stand_still_are_found_and_left_as_they_were",
    "test_the_image_built_in_another_place_is_the_same",
    "test_emulated_it_completes_and_labels_every_file",
    "test_noise_brings_doubt_before_wrong_answers",
    "test_nothing_that_was_called_saved_is_lost",
    "test_pxe_beside_another_dhcp_server_leaves_what_a_run_to_disk_does",
    "test_reboots_are_counted_and_the_next_boot_entry_follows",
    "test_no_core_without_vices_is_wrong",
}


# Modules whose tests run in one process, too: each of the first makes the ISO in build/, and sees whether
# another does; the others show pages, and a browser takes seconds to start.
TOGETHER = [r"test_media|test_release", r"test_(page\w*|summary|words)"]


# Tests with that fixture need these packages of Debian; a module's NEEDS lists those of the module.
NEEDS_OF_FIXTURES = {"chromium": {"chromium-headless-shell", "chromium-driver"}, "lab": {"dnsmasq-base", "iproute2"}}


def missing_packages():
    """Those of the tests that this machine does not have, as images/packages.sh recognises them."""
    _, said = command("sh", "images/packages.sh", "test", INSTALL="skip")
    return set(said.partition("going on without:")[2].split())


def needs(item):
    of_fixtures = (NEEDS_OF_FIXTURES.get(name, set()) for name in item.fixturenames)
    return set(getattr(item.module, "NEEDS", ())).union(*of_fixtures)


def shares(item):
    definitions = item._fixtureinfo.name2fixturedefs.values()
    return any(found[-1].scope == "module" for found in definitions)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    missing = missing_packages()
    for item in items:
        if needs(item) & missing:
            item.add_marker(pytest.mark.skip(reason=f"not here: {' '.join(sorted(needs(item) & missing))}"))
        if shares(item):
            name = item.module.__name__
            group = next((names for names in TOGETHER if re.fullmatch(names, name)), name)
            item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=lambda item: not (shares(item) or item.originalname in LONG))


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


@pytest.fixture
def lab():
    with Lab() as opened:
        yield opened


@pytest.fixture
def show(browser, tmp_path):
    """Opens a page over runs, {name: {file: text}}; nothing may complain while the test shows it."""
    from browser import page_of

    def open_page(runs, unit=None, dark=False, width=1280, spoil=None):
        path = page_of(tmp_path / "report.html", runs)
        if spoil:
            path.write_text(spoil(path.read_text()))
        browser.show_as(width, 900, dark)
        browser.open(path, unit)
        return browser

    yield open_page
    browser.show_as(1280, 900)
    assert browser.complaints() == []
