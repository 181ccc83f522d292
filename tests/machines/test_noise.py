"""Experiment noise and the noise report of every run: on the image, and under Linux."""

import subprocess

import pytest

from machine import BUILD, COUNTED, SHORT, Results, boot

HOSTED = BUILD / "mlpboot-hosted"
DECADES = range(1, 10)
NAMES = ["max_gap", "gaps_over_1us", "smi_count", "frequency_drift"]


def rows_of(results, case, metric):
    return [row for row in results.rows if (row["case"], row["metric"]) == (case, metric)]


def verdicts_of(results, case):
    return {verdict["name"]: verdict for verdict in results.verdicts if verdict["case"] == case}


def gaps_over_1us(results, case):
    return sum(int(row["samples"]) for row in rows_of(results, case, "gap") if int(row["n"]) >= 3)


def check_histogram(results, case, seconds, slice_seconds=0.2):
    """One row for each decade, its gaps within it; as many seconds watched as were asked for."""
    rows = rows_of(results, case, "gap")
    assert [int(row["n"]) for row in rows] == list(DECADES)
    (loop,), (threshold,) = rows_of(results, case, "loop"), rows_of(results, case, "threshold")
    assert 0 < float(loop["min"]) <= float(loop["median"]) < float(threshold["median"])
    for row in rows:
        if row["samples"] == "0":
            continue
        low, high = 10 ** int(row["n"]), 10 ** (int(row["n"]) + 1)
        values = [float(row[name]) for name in ("min", "p10", "median", "p90", "max")]
        assert values == sorted(values)
        assert values[0] >= float(threshold["median"])
        assert values[0] >= low or int(row["n"]) == DECADES[0]
        assert values[-1] <= high or int(row["n"]) == DECADES[-1]  # rounded to three digits
    (observed,) = rows_of(results, case, "observed")
    assert int(observed["samples"]) == 5 * seconds
    # A slice of 50 ms may be cut short by an emulator's host.
    watched = int(observed["samples"]) * float(observed["mean"]) / 1e6
    assert watched == pytest.approx(5 * slice_seconds * seconds, rel=0.3 if slice_seconds > 0.1 else 0.8)
    chains = rows_of(results, case, "chain")
    assert [int(row["stage"]) for row in chains] == list(range(5 * seconds))


def check_verdicts(results, case):
    """They say what the rows say; an emulator's say nothing."""
    verdicts = verdicts_of(results, case)
    assert list(verdicts) == NAMES
    if verdicts["max_gap"]["reason"] == "emulated":
        assert {(verdict["status"], verdict["value"]) for verdict in verdicts.values()} == {("skip", "")}
        return
    longest = max((float(row["max"]) for row in rows_of(results, case, "gap") if row["max"]), default=0)
    assert float(verdicts["max_gap"]["value"]) == pytest.approx(longest)
    count = verdicts["gaps_over_1us"]
    assert float(count["value"]) == gaps_over_1us(results, case)
    if case == "quiet":
        assert float(count["low"]) <= float(count["value"]) < float(count["high"])
    else:
        assert count["low"] == count["high"] == ""  # interrupts come in bursts
    assert verdicts["frequency_drift"]["status"] in ("ok", "doubt")


def check_report(results, interrupts):
    report = results.run["certificate"]
    assert report["interrupts"] == interrupts
    assert report["seconds_observed"] > 0.03
    assert report["gap_threshold_ns"] > 0
    assert report["max_gap_ns"] >= 0
    assert report["gaps_over_1us_per_second"] >= 0
    assert report["frequency_drift_percent"] >= 0
    assert report["cycles_per_tick"] > 0
    assert report["tsc_hz"] == results.run["tsc_hz"]
    for name in ("other_processors", "prefetch", "turbo"):
        assert report[name]
    return report


def check_analyze(results, folder):
    """The stored rows alone give the same verdicts, to the byte."""
    (folder / "stored.csv").write_bytes(results.files["results.csv"])
    done = subprocess.run([HOSTED, "analyze", folder / "stored.csv"], capture_output=True)
    assert done.stdout == results.files["verdicts.csv"], done.stderr


def test_interrupts_are_seen_where_they_are_on_and_only_there(tmp_path):
    """The firmware's timer ticks 100 times a second; QEMU counts, so that nothing else does."""
    config = "experiments = noise\nnoise.seconds = 1\n"
    machine = boot(tmp_path, config, extra=COUNTED, timeout=400)
    results = machine.check_done()
    for case in ("quiet", "interrupts"):
        check_histogram(results, case, 1, 0.05)
        check_verdicts(results, case)
    assert gaps_over_1us(results, "quiet") == 0
    assert gaps_over_1us(results, "interrupts") >= 3
    for case in ("quiet", "interrupts"):
        seen = verdicts_of(results, case)["gaps_over_1us"]
        assert (seen["status"], seen["reason"]) == ("skip", "emulated")
    share = verdicts_of(results, "core")["shared_share"]
    assert (share["status"], share["reason"], share["value"]) == ("skip", "unavailable", "")
    assert share["method"].endswith("; an emulator's core has no states")
    assert check_report(results, "off")["obtained_by"].endswith("experiment noise")
    check_analyze(results, tmp_path)


