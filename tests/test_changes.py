"""test_changes: every change that a line of C can have is found, and no other; and the tests that boot a mutant are there."""

import subprocess
import sys

from changes import apply, changed_line, changes_of
from mutants import MACHINE_TESTS, ROOT, Source, commands_of, drawn, object_of

# What a function holds, and what it may become.
LINES = [
    ("x = a < b;", {"x = a <= b;", "x = a >= b;", "while (false) x = a < b;"}),
    ("return a && !b;", {"return a || !b;", "return a && !!b;", "return 0;", "return !(a && !b);",
                         "while (false) return a && !b;"}),
    ("if (p == NULL)\n        break;", {
        "if (p != NULL)\n        break;", "if (!(p == NULL))\n        break;",
        "if ((p == NULL) && false)\n        break;", "if ((p == NULL) || true)\n        break;",
        "if (p == NULL)\n        (void)0;"}),
    ("f(a, b);", {"f(b, a);", "while (false) f(a, b);"}),
    ("larger(a, b);", {"while (false) larger(a, b);"}),
    ("x = memcmp(a, b, c) == 0;", {
        "x = memcmp(a, c, b) == 0;", "x = memcmp(a, b, c) != 0;", "x = memcmp(a, b, c) == 1;",
        "while (false) x = memcmp(a, b, c) == 0;"}),
    ("x = strcmp(a, b);", {"x = strcmp(b, a);", "while (false) x = strcmp(a, b);"}),
    ("int n = 3;", {"int n = 4;", "int n = 2;"}),
    ("long m = 0x10u;", {"long m = 0x11u;", "long m = 0xfu;"}),
    ("double d = 1.5;", {"double d = (1.5 * 2);", "double d = (1.5 / 2);"}),
    ("char *p = &q[-i];", {"char *p = &q[+i];"}),
    ("s->x |= a ? b : c;", {"s->x &= a ? b : c;", "s->x |= !(a) ? b : c;",
                            "while (false) s->x |= a ? b : c;"}),
    ("return \"a < 1\"; /* 2 */", {"return 0; /* 2 */", "return !(\"a < 1\"); /* 2 */",
                                   "while (false) return \"a < 1\"; /* 2 */"}),
    ("for (i = 0; i < n; i++)\n        ;", {
        "for (i = 1; i < n; i++)\n        ;", "for (i = 0; i <= n; i++)\n        ;",
        "for (i = 0; i >= n; i++)\n        ;", "for (i = 0; i < n; i--)\n        ;"}),
]

# The same outside of functions.
OUTSIDE = [
    ("#include \"a1.h\"", set()),
    ("#define MANY 2", {"#define MANY 3", "#define MANY 1"}),
    ("_Static_assert(sizeof(int) == 4, \"as everywhere\");", set()),
    ("static void g(int a, int b) __attribute__((format(printf, 1, 2)));", set()),
    ("static const int t[] = {7};", {"static const int t[] = {8};", "static const int t[] = {6};"}),
]


def wrong(before, line, behind, wanted):
    """What is wrong with the changes found in that line, in words; None: nothing."""
    text = before + line + behind
    found = [apply(text, change) for change in changes_of(text)]
    lines = {one[len(before):len(one) - len(behind)] for one in found}
    if lines == wanted and all(one.startswith(before) and one.endswith(behind) for one in found):
        return None
    return f"{line!r}: not found {sorted(wanted - lines)}, found {sorted(lines - wanted)}"


def is_there(test):
    file, _, name = test.partition("::")
    return f"\ndef {name}(" in (ROOT / "tests/machines" / file).read_text()


FUNCTIONS = "int f(int a) {\n    return a + 1;\n}\n\nint g(int a) {\n    return a * 2;\n}\n"


def order_of(text, seed):
    sources = {"a.c": Source("a.c", text, "")}
    return [changed_line(text, mutant.change) for mutant in drawn(sources, ["a.c"], seed, False)]


def wrong_order():
    """What is wrong with the order in which a seed draws mutants."""
    before, after = order_of(FUNCTIONS, 1), order_of("int h = 3 < 4;\n" + FUNCTIONS, 1)
    if len(before) < 3 or [change for change in after if "int h" not in change[0]] != before:
        return f"another line changes the order:\n{before}\n{after}"
    if all(order_of(FUNCTIONS, seed)[0] == before[0] for seed in range(2, 20)):
        return "every seed draws the same mutant first"
    return None if sorted(order_of(FUNCTIONS, 2)) == sorted(before) else "seeds draw from different mutants"


def wrong_command():
    """What is wrong with the calls by which a mutant is compiled: make's line may print and make folders before."""
    path = "kernel/lib/text.c"
    objects = [object_of(path, kind) for kind in ("unit-objects", "efi")]
    commands = commands_of(subprocess.check_output(["make", "-n", "-W", path, *objects], cwd=ROOT, text=True))
    calls = [words for words in commands if words[-4:-1] == ["-c", path, "-o"] and not {"&&", "echo"} & set(words)]
    return None if [words[-1] for words in calls] == objects else f"no calls of a compiler alone: {commands}"


def main():
    complaints = [wrong("static void f(void)\n{\n    ", line, "\n}\n", wanted) for line, wanted in LINES]
    complaints += [wrong("", line, "\n", wanted) for line, wanted in OUTSIDE]
    complaints += [f"there is no test {test}" for test in MACHINE_TESTS if not is_there(test)]
    complaints += [wrong_order(), wrong_command()]
    complaints = [complaint for complaint in complaints if complaint]
    print("\n".join(complaints) if complaints else f"changes: {len(LINES) + len(OUTSIDE)} lines are right")
    return 1 if complaints else 0


sys.exit(main())
