"""A run or a serial log passes or fails: twelve ways in which a boot ends, expectations, and the formats."""

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest

import serial_blocks
from tool import tool

from mlpboot.runs import VERDICT_COLUMNS

PASS, FAIL, USAGE, NOTHING, HUNG = 0, 1, 2, 3, 4
HEADER = ",".join(VERDICT_COLUMNS)
STARTED = ["event=start version=1.0 platform=efi label=", "event=clock status=ok ppm=1.5 tsc_hz=2000000000 by=the ACPI timer"]
TESTED = ["event=step name=self-test", "event=selftest status=ok reason="]
MEASURED = ["event=experiment name=mlp", "event=measured experiment=mlp rows=12 visits=40 seconds=1.5 whole=1.4"]
DONE = ["event=step name=closing", "event=done status=done"]
GOOD = [*STARTED, *TESTED, *MEASURED, *DONE]
VERDICTS = ["mlp,2m,rob_entries,320,320,320,entries,ok,,", "mlp,2m,one_load,200,190,210,ticks,ok,,",
            "mlp,4k,rob_entries,300,280,330,entries,doubt,scatter,the points scatter", "array,2m,l2_bytes,1048576,1048576,1310720,bytes,ok,,",
            "noise,quiet,max_gap,7000,6900,7100,ns,ok,,"]


def made(folder, log=GOOD, verdicts=VERDICTS, **members):
    folder.mkdir()
    (folder / "log.txt").write_text("".join(line + "\n" for line in log))
    (folder / "verdicts.csv").write_text("\n".join([HEADER, *verdicts, ""]))
    (folder / "run.json").write_text(json.dumps({"program": "mlpboot", "status": "done", "tsc_hz": 2e9, "hypervisor": {}, **members}))
    return folder


def serial(path, lines, ends=True):
    """A serial port's log with log.txt's lines between its marks."""
    path.write_text("BdsDxe: starting\n=== mlpboot log.txt begin ===\n" + "".join(line + "\n" for line in lines)
                    + "=== mlpboot log.txt end ===\n" * ends)
    return path


def checked(*words):
    """The exit status, and by name the outcome and the words of each case."""
    code, said, complaint = tool("check", *words)
    assert complaint == "", complaint
    *cases, totals = said.splitlines()
    assert "passed" in totals
    return code, {case[6:].strip(): case.split()[0] for case in cases}, said


# --- how a boot ends ---


def failed(*lines):
    return [*STARTED, *TESTED, *MEASURED[:1], *lines, "event=done status=error"]


ENDS = {
    "done": (GOOD, PASS, "pass  done"),
    "self-test": ([*STARTED, TESTED[0], "event=fault message=invalid opcode", "event=selftest status=error reason=a fault",
                   "event=failed step=self-test reason=a fault", "event=done status=error"], FAIL, "fail  self-test"),
    "clock": ([STARTED[0], "event=warning status=doubt ppm=900.0 tsc_hz=1 by=the ACPI timer", *GOOD[2:]], FAIL, "fail  clock"),
    "experiment": (failed("event=failed experiment=mlp reason=not enough memory"), FAIL, "fail  mlp"),
    "hang": (GOOD[:5], HUNG, "hung  mlp"),
    "hang in a step": (GOOD[:3], HUNG, "hung  self-test"),
    "hang at the start": (GOOD[:1], HUNG, "hung in the start"),
    "nothing measured": ([*STARTED, *TESTED, MEASURED[0], "event=missing experiment=mlp reason=no memory", MEASURED[1],
                          "event=done status=partial"], FAIL, "no memory"),
    "refused": ([STARTED[0], "event=refused message=mlpboot.cfg: line 3: no such key", "event=done status=error"], FAIL,
                "fail  configuration"),
    "hardware error": ([*GOOD[:-1], "event=hardware message=a corrected error of the L2 cache", GOOD[-1]], FAIL,
                       "fail  hardware errors"),
    "left out": ([*GOOD[:-1], "event=left_out name=tlb reason=runs were cut short in it", "event=done status=partial"], FAIL,
                 "fail  tlb"),
}


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("is_serial", [False, True])
def test_ends_of_a_boot(tmp_path, name, is_serial):
    lines, wanted, words = ENDS[name]
    path = serial(tmp_path / "serial.log", lines, ends="hang" not in name) if is_serial else made(tmp_path / "run", lines)
    code, _, said = checked(path)
    assert code == wanted and words in said, said


