"""Boots on many kinds of machine; a short sweep must be done, whole and saved on each."""

import datetime
import itertools
import re

import pytest

from machine import SHORT, boot

SWEPT = sorted(itertools.product((1, 2, 3), (0, 32, 64)))  # what SHORT asks for


def samples_of(row):
    """How many SHORT asks for; what is measured again in epochs has its own number."""
    return (12, 25) if row["metric"] == "epoch" else (5, 10)


def check_no_answer(results):
    """Nothing that an emulator does is a processor's, but what the clock says of itself."""
    for verdict in results.verdicts:
        if verdict["case"] == "timer":
            assert verdict["status"] == "ok", verdict
        else:
            assert (verdict["status"], verdict["value"], verdict["low"], verdict["high"]) == ("skip", "", "", ""), verdict
            assert verdict["reason"] in ("emulated", "unavailable") and verdict["method"]


def check_sweep(results):
    """Every point of SHORT is there exactly once, for each page size and metric."""
    assert results.pages() == {"2m", "4k"}
    for page in ("2m", "4k"):
        assert sorted(results.points()[page]) == SWEPT
    keys = [tuple(row[name] for name in ("experiment", "case", "n", "k", "bytes", "stage", "attempt", "metric"))
            for row in results.rows]
    assert len(keys) == len(set(keys))
    for row in results.rows:
        if row["experiment"] != "floor":  # which every run has, whatever was asked for
            least, most = samples_of(row)
            assert least <= int(row["samples"]) <= most, row
        values = [float(row[name]) for name in ("min", "p10", "median", "p90", "max")]
        assert values == sorted(values)


def check_measured(machine, processors=1, has_console=True):
    assert ("mlpboot" in machine.console) == has_console
    results = machine.check_done()
    check_no_answer(results)
    check_sweep(results)
    certificate = results.run["certificate"]
    assert certificate["other_processors"].startswith(f"{processors - 1} of {processors} "), certificate
    assert certificate["tsc_second_clock"] == "ACPI PM timer"
    return results


# Each way to vary the machine is in one of these, or in those with a history below.
MACHINES = {
    "sata-vga": {"disk": "sata", "vga": True},
    "nvme-Nehalem-256M": {"disk": "nvme", "cpu": "Nehalem", "memory": 256},
    "scsi-pc-qemu64": {"disk": "scsi", "machine": "pc", "cpu": "qemu64"},
}


@pytest.mark.parametrize("options", MACHINES.values(), ids=MACHINES.keys())
def test_boots_and_measures(tmp_path, options):
    check_measured(boot(tmp_path, **options))


def test_conditions_say_what_was_measured(tmp_path):
    label = "a lone machine, µ-Lab Zürich </script><b>\"€\\\""
    machine = boot(tmp_path, SHORT + f"label = {label}\n")
    # The firmware's console is shown ASCII alone; the line is broken somewhere, by the version's length.
    assert "Z??rich" in machine.console.replace("\\\n", "")
    assert "from the firmware's cache" not in machine.console  # results are read back by the volume's sectors
    run = machine.check_done().run
    assert run["program"] == "mlpboot"
    assert run["platform"] == "efi"
    assert run["schema"] == 1
    assert run["label"] == label
    assert run["hypervisor"]["name"] == "QEMU TCG (emulated)"


def test_no_counter_unit_is_said_once_and_leaves_no_column(tmp_path):
    """The emulator has none: nothing is counted, everything else is complete."""
    machine = boot(tmp_path, SHORT.replace("mlp.loads", "prefetch = both\nturbo = off\nmlp.loads"))
    results = machine.check_done()
    assert re.search(r"\nthis takes about \d+ s on a processor; an emulator is slower\n", machine.console)
    assert any(line.startswith("event=plan experiments=") for line in results.log)
    check = [line for line in machine.console.splitlines() if "counters: none" in line]
    assert len(check) == 1, machine.console
    assert results.run["counting"]["none"]
    assert set(results.run["counters"]["why_not"].values()) == {"RDPMC faults"}
    assert {row["metric"] for row in results.own_rows} == {"tsc", "skipped", "epoch", "tsc_cached",
                                                           "tsc_place"}
    assert {row["case"] for row in results.own_rows if row["metric"] == "skipped"} == {"2m-nopf",
                                                                                   "4k-nopf"}
    assert "event=counters of=none reason=RDPMC faults" in results.log
    assert [line for line in results.log if line.startswith("event=siblings state=")]
    for line in [line for line in results.log if line.startswith("event=measured ")]:
        spent = {name: float(seconds) for name, seconds in re.findall(r"(\w+)=(\d+\.\d)", line)}
        visits = spent["whole"] + spent["shared"] + spent["between"]
        assert spent["without_samples"] <= visits + 0.2 and visits <= spent["seconds"] + 0.2, line
    assert "turbo: not controllable" in machine.console


