"""The schema of run.json: what runs leave is by it, what they never leave is not."""

import copy
import json
import subprocess
import time

import pytest

import schema
from machine import BUILD

HOSTED = BUILD / "mlpboot-hosted"
TINY = ["pages=4k", "mlp.loads=1-2", "mlp.fillers=0-32/16", "mlp.bytes=4m", "samples.min=5",
        "samples.max=10"]
LARGE = "model:counters=4,remote=65,threads=2,prefetchers=1"

# Objects whose members have names that are no part of the contract.
MAPS = {("configuration",), ("configured_by",), ("counting", "events"), ("model",), ("settings",),
        ("counters", "why_not"), ("processor", "cache_bytes")}


def words(settings):
    return [word for setting in settings for word in ("--set", setting)]


def run(folder, *settings, platform="linux", code=0):
    quick = [] if any(word.startswith("experiments") for word in settings) else ["experiments=floor mlp"]
    done = subprocess.run([HOSTED, "run", "--platform", platform, *words([*quick, *TINY, *settings]),
                           "--out", folder], capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads((folder / "run.json").read_text())


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """By name: this processor, a model with counters and nodes, and one that could not measure."""
    folder = tmp_path_factory.mktemp("runs")
    return {
        "linux": run(folder / "linux", 'label=</script><b> "a" \\\\ &amp;'),
        "anonymous": run(folder / "anonymous", "identity=anonymous"),
        "model": run(folder / "model", "node=all", platform=LARGE),
        "nothing": run(folder / "nothing", "experiments=patterns", platform="model", code=3),
        "error": run(folder / "error", "selftest=fault", code=1),
    }


@pytest.mark.parametrize("name", ["linux", "anonymous", "model", "nothing", "error"])
def test_what_runs_leave(runs, name):
    assert schema.complaints(runs[name]) == []


def test_they_are_what_they_are_to_be(runs):
    assert runs["model"]["numa"]["nodes"] == 2 and "events" in runs["model"]["counting"]
    assert runs["linux"]["status"] == runs["anonymous"]["status"] == runs["model"]["status"] == "done"
    assert runs["nothing"]["status"] == "nothing" and runs["error"]["status"] == "error"
    assert "serial" not in runs["anonymous"]["machine"]["system"]
    assert '"a" \\\\' in runs["linux"]["label"]


def test_a_run_that_was_killed(tmp_path):
    """Whatever is on the disk when it ends is whole, and is a run that did not end."""
    with subprocess.Popen([HOSTED, "run", *words(["noise.seconds=60", "experiments=mlp noise"]),
                           *words(TINY), "--out", tmp_path / "run"],
                          stdout=subprocess.DEVNULL) as process:
        verdicts = tmp_path / "run/verdicts.csv"
        deadline = time.monotonic() + 120
        while not (verdicts.exists() and b"\nmlp," in verdicts.read_bytes()):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.kill()
    conditions = json.loads((tmp_path / "run/run.json").read_text())
    assert conditions["status"] == "partial" and conditions["machine"]["utc_end"] == ""
    assert schema.complaints(conditions) == []


def test_a_configuration_that_is_refused_leaves_none(tmp_path):
    done = subprocess.run([HOSTED, "run", "--set", "pages=3m", "--out", tmp_path / "run"],
                          capture_output=True)
    assert done.returncode == 1 and not (tmp_path / "run/run.json").exists()


def objects(value, path=()):
    """(path, object) for an object and all those in it."""
    yield path, value
    for name, inside in value.items():
        if isinstance(inside, dict):
            yield from objects(inside, (*path, name))


def changed(conditions, path, change):
    """A copy in which the object at that path was changed."""
    other = copy.deepcopy(conditions)
    at = other
    for name in path:
        at = at[name]
    change(at)
    return other


@pytest.mark.parametrize("name", ["linux", "model"])
def test_what_is_too_much_is_refused(runs, name):
    fixed = [path for path, _ in objects(runs[name]) if path not in MAPS]
    assert len(fixed) > 8
    for path in fixed:
        assert schema.complaints(changed(runs[name], path, lambda at: at.update(More=1))), path


# A run may go without these: what they say is said by their absence.
MAY_BE_ABSENT = {"interrupts_why", "tsc_not_checked", "siblings", "serial", "uuid",
                 "asset_tag", "scaling_governor", "smt", "isolated_cpus", "clocksource",
                 "transparent_hugepage", "huge_pages_from", "numa_balancing", "load_average_1min"}


@pytest.mark.parametrize("name", ["linux", "model"])
def test_what_is_missing_or_of_another_type_is_refused(runs, name):
    for path, inside in objects(runs[name]):
        if path in MAPS:
            continue
        for member in inside:
            wrong = changed(runs[name], path, lambda at: at.update({member: ["a list"]}))
            assert schema.complaints(wrong), (*path, member)
            missing = changed(runs[name], path, lambda at: at.pop(member))
            is_numbered = member.rpartition("_")[2].isdigit()
            if member not in MAY_BE_ABSENT and not is_numbered:
                assert schema.complaints(missing), (*path, member)


@pytest.mark.parametrize("path, value", [
    (("status",), "fine"), (("platform",), "windows"), (("seconds",), -1), (("tsc_hz",), None),
    (("machine", "utc_start"), "yesterday"), (("machine", "id"), "54358fcd17252ec"),
    (("program",), "other"), (("processor", "family"), 6.5), (("numa", "numbers"), "0,1"),
    (("certificate", "max_gap_ns"), "1 ms"), (("schema",), 2)])
def test_wrong_values_are_refused(runs, path, value):
    wrong = changed(runs["linux"], path[:-1], lambda at: at.update({path[-1]: value}))
    assert schema.complaints(wrong)


def test_every_member_is_described():
    def members(part, path):
        for name, member in {**part.get("properties", {}), **part.get("$defs", {})}.items():
            if isinstance(member, dict):
                yield "/".join((*path, name)), member
                yield from members(member, (*path, name))
        for i, other in enumerate(part.get("oneOf", [])):
            yield "/".join((*path, str(i))), other
            yield from members(other, (*path, str(i)))

    found = dict(members(schema.validator().schema, ()))
    assert len(found) > 150 and "certificate/max_gap_ns" in found
    assert [path for path, member in found.items() if not member.get("description")] == []


def test_numbers_say_their_unit():
    """A name that ends in its unit is described by that unit."""
    units = {"ns": "nanosecond", "hz": "ticks", "percent": "percent", "ppm": "parts per million",
             "bytes": "byte", "mhz": "MHz", "seconds": "second"}
    text = json.loads(schema.PATH.read_text())
    parts = [text, text["properties"]["certificate"], text["properties"]["memory"],
             *text["$defs"].values()]
    seen = 0
    for part in parts:
        for name, member in part["properties"].items():
            unit = name.rpartition("_")[2]
            if unit in units and "number" in member.get("type", []):
                seen += 1
                assert units[unit] in member["description"], name
    assert seen > 8
