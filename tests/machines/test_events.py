"""The table of events: a wrong line stops the build, and the message says where and what is accepted."""

import os
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
    """The number that a line has in the file; the header is 1."""
    for number, line in enumerate(LINES, 2):
        fields = dict(zip(COLUMNS, line.split(",")))
        if (fields["uarch"], fields["key"]) == (uarch, key):
            return number
    raise LookupError((uarch, key))


def write(path, lines):
    path.write_text("\n".join(lines) + "\n")


def refused(path, number, column, value):
    """The generator must stop at this line, name the column and the value, and write nothing."""
    code, written, said = generate(path)
    assert code != 0 and written == ""
    assert said.startswith(f'{path}:{number}: {column}: "{value}"; accepted: '), said
    assert len(said.splitlines()) == 1 and len(said.split("accepted: ")[1]) > 1


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
    assert written.count("\n    {0x") > 500


FIRST = ("nehalem", "instructions")  # processors are judged at the first line of each
OFFCORE = ("haswell", "ocr_demand_data_rd_l3_miss")


@pytest.mark.parametrize("line, column, value", [
    (("haswell", "branches"), "event_select", "0x100"),
    (("haswell", "branches"), "event_select", "0x1000"),
    (("haswell", "branches"), "event_select", "196"),
    (("haswell", "branches"), "event_select", "0xzz"),
    (("haswell", "branches"), "event_select", ""),
    (("zen3", "branches"), "event_select", "0x1000"),
    (("haswell", "branches"), "umask", "0x100"),
    (("haswell", "branches"), "umask", "-1"),
    (("haswell", "branches"), "umask", "0x"),
    (("haswell", "branches"), "umask_ext", "0x100"),
    (("haswell", "branches"), "cmask", "256"),
    (("haswell", "branches"), "cmask", "0x1"),
    (("haswell", "branches"), "cmask", ""),
    (("haswell", "branches"), "inv", "2"),
    (("haswell", "branches"), "edge", "yes"),
    (("haswell", "branches"), "edge", ""),
    (("haswell", "branches"), "any_thread", "1"),
    (("haswell", "branches"), "precise_only", ""),
    (("haswell", "branches"), "counter_mask", "0x0"),
    (("haswell", "branches"), "counter_mask", "0"),
    (("haswell", "branches"), "counter_mask", "0x10000"),
    (("haswell", "branches"), "counter_mask", "0x10000000000"),
    (("haswell", "branches"), "counter_mask", "0x1000000000000000f"),
    (("haswell", "branches"), "counter_mask_htoff", "0x0"),
    (("haswell", "branches"), "counter_mask_htoff", "0x100000000"),
    (("haswell", "branches"), "key", "Branches"),
    (("haswell", "branches"), "key", ""),
    (("haswell", "branches"), "source", ""),
    (OFFCORE, "offcore_rsp", "0x0"),
    (OFFCORE, "offcore_rsp", "1a6"),
    (OFFCORE, "offcore_rsp", "0x10000000000000000"),
    (OFFCORE, "offcore_rsp", ""),
    (OFFCORE, "event_select", "0xbb"),  # goes with the other register
    (OFFCORE, "note", "no register"),
    (("alderlake_e", "ocr_demand_data_rd_l3_miss"), "umask", "0x02"),
    (("nehalem", "branch_misses_arch"), "note", "do not trust when CPUID.0AH:EBX[15]=1"),
    (("haswell", "branches"), "note", "pair it with Merge 0xFFF"),  # it has no merge event
    (FIRST, "vendor", "VIA"),
    (FIRST, "uarch", "Nehalem"),
    (FIRST, "family", "6"),
    (FIRST, "family", "*"),
    (FIRST, "models", "*"),
    (FIRST, "models", ""),
    (FIRST, "models", "1A 1G"),
    (FIRST, "models", "1A-"),
    (FIRST, "models", "1F-1A"),
    (FIRST, "models", "100"),
    (FIRST, "models", "1A-1C-1E"),
    (FIRST, "models", "55:0-10"),
    (FIRST, "models", "55:4-0"),
    (FIRST, "models", "55:4"),
    (FIRST, "models", "55:"),
    (FIRST, "models", "1A 1A"),
    (("westmere_ex", "instructions"), "models", "1E"),          # Nehalem's
    (("cascadelake_sp", "instructions"), "models", "55:4-F"),   # Skylake's last stepping
    (("cascadelake_sp", "instructions"), "models", "55"),
    (("alderlake_n", "instructions"), "models", "97"),          # any core, Alder Lake's cores
    (("zen2", "instructions_gp"), "models", "2F-4F"),
])
def test_wrong_field(tmp_path, line, column, value):
    number, lines = with_field(*line, column, value)
    write(tmp_path / "events.csv", lines)
    refused(tmp_path / "events.csv", number, column, value)


