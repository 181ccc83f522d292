"""test_walls: what is added to a copy of the sources against the table is found, with its line."""

import os
import shutil
import sys
import tempfile

import walls

# File, what is added at its end, and what is said of it; None: nothing is.
ADDED = [
    ("kernel/lib/text.c", '#include "../cpu/msr.h"', "lib may not include cpu (kernel/cpu/msr.h)"),
    ("kernel/analysis/line.c", '#include "../platform.h"',
     "analysis may not include platform (kernel/platform.h)"),
    ("kernel/report/csv.c", '#  include "../engine/engine.h"',
     "report may not include engine (kernel/engine/engine.h)"),
    ("kernel/experiments/loads/mlp.c", '#include "../../run.h"',
     "experiments/loads may not include run (kernel/run.h)"),
    ("kernel/experiments/tlb/tlb.c", '#include "../loads/mlp_rule.h"',
     "experiments/tlb may not include experiments/loads (kernel/experiments/loads/mlp_rule.h)"),
    ("kernel/experiments/sweeps/loads.c", '#include "../loads/mlp_rule.h"',
     "experiments/sweeps may not include experiments/loads (kernel/experiments/loads/mlp_rule.h)"),
    ("kernel/cpu/msr.c", '#include "../../efi/acpi.h"', "cpu may not include efi (efi/acpi.h)"),
    ("kernel/probe/pattern_loops.c", '#include "../../tests/unit/kit.h"',
     "probe may not include tests (tests/unit/kit.h)"),
    ("efi/acpi.c", '#include "../tests/unit/kit.h"',
     "efi may not include tests (tests/unit/kit.h)"),
    ("kernel/lib/text.c", '#include "../elsewhere.h"',
     "kernel/elsewhere.h has no place in the table"),
    ("kernel/elsewhere.c", '#include "lib/text.h"',
     "kernel/elsewhere.c has no place in the table"),
    ("kernel/engine/engine.c", '__asm__ volatile("pause");', "assembly is not for this folder"),
    ("kernel/data/row.S", "nop", "assembly is not for this folder"),
    ("kernel/engine/engine.c", "#include <efi.h>",
     "the firmware's header is not for this folder"),
    ("efi/storage/volume.c", "blocks->WriteBlocks(blocks, 0, 0, 512, data);", "no sector is written but by the firmware"),
    ("efi/storage/volume.c", "disk->WriteDiskEx(disk);", "no sector is written but by the firmware"),
    ("efi/storage/volume.c", "/* WriteBlocks is nobody's here */", None),
    ("efi/acpi.c", "#include <efi.h>", None),
    ("kernel/report/csv.c", '/* no asm here */ const char *said = "asm";', None),
    ("kernel/probe/pattern_loops.c", '__asm__ volatile("pause");', None),
    ("kernel/experiments/loads/mlp.c", '#include "../../engine/engine.h"', None),
    ("tests/unit/kit.c", '#include "../../kernel/cpu/msr.h"', None),
    ("efi/acpi.c", '#include "../kernel/run.h"', None),
]


def copy_of_sources(root):
    for path in walls.sources("."):
        target = os.path.join(root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(path, target)


def add(root, path, line):
    """Adds the line to the end of the file, or to a new one; returns its number."""
    target = os.path.join(root, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "a+", encoding="utf-8") as file:
        file.seek(0)
        before = file.read()
        file.write(line + "\n")
    return 1 if path.endswith(".S") else before.count("\n") + 1


def main():
    with tempfile.TemporaryDirectory() as root:
        copy_of_sources(root)
        known = set(walls.complaints(root))
        added = [(path, add(root, path, line), said) for path, line, said in ADDED]
        found = set(walls.complaints(root)) - known
    wrong = found ^ {place for place in added if place[2]}
    for path, number, said in sorted(wrong):
        print(f"{path}:{number}: {'not expected' if (path, number, said) in found else 'not found'}: {said}")
    print(f"walls: {len(ADDED) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


sys.exit(main())
