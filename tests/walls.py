"""walls: says which includes, and which assembly, are against the house's table; exits 1 if any are.

usage: walls.py [ROOT]
"""

import os
import re
import sys

# The parts each part may include besides itself. The parts are the folders of kernel/ and of
# kernel/experiments/, run.[ch] and platform.h in kernel/ itself, and efi and tests beside it.
BASE = ["data", "lib"]
MACHINE = ["platform", "cpu", *BASE]
ENGINE = ["probe", "pmu", "analysis", *MACHINE]
EXPERIMENTS = ["engine", "config", *ENGINE]
NOISE = "experiments/noise"
SWEEPS = ["experiments", "experiments/sweeps", *EXPERIMENTS]
RUN = ["experiments", NOISE, "report", *EXPERIMENTS]
ALL = ["run", "experiments/sweeps", *RUN]
# Families of experiments, which do not include each other: the other folders beside sweeps.
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../kernel/experiments")
FAMILIES = sorted(entry.name for entry in os.scandir(HERE) if entry.is_dir() and entry.name != "sweeps")
MAY_INCLUDE = {
    "lib": [],
    "data": ["lib"],
    "platform": BASE,
    "analysis": BASE,
    "config": BASE,
    "cpu": MACHINE,
    "pmu": MACHINE,
    "probe": MACHINE,
    "engine": ENGINE,
    # Every verdict is held against the floor.
    "experiments": [NOISE, *EXPERIMENTS],
    "experiments/sweeps": SWEEPS,
    **{f"experiments/{family}": SWEEPS for family in FAMILIES},
    "report": ["analysis", "config", "engine", "pmu", NOISE, *MACHINE],
    "run": RUN,
    "efi": ["run", *RUN],
    "tests": ["efi", *ALL, *(f"experiments/{family}" for family in FAMILIES)],
}

# Who may hold assembly; in lib, only what stands in for the libc's string functions.
ASSEMBLY = ("kernel/cpu/", "kernel/pmu/", "kernel/probe/", "kernel/lib/string.c", "tests/")

# The firmware's header: for efi/, for what a test runs as an application of its own, and for what units put in
# the firmware's place.
FIRMWARE = ("efi/", "tests/machines/watch/", "tests/unit/fake_firmware.h")
FIRMWARE_INCLUDE = re.compile(r"\s*#\s*include\s*<efi")

# Sectors are written by the firmware's file system alone.
SECTOR_WRITE = re.compile(r"\bWrite(Blocks|Disk)(Ex)?\b")

INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)


def part_of(path):
    """The part of the house a path belongs to; None: it has no place in the table."""
    first, *rest = path.split("/")
    if first == "kernel":
        first = "/".join(rest[:-1]) or os.path.splitext(rest[0])[0]
        known = first in MAY_INCLUDE and first not in ("efi", "tests")
    else:
        known = first in ("efi", "tests")
    return first if known else None


def sources(root):
    for top in ("kernel", "efi", "tests"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith((".c", ".h", ".S")):
                    yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def include_complaint(path, included):
    """What is against the table where `path` includes `included`; None: nothing is."""
    target = os.path.normpath(os.path.join(os.path.dirname(path), included))
    here, there = part_of(path), part_of(target)
    if here is None:
        return f"{path} has no place in the table"
    if there is None:
        return f"{target} has no place in the table"
    if there != here and there not in MAY_INCLUDE[here]:
        return f"{here} may not include {there} ({target})"
    return None


def without_comments(text):
    """The same lines, without comments and what strings say."""
    return COMMENT_OR_STRING.sub(lambda found: "\n" * found.group().count("\n"), text)


def complaints(root):
    """(file, line, what is wrong) for everything against the table."""
    for path in sorted(sources(root)):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        for number, line in enumerate(text.split("\n"), 1):
            found = INCLUDE.match(line)
            complaint = found and include_complaint(path, found.group(1))
            if complaint:
                yield path, number, complaint
            if FIRMWARE_INCLUDE.match(line) and not path.startswith(FIRMWARE):
                yield path, number, "the firmware's header is not for this folder"
        for number, line in enumerate(without_comments(text).split("\n"), 1):
            if path.startswith("efi/") and SECTOR_WRITE.search(line):
                yield path, number, "no sector is written but by the firmware"
        if path.startswith(ASSEMBLY):
            continue
        if path.endswith(".S"):
            yield path, 1, "assembly is not for this folder"
        for number, line in enumerate(without_comments(text).split("\n"), 1):
            if re.search(r"\b(__asm__|asm)\b", line):
                yield path, number, "assembly is not for this folder"


def main(root):
    found = list(complaints(root))
    for path, number, complaint in found:
        print(f"{path}:{number}: {complaint}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
