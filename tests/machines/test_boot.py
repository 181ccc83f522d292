"""Boots on many kinds of machine; a short sweep must be done, whole and saved on each."""

import itertools

import pytest

from machine import SHORT, boot

SWEPT = sorted(itertools.product((1, 2, 3), (0, 32, 64)))  # what SHORT asks for


def samples_of(row):
    """How many SHORT asks for; what is measured again in epochs, and what the fastest samples are read
    from, has its own number."""
    if row["metric"] == "epoch":
        return 100, 200
    if row["metric"] == "tsc" and row["k"] == "0" and not row["case"].endswith("-dependent"):
        return 500, 4000
    return 5, 10


def check_no_answer(results):
    """Nothing that an emulator does is a processor's, but what the clock says of itself."""
    for verdict in results.verdicts:
        if verdict["case"] == "timer":
            assert verdict["status"] == "ok", verdict
        else:
            assert verdict["status"] in ("doubt", "skip"), verdict
            assert verdict["method"]


def check_sweep(results):
    """Every point of SHORT is there exactly once, for each page size and metric."""
    assert results.pages() == {"2m", "4k"}
    for page in ("2m", "4k"):
        assert sorted(results.points()[page]) == SWEPT
    keys = [tuple(row[name] for name in ("experiment", "case", "n", "k", "bytes", "stage", "metric"))
            for row in results.rows]
    assert len(keys) == len(set(keys))
    for row in results.rows:
        if row["experiment"] != "floor":  # which every run has, whatever was asked for
            least, most = samples_of(row)
            assert least <= int(row["samples"]) <= most, row
        values = [float(row[name]) for name in ("min", "p10", "median", "p90", "max")]
        assert values == sorted(values)


# Each way to vary the machine is in one of these.
MACHINES = {
    "usual": {"power_on": True},
    "nvme-Nehalem-256M": {"disk": "nvme", "cpu": "Nehalem", "memory": 256},
    "virtio-Haswell-vga": {"disk": "virtio", "cpu": "Haswell", "vga": True},
    "scsi-Skylake-6G": {"disk": "scsi", "cpu": "Skylake-Server", "memory": 6144},
    "usb-EPYC-four-processors": {"disk": "usb", "cpu": "EPYC", "smp": 4},
    "pc-qemu64": {"machine": "pc", "cpu": "qemu64"},
}


@pytest.mark.parametrize("options", MACHINES.values(), ids=MACHINES.keys())
def test_boots_and_measures(tmp_path, options):
    results = boot(tmp_path, **options).check_done()
    check_no_answer(results)
    check_sweep(results)
    count = options.get("smp", 1)
    certificate = results.run["certificate"]
    assert certificate["other_processors"].startswith(f"{count - 1} of {count} "), certificate
    assert certificate["tsc_second_clock"] == "ACPI PM timer"


def test_without_any_console_the_results_are_on_the_volume(tmp_path):
    machine = boot(tmp_path, serial=False)
    assert machine.console == ""
    check_sweep(machine.check_done())


def test_conditions_say_what_was_measured(tmp_path):
    run = boot(tmp_path, SHORT + "label = a lone machine\n").check_done().run
    assert run["program"] == "mlpboot"
    assert run["platform"] == "efi"
    assert run["label"] == "a lone machine"
    assert run["hypervisor"]["name"] == "QEMU TCG (emulated)"
    assert run["hypervisor"]["hides"]["counters"]


def test_no_counter_unit_is_said_once_and_leaves_no_column(tmp_path):
    """The emulator has none: nothing is counted, everything else is complete."""
    machine = boot(tmp_path, SHORT.replace("mlp.loads", "prefetch = both\nturbo = off\nmlp.loads"))
    results = machine.check_done()
    check = [line for line in machine.console.splitlines() if "counters: none" in line]
    assert len(check) == 1, machine.console
    assert results.run["counting"]["none"]
    assert set(results.run["counters"]["why_not"].values()) == {"RDPMC faults"}
    assert {row["metric"] for row in results.own_rows} == {"tsc", "skipped", "epoch", "tsc_cached",
                                                           "tsc_place"}
    assert {row["case"] for row in results.own_rows if row["metric"] == "skipped"} == {"2m-nopf",
                                                                                   "4k-nopf"}
    assert "event=counters of=none reason=RDPMC faults" in results.log
    assert "turbo: not controllable" in machine.console
