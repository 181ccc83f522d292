"""test_checkers: names.py, statics.py, walls.py and constants.py find what they are to find, and nothing else; systems.py counts."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import constants
import names
import statics
import systems
import walls


def append(root, path, text):
    """Adds text to the end of a file, or to a new one; returns the number of its first line."""
    target = os.path.join(root, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "a+", encoding="utf-8") as file:
        file.seek(0)
        before = file.read()
        file.write(text)
    return before.count("\n") + 1


# --- names: a second struct or file of one name ------------------------------------------------

PROGRAM = {
    "efi/disk.c": "struct disk {\n    int blocks;\n};\n\nstatic struct disk *find_disk(int which);\n",
    "kernel/lib/text.h": "/* enum mode { OLD } */\nstruct text {\n    struct {\n        int at;\n    } inner;\n};\n",
    "kernel/lib/text.c": "static struct text made(void)\n{\n    return (struct text){.at = 1};\n}\n",
    "kernel/cpu/entry.S": "entry:\n",
    "tests/unit/test_text.c": "struct disk {\n    int other;\n};\n",
}

# File, what is added at its end, and the complaints: file, line, what is said.
NAMES = [
    ("kernel/lib/text.c", "struct disk;\nstruct disk *disk(struct disk *other);\n", []),
    ("kernel/lib/text.c", "enum disk { FIXED };\n",
     [("kernel/lib/text.c", 5, "type disk is also in efi/disk.c:1")]),
    ("kernel/lib/text.c", "typedef union __attribute__((packed)) text {\n    int at;\n} words;\n",
     [("kernel/lib/text.h", 2, "type text is also in kernel/lib/text.c:5")]),
    ("kernel/lib/text.c", "enum mode { NEW };\n", []),
    ("kernel/data/text.h", "", [("kernel/lib/text.c", 1, "file text is also in kernel/data/text.h:1")]),
    ("tests/model/disk.h", "", [("tests/model/disk.h", 1, "file disk is also in efi/disk.c:1")]),
    ("kernel/cpu/entry.h", "", []),
    ("tests/unit/disk.h", "", []),
]


def check_names(root, path, text, wanted):
    for known, lines in [*PROGRAM.items(), (path, text)]:
        append(root, known, lines)
    found = list(names.complaints(root))
    if found != wanted:
        yield f"names: {path}: {text}: found {found}, not {wanted}"


# --- statics: a writable variable --------------------------------------------------------------

SOURCE = "double half(double x)\n{\n    static const double factor = 0.5;\n    return factor * x;\n}\n"
FLAGS = ["-std=gnu11", "-Os", "-ffreestanding", "-fpic", "-w"]

# Rows: text added at the source's end, further flags, and the finding: section, bytes, symbol.
STATICS = [
    ("", [], None),
    ("const int table[] = {1, 2};", [], None),
    ("extern int other; int *const pointers[] = {&other};", [], None),
    ("int added[4];", [], (".bss", 16, "added")),
    ("int added[4];", ["-fdata-sections"], (".bss.added", 16, "added")),
    ("int added[100000];", ["-fdata-sections"], (".bss.added", 400000, "added")),
    ("int added = 1;", ["-fdata-sections"], (".data.added", 4, "added")),
    ("extern int other; int *added = &other;", [], (".data.rel", 8, "added")),
    ("long added;", ["-fcommon"], ("COMMON", 8, "added")),
    ("__thread int added;", [], (".tbss", 4, "added")),
    ("int next(void) { static int added; return ++added; }", [], (".bss", 4, "added.0")),
    ("__asm__(\".data\\n.quad 1\\n.text\");", [], (".data", 8, "")),
]


def check_statics(root, text, flags, wanted):
    objects = [os.path.join(root, name) for name in ("added.o", "plain.o")]
    for name, added in zip(objects, (text, "")):
        subprocess.run(["gcc", *FLAGS, *flags, "-x", "c", "-", "-c", "-o", name], input=f"{SOURCE}{added}\n",
                       text=True, check=True)
    for asked in (objects, objects[:1]):
        found = list(statics.variables(asked))
        if found != ([(objects[0], *wanted)] if wanted else []):
            yield f"statics: {text} {flags}: found {found}, not {wanted}"


# --- walls: an include, assembly or a write of sectors against the table, in a copy of the sources ----

# File, the line that is added at its end, and what is said of it; None: nothing is.
WALLS = [
    ("kernel/lib/text.c", '#include "../cpu/msr.h"', "lib may not include cpu (kernel/cpu/msr.h)"),
    ("kernel/analysis/line.c", '#include "../platform.h"',
     "analysis may not include platform (kernel/platform.h)"),
    ("kernel/report/csv.c", '#  include "../experiments/judge.h"',
     "report may not include experiments (kernel/experiments/judge.h)"),
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


def check_walls(root):
    """All lines are added to one copy."""
    for path in walls.sources("."):
        os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
        shutil.copy(path, os.path.join(root, path))
    known = set(walls.complaints(root))
    added = [(path, append(root, path, line + "\n"), said) for path, line, said in WALLS]
    wanted = {(path, 1 if path.endswith(".S") else number, said) for path, number, said in added if said}
    found = set(walls.complaints(root)) - known
    for path, number, said in sorted(found ^ wanted):
        yield f"walls: {path}:{number}: {'not expected' if (path, number, said) in found else 'not found'}: {said}"


# --- constants: a numeric constant of the judging, and what it is changed to ---------------------

# File, its text, and of each constant its name, half of it, and twice.
CONSTANTS = [
    ("kernel/analysis/line.h", "#define WIDE 0.3 /* a share */\n#define HALF (1 - 0.5)\n",
     [("WIDE", "((0.3) * 0.5)", "((0.3) * 2)"), ("HALF", "(((1 - 0.5)) * 0.5)", "(((1 - 0.5)) * 2)")]),
    ("kernel/engine/edge.c", "#define LOOKS 3\n#define LOOKS_MAX (2 * LOOKS)\n",
     [("LOOKS", "((3) / 2)", "((3) * 2)"), ("LOOKS_MAX", "(((2 * LOOKS)) / 2)", "(((2 * LOOKS)) * 2)")]),
    ("kernel/experiments/tlb/tlb.c", '#define NAME "tlb"\n#define SQUARE(x) ((x) * (x))\n#define ALSO NAME\n', []),
    ("kernel/cpu/msr.c", "#define RETRIES 3\n", []),
]


def check_constants(root, path, text, wanted):
    append(root, path, text)
    found = [(c.name, constants.changed(c.value, 0.5), constants.changed(c.value, 2)) for c in constants.constants(Path(root))]
    if found != wanted:
        yield f"constants: {path}: {text}: found {found}, not {wanted}"


# --- systems: what a row's tests said ------------------------------------------------------------

UNITS = "[  PASSED  ] 12 test(s).\n[  SKIPPED ] 1 test(s), listed below:\n[  PASSED  ] 3 test(s).\n[  FAILED  ] 2 test(s)\n"
SAID = [(UNITS, (15, 2, 1)), (UNITS + "2750 passed, 0 failed, 3 skipped\n", ("2750", "0", "3")), ("", (0, 0, 0))]


def check_systems(root, said, wanted):
    if systems.counts_of(said) != wanted:
        yield f"systems: {said}: counted {systems.counts_of(said)}, not {wanted}"


def main():
    wrong, checks = [], [(check_names, NAMES), (check_statics, STATICS), (check_walls, [()]), (check_constants, CONSTANTS),
                         (check_systems, SAID)]
    for check, rows in checks:
        for row in rows:
            with tempfile.TemporaryDirectory() as root:
                wrong += check(root, *row)
    for found in wrong:
        print(found)
    print(f"checkers: {len(NAMES)} names, {len(STATICS)} statics, {len(WALLS)} walls, {len(CONSTANTS)} constants, "
          f"{len(wrong)} wrong")
    return 1 if wrong else 0


sys.exit(main())