def test_every_run_of_the_image_has_a_noise_report(tmp_path):
    run = boot(tmp_path, SHORT, extra=COUNTED, timeout=400)
    results = run.check_done()
    report = check_report(results, "off")
    assert report["obtained_by"] == "50 ms of spinning at the start and the end of the run"
    assert run.says("noise: interrupts off, gaps to")
    assert report["tsc_second_clock"] == "ACPI PM timer"
    second = report["tsc_hz_by_second_clock"]
    ppm = (report["tsc_hz"] / second - 1) * 1e6
    assert report["tsc_difference_ppm"] == pytest.approx(ppm, abs=0.2)
    assert abs(ppm) < 1000 and report["tsc_agrees"] is True  # both clocks are QEMU's one
    assert any(line.startswith("event=clock status=ok ppm=") for line in results.log)


def test_linux_shows_its_ticks(tmp_path):
    """At 100 Hz or more; a busy core is interrupted, whatever else goes on."""
    done = subprocess.run([HOSTED, "run", "--set", "experiments=noise", "--out", tmp_path / "run"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    results = Results.of_folder(tmp_path / "run")
    assert [row["unit"] for row in rows_of(results, "quiet", "skipped")] == [
        "a Linux process cannot turn interrupts off"]
    assert {verdict["status"] for verdict in verdicts_of(results, "quiet").values()} == {"skip"}
    check_histogram(results, "interrupts", 1)
    check_verdicts(results, "interrupts")
    assert gaps_over_1us(results, "interrupts") >= 20
    share = verdicts_of(results, "core")["shared_share"]
    assert share["status"] in ("ok", "doubt")
    assert 0 <= float(share["low"]) <= float(share["value"]) <= float(share["high"]) <= 100
    assert verdicts_of(results, "interrupts")["smi_count"]["status"] == "skip"
    report = check_report(results, "on")
    assert report["tsc_second_clock"] == "none" and report["tsc_not_checked"]
    check_analyze(results, tmp_path)


def run_model(folder, *parameters):
    model = ":".join(("model", *parameters))
    done = subprocess.run([HOSTED, "run", "--platform", model, "--set", "experiments=noise",
                           "--out", folder / "run"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return Results.of_folder(folder / "run")


def test_a_model_says_why_it_has_no_noise(tmp_path):
    results = run_model(tmp_path)
    of_noise = [row for row in results.rows
                if row["experiment"] == "noise" and row["case"] != "core"]
    assert of_noise and {row["metric"] for row in of_noise} == {"skipped"}
    for case in ("quiet", "interrupts"):
        assert {verdict["status"] for verdict in verdicts_of(results, case).values()} == {"skip"}
    report = results.run["certificate"]
    assert report["max_gap_ns"] is None
    assert report["obtained_by"].startswith("nothing: a model")


@pytest.mark.parametrize("parameters, share", [
    ("sibling=0.4,sibling_ms=0.3", 40), ("sibling=0.1,sibling_ms=0.3", 10), ("rob=192", 0)])
def test_a_sibling_that_comes_and_goes_shares_the_core(tmp_path, parameters, share):
    """A model says how many additions its core does in a cycle, so that it is known what is whole."""
    results = run_model(tmp_path, parameters)
    verdict = verdicts_of(results, "core")["shared_share"]
    assert verdict["status"] == "ok", verdict
    low, high = float(verdict["low"]), float(verdict["high"])
    assert 0 <= low <= share <= high <= 100 and low <= float(verdict["value"]) <= high
    assert high - low < 15
    rows = rows_of(results, "core", "core_shared")
    assert [int(row["stage"]) for row in rows] == list(range(30))
    assert all(int(row["samples"]) + int(row["discarded"]) == 50 for row in rows)
    percent = results.run["certificate"]["core_shared_percent"]
    assert percent == pytest.approx(float(verdict["value"]), abs=2)
    check_analyze(results, tmp_path)


def test_without_acpi_there_is_no_second_clock_and_it_is_said(tmp_path):
    results = boot(tmp_path, SHORT, machine="q35,acpi=off", timeout=400).check_done()
    report = check_report(results, "off")
    assert report["tsc_second_clock"] == "none"
    assert report["tsc_not_checked"] == "the firmware names no ACPI 2.0 table"
    assert report["tsc_hz_by_second_clock"] is None
    assert report["tsc_difference_ppm"] is None and report["tsc_agrees"] is None
