"""test_statics: a writable variable that is added to a source is found, with section, bytes and name."""

import os
import subprocess
import sys
import tempfile

import statics

SOURCE = "double half(double x)\n{\n    static const double factor = 0.5;\n    return factor * x;\n}\n"
FLAGS = ["-std=gnu11", "-Os", "-ffreestanding", "-fpic", "-w"]

# What is added at the source's end, further flags, and what is found: section, bytes, symbol.
ADDED = [
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


def check(folder, text, flags, wanted):
    """Compiles the source with that text; returns what is wrong with what was found, or None."""
    objects = [os.path.join(folder, name) for name in ("added.o", "plain.o")]
    for name, added in zip(objects, (text, "")):
        subprocess.run(["gcc", *FLAGS, *flags, "-x", "c", "-", "-c", "-o", name], input=f"{SOURCE}{added}\n",
                       text=True, check=True)
    for asked in (objects, objects[:1]):
        found = list(statics.variables(asked))
        expected = [(objects[0], *wanted)] if wanted else []
        if found != expected:
            return f"{text} {flags}: found {found}, not {expected}"
    return None


def main():
    with tempfile.TemporaryDirectory() as folder:
        wrong = [found for found in (check(folder, *added) for added in ADDED) if found]
    for found in wrong:
        print(found)
    print(f"statics: {len(ADDED) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


sys.exit(main())