@pytest.mark.parametrize("text, wanted", [("", NOTHING), ("\n\n", NOTHING), ("UEFI firmware\nBdsDxe: no boot device\n", HUNG)])
def test_logs_without_a_run(tmp_path, text, wanted):
    (tmp_path / "serial.log").write_text(text)
    assert checked(tmp_path / "serial.log")[0] == wanted


def test_a_full_disk(tmp_path):
    path = serial(tmp_path / "serial.log", [*GOOD[:-1], "event=done status=partial"])
    path.write_text(path.read_text() + "results.csv could not be saved: the volume is full\n")
    code, _, said = checked(path)
    assert code == FAIL and "fail  saved" in said and "the volume is full" in said


def test_an_emulators_clock_is_skipped(tmp_path):
    log = ENDS["clock"][0]
    assert checked(made(tmp_path / "run", log, hypervisor={"name": "QEMU TCG (emulated)"}))[0] == PASS
    path = serial(tmp_path / "serial.log", log)
    path.write_text(path.read_text() + "machine  under QEMU TCG (emulated)\n")
    assert "skip  clock" in checked(path)[2]


@pytest.mark.parametrize("wish, why, wanted", [("off", "", "pass"), ("off", "no register is known", "fail"),
                                               ("asis", "no register is known", None)])
def test_settings(tmp_path, wish, why, wanted):
    """They fail only where another one was asked for."""
    run = made(tmp_path / "run", configuration={"prefetch": wish}, settings={"prefetch_1a4": {"found": "", "not_controllable": why}})
    code, _, said = checked(run)
    assert code == (FAIL if wanted == "fail" else PASS)
    assert f"{wanted}  prefetch" in said if wanted else "prefetch" not in said


def test_a_register_that_was_not_restored(tmp_path):
    run = made(tmp_path / "run", changed_and_restored={"not_restored": "CR4"})
    code, cases, said = checked(run)
    assert code == FAIL and "fail  registers restored  CR4" in said
    assert "registers restored" not in checked(made(tmp_path / "other"))[2]


def failures(*rows):
    return {f"failure_{i}": dict(zip(("step", "code", "words"), row)) for i, row in enumerate(rows, 1)}


@pytest.mark.parametrize("log, rows, wanted, lines", [
    (ENDS["self-test"][0], [("self-test", "fault", "invalid opcode")], FAIL, ["fail  self-test            invalid opcode (fault)"]),
    (ENDS["nothing measured"][0], [("mlp", "not-measured", "no memory"), ("", "not-saved", "results.csv")], FAIL,
     ["fail  mlp                  no memory (not-measured)", "fail  not-saved            results.csv (not-saved)"]),
    (GOOD[:5], [("", "cut-short", "see log.txt")], HUNG, ["hung  mlp             the log ends in it"])])
def test_failures_of_run_json_are_told_with_their_codes_and_once(tmp_path, log, rows, wanted, lines):
    code, cases, said = checked(made(tmp_path / "run", log, failures=failures(*rows)))
    told = [line for line in said.splitlines() if line.startswith(("fail", "hung")) and not re.match("....  done", line)]
    assert code == wanted and [re.sub(" +", " ", line) for line in told] == [re.sub(" +", " ", line) for line in lines]


