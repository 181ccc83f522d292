"""In QEMU with several processors: who measures, what its siblings do, and that all go back."""

import subprocess

import pytest

import watch
from machine import BUILD, SHORT, TWO_BY_TWO, Volume, boot, prepare_image
from received import received
from test_watch import MSRS


def boot_watched(folder, config, vices=(), **options):
    image = prepare_image(folder, config, "shutdown")
    watch.install(Volume(image), MSRS, {0x1A0: 0x85_0089}, vices=vices)
    return boot(folder, image=image, timeout=400, **options)


def check_measured_on(run, apic_id):
    """By the firmware's word, and by CPUID inside the slices."""
    processors = run["processors"]
    assert processors["count"] == 4
    assert processors["measuring_apic_id"] == processors["apic_id_while_measuring"] == apic_id
    assert processors["thread_bits"] == 1
    for other in set(range(1, 4)) - {apic_id}:
        assert processors[f"apic_{other}"]["sibling"] == (other == apic_id ^ 1)
    return processors


def check_slept(processor, percent=50):
    """A sibling was there for most of the run, in MWAIT whenever it was not asked to leave or to work."""
    assert processor["kept_seconds"] > 0.5, processor
    assert processor["kept_asleep_percent"] > percent, processor  # an emulated MWAIT wakes up at once
    assert processor["not_started"] == ""


def check_sibling_worked(results, sibling):
    """Asleep, on NOPs and loading in turn; of an emulated core that says nothing."""
    cases = {row["case"] for row in results.rows
             if row["experiment"] == "smt" and row["metric"] == "tsc" and row["samples"] != "0"}
    for pattern in ("nop", "waiting-load", "4k-warm", "chain-2m"):
        assert {f"{pattern}-{work}" for work in ("idle", "busy", "loading")} <= cases
    assert sibling["generated_bytes"] > 0
    verdicts = [row for row in results.verdicts if row["experiment"] == "smt"]
    assert len(verdicts) > 40 and {row["status"] for row in verdicts} == {"skip"}


def check_others_worked(results, other):
    """A thread of the other core kept the memory busy, at both rates, and each kind of work was there."""
    rows = [row for row in results.rows if row["experiment"] == "loaded" and row["samples"] != "0"]
    for work in ("read", "write", "copy"):
        assert {row["k"] for row in rows if row["case"] == f"{work}-2m-cores1" and row["metric"] == "traffic"} == {
            "", "0", "512"}
    assert other["generated_bytes"] > 0 and other["not_started"] == ""


def check_no_ok(results, experiments):
    """Of an emulated processor nothing is known, and there are no counters to look at a probe with."""
    verdicts = [row for row in results.verdicts if row["experiment"] in experiments]
    assert {row["experiment"] for row in verdicts} == set(experiments)
    assert {row["status"] for row in verdicts} == {"skip"}


def test_another_core_measures_and_all_is_left_as_it_was(tmp_path):
    config = ("core = 2\nexperiments = mlp smt loaded timeline\nmlp.access = load prefetch store nt\n"
              "structures.fillers = 0 64\narray.bytes = 4k\nloaded.bytes = 4m\nloaded.pauses = 0 512\n")
    machine = boot_watched(tmp_path, SHORT + config, **TWO_BY_TWO)
    results = machine.check_done()
    processors = check_measured_on(results.run, 2)
    check_slept(processors["apic_3"], percent=20)
    check_sibling_worked(results, processors["apic_3"])
    check_others_worked(results, processors["apic_1"])
    check_no_ok(results, ["mlp", "smt", "loaded", "timeline"])
    assert {row["case"] for row in results.own_rows} >= {"2m-prefetch", "4k-store", "2m-nt"}
    certificate = results.run["certificate"]
    assert certificate["siblings"] == "1, of which 1 asleep in MWAIT"
    assert certificate["other_processors"] == (
        "3 of 4 by the firmware's MP services: 0 asleep by MPERF, 0 running, "
        "3 of which that is not known")
    assert "event=core apic_id=2" in results.log
    assert {row["case"] for row in results.own_rows} >= {"2m", "4k"}  # no suffix
    watched = watch.check_restored(machine.volume, MSRS)
    for number in (1, 2, 3):
        assert watched.before[f"cpu{number}-flags"] == 6  # enabled and healthy


