"""A sample of `make faults`: calls of the firmware that end badly, drawn by a seed, one boot each and the next one."""

import random

import pytest

from firmware_calls import VICES, count_calls, told, trials_of, try_one

SAMPLE = 24
SEED = 48


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    return count_calls(tmp_path_factory.mktemp("counted"))


def test_every_kind_of_call_is_counted(counted):
    places, _ = counted
    assert {"LocateProtocol", "OpenVolume", "Write", "ReadBlocks", "OutputString", "GetTime", "ResetSystem",
            "GetMemoryMap", "SetWatchdogTimer"} <= {place.service for place in places}
    assert sum(place.calls for place in places) > 1000
    assert all(set(place.endings) <= VICES.keys() for place in places)


@pytest.mark.parametrize("number", range(SAMPLE))
def test_a_call_that_ends_badly(counted, number):
    places, files = counted
    trials = random.Random(SEED).sample(trials_of(places, SEED), SAMPLE)
    outcome = try_one(trials[number], files)
    assert outcome["complaints"] == [], f"{trials[number].key}: {told(outcome)}\n{outcome['console']}"


def test_memory_at_address_zero_is_no_memory(counted):
    """Of all trials one left the processor otherwise than it was: an IDT at 0 was taken for none."""
    places, files = counted
    trials = [one for one in trials_of(places, SEED) if (one.service, one.number, one.ending) == ("AllocatePages", 1, "gives-zero")]
    outcomes = [try_one(one, files) for one in trials]
    assert outcomes and [outcome["complaints"] for outcome in outcomes] == [[]] * len(outcomes)