def test_a_damaged_serial_log(tmp_path):
    """A file that is not whole fails; steps of the log are told all the same."""
    path = serial(tmp_path / "serial.log", GOOD)
    before, end, after = path.read_bytes().partition(serial_blocks.LOG_END)
    right = b"".join(serial_blocks.blocks("0001-3f2a91c4", "verdicts.csv", "\n".join([HEADER, *VERDICTS, ""]).encode()))
    path.write_bytes(before + right + end + after)
    assert checked(path)[0] == PASS
    path.write_bytes(before + right.replace(b"rob_entries", b"rob_entrzes", 1) + end + after)
    code, _, said = checked(path)
    assert code == FAIL and "fail  saved          verdicts.csv: bytes 0 to" in said and "pass  mlp" in said, said


def test_damage_is_named(tmp_path):
    run = made(tmp_path / "run")
    (run / "verdicts.csv").write_text("no table\n")
    code, _, said = checked(run)
    assert code == FAIL and "verdicts.csv: another header" in said


# --- expectations ---

LINES = {
    "status = done": "pass", "status = partial": "fail", "interrupts = off": "pass", "interrupts != on": "pass",
    "mlp.2m.rob_entries = 320": "pass", "mlp.2m.rob_entries = 321": "fail", "mlp.2m.rob_entries != 319": "pass",
    "mlp.rob_entries = 320": "fail", "mlp.rob_entries = 320 or doubt": "pass",
    "mlp.one_load < 211": "pass", "mlp.one_load < 205": "fail", "mlp.one_load < 180": "fail", "mlp.one_load >= 190": "pass",
    "mlp.one_load < 110 ns": "pass", "mlp.one_load < 90 ns": "fail", "mlp.one_load < 1 m": "fail",
    "array.l2_bytes = 1m": "pass", "array.l2_bytes = 2M": "fail", "noise.max_gap < 10 us": "pass", "noise.max_gap<1us": "fail",
    "mlp.rob_entriez = 1": "fail", "mlp.one_load = done": "fail",
}


@pytest.mark.parametrize("line", LINES)
def test_expectations(tmp_path, line):
    run = made(tmp_path / "run", certificate={"interrupts": "off"})
    (tmp_path / "expect").write_text(f"# what we rely on\n{line}   # so\n")
    code, cases, said = checked(run, "--expect", tmp_path / "expect")
    assert code == (PASS if LINES[line] == "pass" else FAIL), said
    assert f"{LINES[line]}  {line}" in said


def test_an_emulators_times_are_skipped_and_do_not_pass(tmp_path):
    emulated = ["mlp,2m,rob_entries,,,,entries,skip,emulated,does not apply (emulated)", "mlp,1g,rob_entries,,,,entries,skip,unavailable,none",
                "floor,timer,timer_step,21,20,22,ticks,ok,,"]
    run = made(tmp_path / "run", verdicts=emulated)
    (tmp_path / "expect").write_text("mlp.2m.rob_entries = 320\nmlp.rob_entries = 320\nfloor.timer_step < 30\nstatus = done\n")
    code, _, said = checked(run, "--expect", tmp_path / "expect")
    assert code == PASS and "skip  mlp.2m.rob_entries = 320" in said and "skip  mlp.rob_entries = 320" in said
    assert "pass  floor.timer_step < 30" in said and "pass  status = done" in said


@pytest.mark.parametrize("text", ["", "# nothing\n", "mlp.rob_entries\n", "= 3\n", "mlp.one_load ~ 3\n"])
def test_wrong_expectations(tmp_path, text):
    run = made(tmp_path / "run")
    (tmp_path / "expect").write_text(text)
    code, said, complaint = tool("check", run, "--expect", tmp_path / "expect")
    assert code == USAGE and said == "" and str(tmp_path / "expect") in complaint


