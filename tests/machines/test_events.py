"""A wrong line in the table of events stops the build; the message says where, and what is accepted."""

import os
import re
import subprocess

import pytest

from machine import ROOT

TABLE = "kernel/pmu/events.csv"
HEADER, *LINES = (ROOT / TABLE).read_text().splitlines()
COLUMNS = HEADER.split(",")


def generate(path):
    """Runs the generator as the build does: (exit code, what it wrote, what it complained about)."""
    done = subprocess.run(["awk", "-f", str(ROOT / "kernel/pmu/events.awk"), str(path)], text=True,
                          capture_output=True, env={**os.environ, "LC_ALL": "C"}, timeout=60)
    return done.returncode, done.stdout, done.stderr


def number_of(uarch, key):
    """Returns the number of a line in the file; the header is 1."""
    for number, line in enumerate(LINES, 2):
        fields = dict(zip(COLUMNS, line.split(",")))
        if (fields["uarch"], fields["key"]) == (uarch, key):
            return number
    raise LookupError((uarch, key))


def write(path, lines):
    path.write_text("\n".join(lines) + "\n")


def refused(path, number, column, value, accepted):
    """The generator must stop at this line, say no more than why, and write nothing."""
    code, written, said = generate(path)
    assert code != 0 and written == ""
    assert said == f'{path}:{number}: {column}: "{value}"; accepted: {accepted}\n'


def with_field(uarch, key, column, value):
    number = number_of(uarch, key)
    fields = LINES[number - 2].split(",")
    fields[COLUMNS.index(column)] = value
    lines = [HEADER, *LINES]
    lines[number - 1] = ",".join(fields)
    return number, lines


def test_the_table_itself():
    code, written, said = generate(ROOT / TABLE)
    assert (code, said) == (0, "")
    assert written.count("\n    {0x") > 150


def test_every_event_is_counted():
    named = re.findall(r'"(\w+)"', (ROOT / "kernel/engine/counted_plan.c").read_text())
    assert {line.split(",")[COLUMNS.index("key")] for line in LINES} == set(named)


FIRST = ("haswell", "instructions")  # a processor is checked at its first line
CYCLES = ("haswell", "core_cycles_gp")
WORD = "small letters, digits and _, a letter first"
MODELS = "models as 4E, 10-1F or 55:0-4, at most FF, steppings at most F; or * for family and models"

# A line and a column, what is accepted there, and values that are not.
WRONG = [
    (CYCLES, "event_select", "0x0 to 0xff (Intel) or 0xfff (AMD)", ["0x100", "0x1000", "196", "0xzz", ""]),
    (("zen3", "core_cycles_gp"), "event_select", "0x0 to 0xff (Intel) or 0xfff (AMD)", ["0x1000"]),
    (CYCLES, "umask", "0x0 to 0xff", ["0x100", "-1", "0x"]),
    (CYCLES, "umask_ext", "empty, or 0x0 to 0xff", ["0x100"]),
    (CYCLES, "cmask", "0 to 255", ["256", "0x1", ""]),
    (CYCLES, "counter_mask", "0x1 to 0xff0000ffff: bits 0-15 general counters, 32-39 fixed ones",
     ["0x0", "0", "0x10000", "0x10000000000", "0x1000000000000000f"]),
    (CYCLES, "counter_mask_htoff", "empty, or 0x1 to 0xffff", ["0x0", "0x100000000"]),
    (CYCLES, "key", WORD, ["Branches", ""]),
    (CYCLES, "source", "where the line comes from", [""]),
    (("architectural", "llc_miss"), "note", "CPUID.0AH:EBX[0] to [14]", ["use only if CPUID.0AH:EBX[15]=0"]),
    (CYCLES, "note", "0xFFF only on AMD, whose processors have the merge event", ["pair it with Merge 0xFFF"]),
    (FIRST, "vendor", "Intel or AMD", ["VIA"]),
    (FIRST, "uarch", WORD, ["Haswell"]),
    (FIRST, "family", "0x0 to 0xfff, or * for family and models", ["6", "*"]),
    (FIRST, "models", "models as 4E, 10-1F or 55:0-4; or * for family and models", [""]),
    (FIRST, "models", MODELS,
     ["*", "1A 1G", "1A-", "1F-1A", "100", "1A-1C-1E", "55:0-10", "55:4-0", "55:4", "55:"]),
    *((line, "models", f"no model that microarchitecture {other} has already", [models]) for line, other, models in [
        (FIRST, "haswell", "1A 1A"),
        (("broadwell", "instructions"), "haswell", "45"),
        (("cascadelake_sp", "instructions"), "skylake_sp", "55:4-F"),  # Skylake's last stepping
        (("cascadelake_sp", "instructions"), "skylake_sp", "55"),
        (("alderlake_n", "instructions"), "alderlake_p", "97"),  # any core, Alder Lake's cores
        (("zen2", "instructions_gp"), "zen1", "2F-4F")]),
]