def test_a_fault_on_another_core_leaves_all_as_it_was(tmp_path):
    """Whose sibling is asleep at that moment."""
    machine = boot_watched(tmp_path, SHORT + "core = 2\nselftest = fault\n", **TWO_BY_TWO)
    results = machine.volume.results()
    assert results.log[-1] == "event=done status=error"
    assert "event=core apic_id=2" in results.log
    assert any(line.startswith("event=fault message=invalid opcode") for line in results.log)
    check_measured_on(results.run, 2)
    watch.check_restored(machine.volume, MSRS)


def test_a_firmware_that_only_starts_who_is_waited_for(tmp_path):
    """As PI allows it from a certain moment on: slice by slice, and nobody can be kept asleep."""
    machine = boot_watched(tmp_path, SHORT + "core = 2\n", vices=["start-waits"], **TWO_BY_TWO)
    run = machine.check_done().run
    processors = check_measured_on(run, 2)
    assert processors["apic_3"]["kept_seconds"] == 0
    assert run["certificate"]["siblings"] == "1, of which 0 asleep in MWAIT; one: the firmware does not support it"
    watch.check_restored(machine.volume, MSRS)


def test_all_cores_one_after_the_other(tmp_path):
    config = SHORT + "core = all\nsiblings = asis\nexperiments = mlp noise\nnoise.seconds = 1\n"
    machine = boot(tmp_path, config, timeout=400, **TWO_BY_TWO)
    results = machine.check_done()
    code, said, runs = received(tmp_path, machine.output)
    assert code == 0, said
    assert runs == {"run-1": {"log.txt": results.files["log.txt"]}}
    check_measured_on(results.run, 3)
    assert results.run["certificate"]["siblings"] == "1, as the firmware parked them"
    for number in range(4):
        cases = {row["case"] for row in results.own_rows if row["case"].endswith(f"-core{number}")}
        assert {"2m", "4k", "2m-dependent", "quiet"} <= {case.rpartition("-")[0] for case in cases}
        assert f"event=core apic_id={number}" in results.log
    assert all("-core" in row["case"] for row in results.rows)
    # Files were filled with line ends for four, 1.7 MB of them are left; for one it is 1 MB. Where they were cut,
    # it stays.
    medium = machine.volume.image.read_bytes()
    assert sum(medium[at:at + 4096] == b"\n" * 4096 for at in range(0, len(medium), 4096)) > 1350 // 4
    assert {row["case"] for row in results.own_rows if row["metric"] == "skipped"} >= {
        f"interrupts-core{number}" for number in (1, 2, 3)}
    assert not any(row["case"] == "interrupts-core0" and row["metric"] == "skipped"
                   for row in results.own_rows)
    stored = tmp_path / "stored.csv"
    stored.write_bytes(results.files["results.csv"])
    judged = subprocess.run([BUILD / "mlpboot-hosted", "analyze", stored], check=True,
                            capture_output=True).stdout
    assert judged == results.files["verdicts.csv"]


@pytest.mark.parametrize("core, reason", [("9", "no processor has the APIC id 9"),
                                          ("e", "no processor says that it is an efficient core")])
def test_a_core_that_is_not_there_is_refused_in_words(tmp_path, core, reason):
    machine = boot(tmp_path, SHORT + f"core = {core}\n")
    log = machine.volume.results().log
    assert f"event=failed step=core reason={reason}" in log
    assert log[-1] == "event=done status=error"
    assert f"core: {reason}" in machine.console