def test_second_list_for_all_other_processors(tmp_path):
    last = LINES[number_of("architectural", "branches") - 2]
    write(tmp_path / "events.csv", [HEADER, last, last.replace("architectural", "another")])
    refused(tmp_path / "events.csv", 3, "models", "*")


@pytest.mark.parametrize("change, fields", [(lambda l: l + ",", 21), (lambda l: l.rsplit(",", 1)[0], 19),
                                            (lambda l: "", 0), (lambda l: "# " + l[:9], 2)])
def test_wrong_number_of_fields(tmp_path, change, fields):
    write(tmp_path / "events.csv", [HEADER, *LINES[:9], change(LINES[9]), *LINES[10:]])
    refused(tmp_path / "events.csv", 11, "fields", fields)


@pytest.mark.parametrize("column, value", [("vendor", "AMD"), ("family", "0x7"), ("models", "1A")])
def test_lines_that_disagree_about_the_processor(tmp_path, column, value):
    number, lines = with_field("nehalem", "branches", column, value)
    write(tmp_path / "events.csv", lines)
    refused(tmp_path / "events.csv", number, "vendor,uarch,family,models",
            ",".join(lines[number - 1].split(",")[:4]))


def test_merge_event_of_another_microarchitecture(tmp_path):
    new = [line.replace(",zen3,0x19,00-0F 20-5F,", ",newzen,0x1B,00,") for line in LINES
           if ",zen3," in line and ",merge_event," not in line]
    lines = [HEADER, *LINES, *new]
    write(tmp_path / "events.csv", lines)
    number, note = next((number, line.split(",")[-1]) for number, line in enumerate(lines, 1)
                        if ",newzen," in line and "0xFFF" in line)
    refused(tmp_path / "events.csv", number, "note", note)


def test_key_twice(tmp_path):
    write(tmp_path / "events.csv", [HEADER, *LINES[:5], LINES[2], *LINES[5:]])
    refused(tmp_path / "events.csv", 7, "key", LINES[2].split(",")[COLUMNS.index("key")])


def test_lines_of_one_microarchitecture_apart(tmp_path):
    moved = number_of("haswell", "branches")
    lines = [HEADER, *LINES]
    write(tmp_path / "events.csv", [*lines[:moved - 1], *lines[moved:], lines[moved - 1]])
    refused(tmp_path / "events.csv", len(lines), "uarch", "haswell")


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
    """What make does with it: a later build must not go on with half a table."""
    for name in ("Makefile", "tests/tests.mk", "images/release.mk", "kernel/pmu/events.awk"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    number, lines = with_field("zen5", "branches", "umask", "0x1ff")
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
    assert len(new) > 50
    write(tmp_path / "events.csv", [HEADER, *LINES, *new])
    code, written, said = generate(tmp_path / "events.csv")
    assert (code, said) == (0, "")
    assert f'{{"newlake_p", events, events_skylake, {len(new)}}},' in written
    assert "{VENDOR_INTEL, CORE_PERFORMANCE, 0x12, 0x12, 0x3, 0x3, 0x2, 0x4, " in written
