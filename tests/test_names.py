"""test_names: a second struct, file or function of one name is found where it is added to a small program."""

import os
import sys
import tempfile

import names

LONG = "{\n" + "    work();\n" * (names.LINES_MAX + 1) + "}\n"
PROGRAM = {
    "efi/disk.c": "struct disk {\n    int blocks;\n};\n\nstatic struct disk *find_disk(int which,\n"
                  f"                              int part)\n{LONG}",
    "kernel/lib/text.h": "/* enum mode { OLD } */\nstruct text {\n    struct {\n        int at;\n    } inner;\n};\n",
    "kernel/lib/text.c": "static struct text made(void)\n{\n    return (struct text){.at = 1};\n}\n",
    "kernel/cpu/entry.S": "entry:\n",
    "tests/unit/test_text.c": "struct disk {\n    int other;\n};\n",
}

# File, what is added at its end, and the complaints: file, line, what is said.
ADDED = [
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
    ("kernel/lib/text.c", f"static int find_disk(void)\n{LONG}",
     [("kernel/lib/text.c", 5, "function find_disk is also in efi/disk.c:5")]),
    ("kernel/lib/text.c", "static int find_disk(void)\n{\n    return 1;\n}\n", []),
    ("kernel/lib/text.c", f"int find_disk(void)\n{LONG}", []),
]


def write(root, path, text):
    target = os.path.join(root, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "a", encoding="utf-8") as file:
        file.write(text)


def check(path, text, expected):
    """Returns what is wrong with what is said of the program with that text, or None."""
    with tempfile.TemporaryDirectory() as root:
        for known, lines in PROGRAM.items():
            write(root, known, lines)
        write(root, path, text)
        said = [*names.complaints(root), *names.functions(root)]
    return None if said == expected else f"{path}: {text}: said {said}, not {expected}"


def main():
    wrong = [found for found in (check(*added) for added in ADDED) if found]
    for found in wrong:
        print(found)
    print(f"names: {len(ADDED) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


sys.exit(main())
