"""made_runs: runs of the Linux process, and folders of runs of many machines, which are made up."""

import json
import subprocess

from machine import BUILD, CLEAN

HOSTED = BUILD / "mlpboot-hosted"
TINY = ["experiments=mlp", "pages=4k", "mlp.loads=1-2", "mlp.fillers=0-96/8", "mlp.dependent=1-2", "mlp.bytes=2m",
        "samples.min=5", "samples.max=10"]


def hosted(*words, timeout=300, **how):
    """Runs build/mlpboot-hosted: (exit status, standard output, standard error)."""
    done = subprocess.run([HOSTED, *map(str, words)], text=True, capture_output=True, env=CLEAN, timeout=timeout, **how)
    return done.returncode, done.stdout, done.stderr


def set_all(*settings):
    return [word for setting in settings for word in ("--set", setting)]


def run(folder, *settings, platform="model"):
    """A run with these settings, which ends well; what it printed."""
    status, said, complaint = hosted("run", "--platform", platform, *set_all(*settings), "--out", folder)
    assert status == 0, said + complaint
    return said


MACHINES = 10
RUNS = 5  # of each
MICROCODES = ["0x2b000590", "0x2b000603"]  # before and after an update, behind the third run
ROB_OF_SMALL = 56  # of every fourth machine, with the newer microcode


def of_machine(conditions, machine, nth, microcode):
    """run.json as the image would write it on the machine of that number."""
    system, board, bios = (dict.fromkeys(names.split(), "") for names in (
        "manufacturer product version serial uuid sku family", "manufacturer product version serial asset_tag",
        "vendor version date"))
    conditions["label"] = f"host {machine:02}"
    conditions["processor"]["brand"] = f"Made Up {machine % 3}".ljust(47)  # as CPUID pads it
    conditions["machine"] |= {
        "id": f"{machine:016x}", "id_shared": "", "source": "SMBIOS 3.0", "reason": "",
        "utc_start": f"2026-11-{nth + 1:02}T05:34:52Z", "utc_end": f"2026-11-{nth + 1:02}T05:34:53Z",
        "cores": {"measured": 1, "core_0": {"signature": "0xc06f2", "apic_id": 0, "type": "one type", "microcode": microcode}},
        "processors": {"filled": 0}, "memory": {"slots": 0, "filled": 0}, "board": board,
        "system": system | {"manufacturer": "Made Up", "product": f"Model {machine % 3}"},
        "bios": bios | {"vendor": "Made Up", "version": f"1.{nth}", "date": "01/02/2026"}}
    return conditions


def rob_of(machine, microcode):
    return ROB_OF_SMALL if machine % 4 == 1 and microcode == MICROCODES[1] else 64


def fifty_folders(folder):
    """
    Ten machines' five runs, lab/NN-1 to lab/NN-5; that folder. The fourth and fifth have newer
    microcode, with which the reorder buffer of machines 1, 5 and 9 is smaller. What was measured is
    beside it, as rob-64 and rob-56.
    """
    measured = {rob: folder / f"rob-{rob}" for rob in (64, ROB_OF_SMALL)}
    for rob, made in measured.items():
        run(made, *TINY, platform=f"model:counters=0,rob={rob}")
    for machine in range(MACHINES):
        for nth in range(RUNS):
            microcode = MICROCODES[nth >= 3]
            source = measured[rob_of(machine, microcode)]
            to = folder / "lab" / f"{machine:02}-{nth + 1}"
            to.mkdir(parents=True)
            for name in ("results.csv", "verdicts.csv"):
                (to / name).write_bytes((source / name).read_bytes())
            conditions = of_machine(json.loads((source / "run.json").read_text()), machine, nth, microcode)
            (to / "run.json").write_text(json.dumps(conditions, indent=2) + "\n" + " " * 100)
    return folder / "lab"
