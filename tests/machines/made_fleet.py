"""made_fleet: fleets of any size, made from one measured machine without a fault; some machines are bent."""

import csv
import io
import json
import random
import tarfile

from measured_fleet import STORED, set_conditions

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
    with tarfile.open(STORED) as stored:
        said, verdicts = (stored.extractfile(f"01/{name}").read().decode() for name in ("run.json", "verdicts.csv"))
    return json.loads(said), list(csv.DictReader(io.StringIO(verdicts)))


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