def test_a_baseline(tmp_path):
    old, same = made(tmp_path / "old"), made(tmp_path / "same")
    assert checked(same, "--baseline", old)[0] == PASS
    new = made(tmp_path / "new", verdicts=["mlp,2m,rob_entries,160,160,160,entries,ok,,"])
    code, _, said = checked(new, "--baseline", old)
    assert code == FAIL and "fail  mlp 2m rob_entries" in said and "320 -> 160 entries" in said


# --- formats ---


def test_junit(tmp_path):
    run = made(tmp_path / "run", ENDS["experiment"][0])
    assert tool("check", run, "--junit", tmp_path / "a.xml")[0] == FAIL
    assert tool("check", run, "--junit", tmp_path / "a.xml")[0] == FAIL  # replaced
    suite = ElementTree.parse(tmp_path / "a.xml").getroot()
    cases = suite.findall("testcase")
    assert suite.get("tests") == str(len(cases)) and suite.get("failures") == "2" and suite.get("skipped") == "0"
    assert {case.get("name"): case.find("failure").get("message") for case in cases if case.find("failure") is not None} == {
        "mlp": "not enough memory", "done": "status error"}


# What Jenkins' xUnit plugin takes, junit-10.xsd of jenkinsci/xunit-plugin; for each element: the attributes that it needs,
# those that it may have, and its children. Counts and classname are also what GitLab and GitHub's actions read.
JUNIT = {
    "testsuite": ({"name", "tests", "failures", "errors"}, {"skipped", "time", "timestamp", "hostname", "id", "package"}, {"testcase"}),
    "testcase": ({"name", "classname"}, {"time", "group"}, {"failure", "skipped"}),
    "failure": (set(), {"type", "message"}, set()),
    "skipped": (set(), {"type", "message"}, set()),
}


def complaints_of(element):
    needed, may, children = JUNIT[element.tag]
    yield from (f"{element.tag}: no {name}" for name in needed - set(element.attrib))
    yield from (f"{element.tag}: {name}" for name in set(element.attrib) - needed - may)
    for child in element:
        if child.tag in children:
            yield from complaints_of(child)
        else:
            yield f"{element.tag}: {child.tag}"


@pytest.mark.parametrize("name", ENDS)
def test_junit_is_as_its_readers_want_it(tmp_path, name):
    """In any end of a boot; a line of XML 1.0 holds no control characters."""
    run = made(tmp_path / "run", [*ENDS[name][0][:-1], "event=hardware message=\x1b[31m <&\x01\ufffe", ENDS[name][0][-1]])
    (tmp_path / "expect").write_text('mlp.rob_entries = 320\nmlp.one_load < \x02 & "ns"\n')
    tool("check", run, "--expect", tmp_path / "expect", "--junit", tmp_path / "a.xml")
    suite = ElementTree.parse(tmp_path / "a.xml").getroot()
    assert suite.tag == "testsuite" and list(complaints_of(suite)) == []
    assert all(suite.get(name).isdigit() for name in ("tests", "failures", "errors", "skipped"))
    assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))


def test_tap(tmp_path):
    code, said, _ = tool("check", made(tmp_path / "run", ENDS["hang"][0]), "--tap")
    lines = said.splitlines()
    assert code == HUNG and lines[0] == "TAP version 14"
    assert lines[1] == f"1..{sum(line.startswith(('ok', 'not ok')) for line in lines)}"
    assert '  severity: hung' in lines


def test_markdown(tmp_path):
    tool("check", made(tmp_path / "run"), "--markdown", tmp_path / "a.md")
    text = (tmp_path / "a.md").read_text()
    assert "| pass | self-test |" in text and "0 failed" in text


@pytest.mark.parametrize("words", [[], ["missing"]])
def test_usage(words):
    code, said, complaint = tool("check", *words)
    assert code == USAGE and said == "" and complaint != ""


def test_several_runs_are_refused(tmp_path):
    made(tmp_path / "1")
    made(tmp_path / "2")
    code, _, complaint = tool("check", tmp_path)
    assert code == USAGE and "holds 2 runs; expected one" in complaint