@pytest.mark.parametrize("line, column, accepted, value", [(*row, value) for *row, values in WRONG for value in values])
def test_wrong_field(tmp_path, line, column, accepted, value):
    number, lines = with_field(*line, column, value)
    write(tmp_path / "events.csv", lines)
    refused(tmp_path / "events.csv", number, column, value, accepted)


def test_second_list_for_all_other_processors(tmp_path):
    last = LINES[number_of("architectural", "llc_miss") - 2]
    write(tmp_path / "events.csv", [HEADER, last, last.replace("architectural", "another")])
    refused(tmp_path / "events.csv", 3, "models", "*", "* in one microarchitecture of a vendor")


@pytest.mark.parametrize("change, fields", [(lambda l: l + ",", 16), (lambda l: l.rsplit(",", 1)[0], 14),
                                            (lambda l: "", 0), (lambda l: "# " + l[:9], 2)])
def test_wrong_number_of_fields(tmp_path, change, fields):
    write(tmp_path / "events.csv", [HEADER, *LINES[:9], change(LINES[9]), *LINES[10:]])
    refused(tmp_path / "events.csv", 11, "fields", fields, 15)


@pytest.mark.parametrize("column, value", [("vendor", "AMD"), ("family", "0x7"), ("models", "1A")])
def test_lines_that_disagree_about_the_processor(tmp_path, column, value):
    number, lines = with_field("haswell", "core_cycles", column, value)
    write(tmp_path / "events.csv", lines)
    refused(tmp_path / "events.csv", number, "vendor,uarch,family,models",
            ",".join(lines[number - 1].split(",")[:4]),
            ",".join(lines[number - 2].split(",")[:4]) + ", as in the lines above")


def test_key_twice(tmp_path):
    write(tmp_path / "events.csv", [HEADER, *LINES[:5], LINES[2], *LINES[5:]])
    refused(tmp_path / "events.csv", 7, "key", LINES[2].split(",")[COLUMNS.index("key")],
            "each key once in a microarchitecture")


def test_lines_of_one_microarchitecture_apart(tmp_path):
    moved = number_of("haswell", "core_cycles_gp")
    lines = [HEADER, *LINES]
    write(tmp_path / "events.csv", [*lines[:moved - 1], *lines[moved:], lines[moved - 1]])
    refused(tmp_path / "events.csv", len(lines), "uarch", "haswell", "all lines of a microarchitecture standing together")


@pytest.mark.parametrize("addition", ['"', "\\", "\r", "\t"])
def test_characters_that_other_readers_misread(tmp_path, addition):
    line = LINES[4] + addition
    (tmp_path / "events.csv").write_bytes("\n".join([HEADER, *LINES[:4], line, ""]).encode())
    code, written, said = generate(tmp_path / "events.csv")
    assert code != 0 and written == ""
    assert said.startswith(f"{tmp_path}/events.csv:6: line: ")


@pytest.mark.parametrize("lines, number, column", [
    ([], 0, "lines"), ([HEADER], 1, "lines"), (LINES[:3], 1, "header"),
    ([HEADER.replace("umask", "mask"), *LINES], 1, "header")])
def test_no_header_or_no_lines(tmp_path, lines, number, column):
    (tmp_path / "events.csv").write_text("".join(line + "\n" for line in lines))
    code, written, said = generate(tmp_path / "events.csv")
    assert code != 0 and written == ""
    assert said.startswith(f"{tmp_path}/events.csv:{number}: {column}: ")


def test_a_wrong_line_leaves_no_file(tmp_path):
    """After a wrong line make has no file, so a later build cannot use half a table."""
    for name in ("Makefile", "tests/tests.mk", "images/release.mk", "kernel/pmu/events.awk"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    number, lines = with_field("zen5", "core_cycles_gp", "umask", "0x1ff")
    write(tmp_path / TABLE, lines)
    make = ["make", "--no-print-directory", "build/events.c"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(make, cwd=tmp_path, text=True, capture_output=True, env=environment,
                          timeout=60)
    assert done.returncode != 0 and f"{TABLE}:{number}: umask: \"0x1ff\"" in done.stderr
    assert not (tmp_path / "build/events.c").exists()


def test_a_processor_is_nothing_but_lines(tmp_path):
    new = [line.replace(",skylake,0x6,4E 5E 8E 9E A5 A6,", ",newlake_p,0x12,01 03:2-4,")
           for line in LINES if ",skylake,0x6," in line]
    assert len(new) > 20
    write(tmp_path / "events.csv", [HEADER, *LINES, *new])
    code, written, said = generate(tmp_path / "events.csv")
    assert (code, said) == (0, "")
    assert f'{{"newlake_p", events, events_skylake, {len(new)}}},' in written
    assert "{VENDOR_INTEL, CORE_PERFORMANCE, 0x12, 0x12, 0x3, 0x3, 0x2, 0x4, " in written
