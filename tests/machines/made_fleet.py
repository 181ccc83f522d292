"""made_fleet: runs of many machines of one kind, made from one run; seven of them are bent."""

import csv
import gzip
import json
import random

from machine import ROOT

TYPICAL = ROOT / "tests" / "data" / "machines" / "fleet"
SLOTS = [f"CPU{cpu}_DIMM_{letter}1" for cpu in (1, 2) for letter in "ABCDEF"]
EMPTY = "CPU2_DIMM_F1"
SCATTER = 0.005  # of a figure, from one machine to the next

# Ways to bend a machine: a verdict, the factor that it is multiplied by, and the condition of run.json that changes.
BENT = {
    "memory latency": ("memory_latency", 1.3, "DIMMs"),
    "L3 size": ("l3_bytes", 0.5, "BIOS"),
    "L2 latency": ("l2_latency_cycles", 1.2, "microcode"),
    "ROB": ("rob_entries", 0.5, "siblings"),
    "fill buffers": ("fill_buffers", 0.75, "turbo"),
    "second TLB": ("stlb_entries", 0.25, "nodes"),
    "page walk": ("walk_cost", 1.4, None),
}
COUNTED = {"bytes", "entries", "loads", "buffers"}  # whole numbers, the same on each machine


def read_typical():
    with gzip.open(TYPICAL / "run.json.gz", "rt") as file:
        said = json.load(file)
    with gzip.open(TYPICAL / "verdicts.csv.gz", "rt", newline="") as file:
        return said, list(csv.DictReader(file))


def set_conditions(said, rng, bent):
    said["tsc_hz"] = 2_000_000_000
    said["machine"]["cores"] = {"measured": 1, "core_0": {
        "signature": "0xa10f11", "apic_id": 0, "type": "one type",
        "microcode": "0x1000066" if bent == "microcode" else "0x1000065"}}
    said["machine"]["bios"] = {"vendor": "Made Up", "version": "1.1" if bent == "BIOS" else "1.0", "date": "01/02/2026"}
    said["machine"]["id"] = f"{rng.getrandbits(64):016x}"
    said["numa"] = {"nodes": 2 if bent == "nodes" else 1}
    said["certificate"]["turbo"] = "off" if bent == "turbo" else "as the firmware left it"
    said["certificate"]["siblings"] = "1 other, awake" if bent == "siblings" else "1 other, asleep"
    filled = [slot for slot in SLOTS if bent != "DIMMs" or slot != EMPTY]
    said["machine"]["memory"] = {"slots": len(SLOTS), "filled": len(filled), **{
        f"module_{i}": {"slot": slot, "bank": "", "manufacturer": "Made Up", "part": "", "type": "DDR5", "bytes": 2 ** 34,
                        "mts_max": 4800, "mts": 4800, "ranks": 2} for i, slot in enumerate(filled)}}


def make_fleet(folder, machines, seed, bent=()):
    """
    Runs of so many machines in `folder`; returns by label what each is bent in. The bent ones are spread over the
    fleet; each is another one of BENT, by name.
    """
    rng = random.Random(f"{machines} {seed}")
    said, verdicts = read_typical()
    places = dict(zip(rng.sample(range(machines), len(bent)), bent))
    for number in range(machines):
        name, factor, condition = BENT.get(places.get(number), (None, 1, None))
        set_conditions(said, rng, condition)
        said["label"] = f"slot {number}"
        to = folder / f"{number:03}"
        to.mkdir(parents=True)
        (to / "run.json").write_text(json.dumps(said))
        with open(to / "verdicts.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, verdicts[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(scaled(row, rng, factor if row["name"] == name else 1) for row in verdicts)
    return {f"slot {number}": name for number, name in places.items()}


def scaled(row, rng, factor):
    if row["unit"] in COUNTED:
        scale = factor
    else:
        scale = factor * (1 + SCATTER * max(min(rng.gauss(0, 1), 4), -4))
    return row | {part: f"{float(row[part]) * scale:.3f}" for part in ("value", "low", "high") if row[part]}
