"""
measured_fleet: measures forty modelled machines of one kind, seven of which have a fault, for the tests of `fleet`.

usage: measured_fleet.py [OUT.tar.xz]

Each machine is measured by itself, with random numbers of its own, and with sizes of memory's latency and bandwidth that
scatter as those of machines do. Its conditions are written into run.json as an image's are, and its time-stamp counter
gets a rate. Without OUT tests/data/machines/fleet.tar.xz is made anew; it takes some ten minutes of a processor.
"""

import json
import random
import shlex
import subprocess
import sys
import tarfile
import tempfile
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "tests" / "data" / "machines" / "fleet.tar.xz"
MACHINES = 40
KEPT = ["run.json", "verdicts.csv"]

CORE = {"counters": 0, "known": 1, "cores": 7, "width": 4, "rob": 224, "fill_buffers": 16, "noise": 0.02,
        "l1_bytes": 48 << 10, "l2_bytes": 1 << 20, "l2_latency": 14, "l3_bytes": 16 << 20, "l3_latency": 50,
        "dtlb": 64, "stlb": 1536, "stlb_ways": 12, "stlb_cost": 8, "walk": 40}
SETTINGS = ["suite=fleet", "experiments=noise array mlp tlb loaded", "pages=2m", "array.loads=1", "array.bytes=1k-128m*2",
            "tlb.loads=1-8"]
HERTZ = 2_000_000_000

# The figure that shows a fault, the keys of the model that it changes, and the condition that comes with it; None: no
# figure or condition. A sibling that is awake much of the time leaves no figures that are ok.
Fault = namedtuple("Fault", "figure keys condition")

FAULTS = [
    Fault("loaded peak", {"bandwidth": 6}, "DIMMs"),
    Fault("memory latency", {"memory": 390}, "DIMM speed"),
    Fault("L3 size", {"l3_bytes": 8 << 20}, "BIOS"),
    Fault("second TLB", {"stlb": 512, "stlb_ways": 4}, "microcode"),
    Fault(None, {"sibling": 0.4, "sibling_ms": 30}, "siblings"),
    Fault("page walk", {"walk": 56}, None),
    Fault(None, {}, "prefetchers"),
]
SLOTS = [f"CPU{cpu}_DIMM_{letter}1" for cpu in (1, 2) for letter in "ABCDEF"]
EMPTY = "CPU2_DIMM_F1"


def bent_machines():
    """Returns by number the machines that have a fault, each another one."""
    return dict(zip(random.Random("faults").sample(range(MACHINES), len(FAULTS)), FAULTS))


def set_conditions(said, rng, bent):
    """Writes what an image tells of a machine; `bent`: the condition that is not as on the others, or None."""
    said["tsc_hz"] = HERTZ
    said["certificate"]["cycles_per_tick"] = 1
    said["machine"]["cores"] = {"measured": 1, "core_0": {
        "signature": "0xa10f11", "apic_id": 0, "type": "one type",
        "microcode": "0x1000066" if bent == "microcode" else "0x1000065"}}
    said["machine"]["bios"] = {"vendor": "Made Up", "version": "1.1" if bent == "BIOS" else "1.0", "date": "01/02/2026"}
    said["machine"]["id"] = f"{rng.getrandbits(64):016x}"
    said["numa"] = {"nodes": 2 if bent == "nodes" else 1}
    said["certificate"]["turbo"] = "off" if bent == "turbo" else "as the firmware left it"
    said["certificate"]["siblings"] = "1 other, awake" if bent == "siblings" else "1 other, asleep"
    said["certificate"]["prefetch"] = f"as found: {2 if bent == 'prefetchers' else 4} of 4 on"
    filled = [slot for slot in SLOTS if bent != "DIMMs" or slot != EMPTY]
    said["machine"]["memory"] = {"slots": len(SLOTS), "filled": len(filled), **{
        f"module_{i}": {"slot": slot, "bank": "", "manufacturer": "Made Up", "part": "", "type": "DDR5", "bytes": 2 ** 34,
                        "mts_max": 4800, "mts": 4000 if bent == "DIMM speed" else 4800, "ranks": 2}
        for i, slot in enumerate(filled)}}


def measure(number, folder):
    """Measures a machine into a folder, which then has what is KEPT."""
    rng, fault = random.Random(f"machine {number}"), bent_machines().get(number, Fault(None, {}, None))
    core = {**CORE, "memory": 300, "bandwidth": 12, "seed": number + 1, **fault.keys}
    core.update(memory=round(core["memory"] * rng.gauss(1, 0.003)), bandwidth=round(core["bandwidth"] * rng.gauss(1, 0.003), 3))
    keys = ",".join(f"{key}={value}" for key, value in core.items())
    command = [ROOT / "build/mlpboot-hosted", "run", "--platform", f"model:{keys}", "--out", folder]
    done = subprocess.run([*command, *(word for one in SETTINGS for word in ("--set", one))], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{shlex.join(map(str, command))}\n{done.stderr}")
    said = json.loads((folder / "run.json").read_text())
    set_conditions(said, rng, fault.condition)
    said["label"] = f"slot {number}"
    (folder / "run.json").write_text(json.dumps(said, indent=1))
    print(f"{folder.name}: {fault.keys or 'as most are'}", flush=True)


def main(out=STORED):
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        folders = [Path(folder) / f"{number:02}" for number in range(MACHINES)]
        list(pool.map(measure, range(MACHINES), folders))
        with tarfile.open(out, "w:xz", preset=9) as stored:
            for name in KEPT:  # alike files side by side are smaller
                for one in folders:
                    stored.add(one / name, f"{one.name}/{name}", filter=as_nobodys)


def as_nobodys(member):
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    member.mode = 0o644
    return member


if __name__ == "__main__":
    main(*sys.argv[1:])
