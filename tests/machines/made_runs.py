"""made_runs: folders of runs of many machines, made by the model; the machines are made up."""

import json
import subprocess
from pathlib import Path

from machine import BUILD

HOSTED = BUILD / "mlpboot-hosted"
TINY = ["experiments=mlp", "pages=4k", "mlp.loads=1-2", "mlp.fillers=0-96/8", "mlp.dependent=1-2", "mlp.bytes=2m",
        "samples.min=5", "samples.max=10"]

MACHINES = 10
RUNS = 5  # of each
MICROCODES = ["0x2b000590", "0x2b000603"]  # before and after an update, behind the third run
ROB_OF_SMALL = 56  # of every fourth machine, with the newer microcode


def model(folder, *settings, parameters="", number=None):
    """A run of the model; with a number as many of them, in folders below that."""
    words = [word for setting in [*TINY, *settings] for word in ("--set", setting)]
    command = ["run"] if number is None else ["repeat", "--runs", str(number)]
    done = subprocess.run([HOSTED, *command, "--platform", f"model:counters=0{parameters}", *words,
                           "--out", folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return Path(folder)


def change(conditions, **members):
    """Sets members of run.json by their paths, with __ between names."""
    for path, value in members.items():
        *above, name = path.split("__")
        at = conditions
        for part in above:
            at = at.setdefault(part, {})
        at[name] = value
    return conditions


def of_machine(conditions, machine, run, microcode):
    """run.json as the image would write it on the machine of that number."""
    parts = {part: {name: "" for name in names.split()} for part, names in (
        ("system", "manufacturer product version serial uuid sku family"),
        ("board", "manufacturer product version serial asset_tag"), ("bios", "vendor version date"))}
    parts["system"].update(manufacturer="Made Up", product=f"Model {machine % 3}")
    parts["bios"].update(vendor="Made Up", version=f"1.{run}", date="01/02/2026")
    core = {"signature": "0xc06f2", "apic_id": 0, "type": "one type", "microcode": microcode}
    return change(
        conditions, label=f"host {machine:02}", processor__brand=f"Made Up {machine % 3}",
        machine__id=f"{machine:016x}", machine__utc_start=f"2026-11-{run + 1:02}T05:34:52Z",
        machine__utc_end=f"2026-11-{run + 1:02}T05:34:53Z",
        machine__cores={"measured": 1, "core_0": core}, machine__id_shared="",
        machine__source="SMBIOS 3.0", machine__reason="", machine__processors={"filled": 0},
        machine__memory={"slots": 0, "filled": 0},
        **{f"machine__{name}": part for name, part in parts.items()})


def rob_of(machine, microcode):
    return ROB_OF_SMALL if machine % 4 == 1 and microcode == MICROCODES[1] else 64


def fifty_folders(folder):
    """
    Ten machines' five runs, lab/NN-1 to lab/NN-5; that folder. The fourth and fifth have newer
    microcode, with which the reorder buffer of machines 1, 5 and 9 is smaller. What was measured is
    beside it, as rob-64 and rob-56.
    """
    measured = {rob: model(folder / f"rob-{rob}", parameters=f",rob={rob}")
                for rob in (64, ROB_OF_SMALL)}
    for machine in range(MACHINES):
        for run in range(RUNS):
            microcode = MICROCODES[run >= 3]
            source = measured[rob_of(machine, microcode)]
            to = folder / "lab" / f"{machine:02}-{run + 1}"
            to.mkdir(parents=True)
            for name in ("results.csv", "verdicts.csv"):
                (to / name).write_bytes((source / name).read_bytes())
            conditions = of_machine(json.loads((source / "run.json").read_text()), machine, run,
                                    microcode)
            (to / "run.json").write_text(json.dumps(conditions, indent=2) + "\n" + " " * 100)
    return folder / "lab"