# What QEMU is given of each type, and the object of `machine` in run.json that it has to be in.
IDENTITY = {
    (0, "bios"): {"vendor": "Firm & Sons", "version": "F.42 \"beta\"", "date": "02/29/2024"},
    (1, "system"): {"manufacturer": "Maker of Systems", "product": "Rack 7", "version": "v1",
                    "serial": "SYS-0815", "uuid": "00112233-4455-6677-8899-aabbccddeeff",
                    "sku": "SKU 9", "family": "Racks"},
    (2, "board"): {"manufacturer": "Maker of Boards", "product": "Board 3", "version": "r2",
                   "serial": "BRD-4711", "asset": "TAG-1"},
    (4, "processors.socket_0"): {"manufacturer": "Maker of Cores", "version": "Core 1",
                                 "serial": "CPU-99", "asset": "TAG-2", "part": "C1",
                                 "max-speed": "4242", "current-speed": "2121"},
    (17, "memory.module_0"): {"bank": "bank A", "manufacturer": "Maker of Memory",
                              "serial": "MEM-23", "asset": "TAG-3", "part": "M1", "speed": "4800"},
}
RENAMED = {"asset": "asset_tag", "max-speed": "mhz_max", "current-speed": "mhz", "speed": "mts_max"}
PRIVATE = ("serial", "uuid", "asset_tag")


def identified(folder, anonymity, clock, disk, serial=True):
    """The run of a machine with a history; two processors in one socket, 4 GB in one module."""
    folder.mkdir()
    options = [word for (number, _), fields in IDENTITY.items() for word in (
        "-smbios", ",".join([f"type={number}", *(f"{name}={value.replace(',', ',,')}"
                                                 for name, value in fields.items())]))]
    machine = boot(folder, f"{SHORT}identity = {anonymity}\n", smp="2,cores=2", disk=disk, serial=serial,
                   memory=4096, cpu="max,ucode-rev=0xabc123", timeout=400, extra=[*options, "-rtc", f"base={clock}"])
    return check_measured(machine, 2, serial)


@pytest.fixture(scope="module")
def full_and_anonymous(tmp_path_factory):
    folder = tmp_path_factory.mktemp("identity")
    return [identified(folder / "full", "full", "2028-02-29T23:59:40", "usb"),
            identified(folder / "anonymous", "anonymous", "2001-09-09T01:46:40", "virtio", serial=False)]


def check_part(machine, path, given, anonymous):
    for name in path.split("."):
        machine = machine[name]
    for name, value in given.items():
        name = RENAMED.get(name, name)
        if anonymous and name in PRIVATE:
            assert name not in machine
        else:
            assert str(machine[name]) == value, name


def test_the_machine_is_named_as_its_firmware_names_it(full_and_anonymous):
    for results, anonymous in zip(full_and_anonymous, (False, True)):
        machine = results.run["machine"]
        assert machine["source"].startswith("SMBIOS ") and machine["reason"] == ""
        for (_, path), given in IDENTITY.items():
            check_part(machine, path, given, anonymous)
        assert machine["processors"]["filled"] == 1
        assert machine["processors"]["socket_0"]["cores"] == 2
        assert (machine["memory"]["slots"], machine["memory"]["filled"]) == (1, 1)
        assert machine["memory"]["module_0"]["bytes"] == 4 << 30
        assert machine["memory"]["module_0"]["type"] == "RAM"
        assert machine["cores"]["measured"] == 1
        core = machine["cores"]["core_0"]
        assert (core["apic_id"], core["type"], core["microcode"]) == (0, "one type", "0xabc123")
        processor = results.run["processor"]
        assert int(core["signature"], 16) & 15 == processor["stepping"]


def test_the_time_is_the_clocks(full_and_anonymous):
    """QEMU's clock names no zone."""
    machine = full_and_anonymous[0].run["machine"]
    start, end = (datetime.datetime.fromisoformat(machine[name].replace("Z", "+00:00"))
                  for name in ("utc_start", "utc_end"))
    assert datetime.timedelta(0) <= start - datetime.datetime(
        2028, 2, 29, 23, 59, 40, tzinfo=datetime.timezone.utc) < datetime.timedelta(minutes=7)
    assert start <= end < start + datetime.timedelta(minutes=7)
    assert machine["clock"] == "EFI GetTime, which names no time zone: taken as UTC"
    assert machine["no_utc"] == ""


def test_a_clock_that_was_never_set_is_said(full_and_anonymous):
    machine = full_and_anonymous[1].run["machine"]
    assert machine["utc_start"] == machine["utc_end"] == ""
    assert machine["no_utc"].startswith(tuple(
        f"the clock is not set: it shows 2001-09-09 01:{tens}" for tens in (4, 5)))


def test_anonymous_names_nobody_and_is_the_same_machine(full_and_anonymous):
    full, anonymous = full_and_anonymous
    number = full.run["machine"]["id"]
    assert re.fullmatch("[0-9a-f]{16}", number)
    assert anonymous.run["machine"]["id"] == number
    assert f"event=machine id={number} utc={full.run['machine']['utc_start']}" in full.log
    assert f"event=machine id={number} utc=" in anonymous.log
    boots = [results.run["machine"]["boot"] for results in full_and_anonymous]
    assert all(re.fullmatch("[0-9a-f]{16}", boot) for boot in boots) and boots[0] != boots[1]
    secrets = [value for given in IDENTITY.values() for name, value in given.items()
               if RENAMED.get(name, name) in PRIVATE]
    assert len(secrets) == 8
    for secret in secrets:
        assert any(secret.encode() in data for data in full.files.values())
        assert not any(secret.encode() in data for data in anonymous.files.values())
