"""check: whether a run passes or fails, with its reasons, as a machine reads them."""
import json
import os
import re
from collections import namedtuple
from xml.etree import ElementTree

from .compare import read_side
from .comparison import DIFFERENT, SAME, Comparison
from .expectations import FAIL, PASS, SKIP, holds, parse
from .files import Trouble, read_file, shown, why, write_new
from .runs import MOST, as_text, is_run_file, member, parse_json, parse_verdicts, runs_at
from .serial_log import LOG, SerialLog

DOES = "whether one run passes or fails, for a CI"
HELP = """\
RUN is a folder that a run left, `results` of a stick with a single run, a report.html, a .zip, or what a serial port
printed. Each step of the run is a case: boot, configuration, self-test, clock, settings, each experiment, saved,
registers restored, hardware errors, done. If the log ends early, the run hung in the step that it names.

A line of --expect is a further case: a name, a sign (= != < <= > >=) and a value:
  status = done                      a member of run.json
  interrupts = off
  mlp.rob_entries = 320              a verdict: its interval holds the value
  array.4k.memory_latency < 110 ns   the same of one case; its interval is below the value
  noise.max_gap < 10 us or doubt     a verdict in doubt passes, too
A verdict that is not ok fails. Without a case, all cases that were measured have to hold. Verdicts from an emulator are
skipped. --baseline compares the verdicts with those of an older run, as `compare` does.

Exit status: 0 all cases pass, 1 one fails, 2 wrong usage, 3 nothing could be checked, 4 the run hung."""
EXIT_PASS, EXIT_FAIL, EXIT_TROUBLE, EXIT_NOTHING, EXIT_HUNG = 0, 1, 2, 3, 4

HUNG = "hung"
SERIAL_MOST = 1 << 30
FAILURES = {"fault", "failed", "stopped", "missing"}  # events of log.txt with the reason of one
CUT_SHORT = "cut-short"  # the code of a run that has not ended
UNSAVED = re.compile(rb"[\w.]+ could not be saved.*")
WORD = re.compile(r"(\w+)=(.*?)(?=\s\w+=|$)")

# group: the kind of case, a class in JUnit.
Case = namedtuple("Case", "group name outcome words")


def add_arguments(parser):
    parser.add_argument("run", metavar="RUN|SERIAL.log")
    parser.add_argument("--expect", metavar="FILE", help="expectations, a line each")
    parser.add_argument("--baseline", metavar="RUN", help="fails where a verdict differs from that of this run")
    parser.add_argument("--junit", metavar="FILE", help="writes the cases as JUnit XML, too; replaces the file")
    parser.add_argument("--markdown", metavar="FILE", help="writes them as a table of Markdown, too; replaces the file")
    parser.add_argument("--tap", action="store_true", help="prints them as TAP version 14")


def run(given):
    expectations = parse(given.expect, read_text(given.expect)) if given.expect is not None else []
    files = files_at(given.run)
    cases = [*steps_of(files)]
    if files.events:
        cases += [Case("expectation", one.line, *holds(one, files.said, files.verdicts)) for one in expectations]
    if given.baseline is not None and files.verdicts:
        cases += changes_since(given.baseline, given.run)
    for path, text_of in ((given.junit, junit), (given.markdown, markdown)):
        if path is not None:
            replace_file(path, text_of(cases, given.run))
    print("\n".join(tap(cases) if given.tap else plain(cases)))
    return exit_status({case.outcome for case in cases})


def exit_status(outcomes):
    ranked = [(HUNG, EXIT_HUNG), (FAIL, EXIT_FAIL), (PASS, EXIT_PASS)]
    return next((status for outcome, status in ranked if outcome in outcomes), EXIT_NOTHING)


def read_text(path):
    try:
        return read_file(path, MOST["run.json"], may_be_link=True).decode("utf-8-sig", "replace")
    except OSError as error:
        raise Trouble(f"{path}: {why(error)}") from None


def replace_file(path, text):
    """Writes a report, which the next job of a CI writes anew."""
    try:
        if os.path.isfile(path):
            os.unlink(path)
    except OSError as error:
        raise Trouble(f"{path}: cannot be replaced: {why(error)}") from None
    write_new(path, [text.encode("utf-8", "replace")])


# --- the run -----------------------------------------------------------------------------------

class Files:
    """Holds a run's files as far as there are any: `events` of log.txt, a dict each; `damage`: what is wrong with them.

    `console`: what a serial port printed, where that is all there is.
    """

    def __init__(self, log, conditions, verdicts, damage=(), console=b""):
        self.damage, self.has_console = list(damage), bool(console.strip())
        self.damage += [shown(line.decode("utf-8", "replace")).strip() for line in UNSAVED.findall(console)]
        self.events = [dict(WORD.findall(shown(line))) for line in (log or b"").decode("utf-8", "replace").splitlines()
                       if line.startswith("event=")]
        self.said = self._parsed(parse_json, "run.json", conditions) or {}
        self.verdicts = self._parsed(parse_verdicts, "verdicts.csv", verdicts) or []
        self.is_emulated = "(emulated)" in str(member(self.said, "hypervisor.name")) or b"(emulated)" in console

    def _parsed(self, parse_file, name, data):
        try:
            return parse_file(name, data) if data is not None else None
        except Trouble as trouble:
            self.damage.append(str(trouble))
            return None


def files_at(path):
    """Returns the files of the one run at a path, or those that a serial port's log holds. Raises Trouble."""
    try:
        is_run = os.path.isdir(path) or is_run_file(path)
        data = None if is_run else read_file(path, SERIAL_MOST, may_be_link=True)
    except OSError as error:
        raise Trouble(f"{path}: {why(error)}") from None
    if not is_run:
        return files_in_log(data)
    runs = runs_at(path)
    if len(runs) > 1:
        raise Trouble(f"{path}: holds {len(runs)} runs; expected one, as {runs[-1].path}")
    data = [runs[0].json_bytes()[0] if name == "run.json" else runs[0].read(name)
            for name in (LOG, "run.json", "verdicts.csv")]
    return Files(*data)


def files_in_log(data):
    """Returns the files of the last run that a serial port printed."""
    runs = SerialLog(data).runs
    if not runs:
        return Files(None, None, None, console=data)
    newest, damage = {}, []
    for name, versions in runs[-1].files.items():
        joined = [versions[version].join() for version in sorted(versions, reverse=True)]
        whole = next((file for file, reason in joined if reason == ""), None)
        if whole is None and name != LOG:
            damage.append(f"{name}: {joined[0][1]}")
        newest[name] = bytes(whole) if whole is not None else bytes(joined[0][0]) if name == LOG else None
    return Files(*(newest.get(name) for name in (LOG, "run.json", "verdicts.csv")), damage, data)


# --- cases -------------------------------------------------------------------------------------

def steps_of(files):
    """Returns the cases of a run's steps; without a log, none but that of the boot."""
    events = files.events
    if not events:
        if files.has_console:
            return [Case("boot", "boot", HUNG, "the log has no line of mlpboot: the machine did not come to it")]
        return [Case("boot", "saved", FAIL, words) for words in files.damage]
    done, hung = is_done(events), step_in_progress(events)
    cases = [Case("boot", "boot", PASS, f"version {events[0].get('version', '?')}")]
    refused = [one for one in events if one["event"] == "refused"]
    cases += [Case("boot", "configuration", FAIL if refused else PASS, messages(refused))]
    if not refused:
        reasons = reasons_of(files)
        cases += [*of_selftest(events, reasons), *of_clock(files), *of_settings(files.said),
                  *of_experiments(files, hung, reasons), *of_hardware(events, files.said), *of_registers(files.said)]
        cases += [Case("boot", step, FAIL, words) for step, words in reasons.items() if step not in {case.name for case in cases}]
    if not done and hung is not None and not any(case.outcome == HUNG for case in cases):
        cases.append(Case("boot", hung, HUNG, "the log ends in this step"))
    cases += [Case("boot", "saved", FAIL, words) for words in files.damage] or [Case("boot", "saved", PASS, "")]
    status = events[-1].get("status", "") if done else ""
    return [*cases, Case("boot", "done", PASS if status == "done" else FAIL if done else HUNG,
                         f"status {status}" if done else f"hung in {hung or 'the start'}")]


def is_done(events):
    return events[-1]["event"] == "done"


def step_in_progress(events):
    """Returns the name of the last step that began."""
    return next((one.get("name", "") for one in reversed(events) if one["event"] in ("experiment", "step")), None)


def messages(events):
    return "; ".join(one.get("message", "") for one in events)


def reasons_of(files):
    """Returns why steps failed, by their names: as run.json has it, with the code, or else as log.txt has it."""
    failures = member(files.said, "failures")
    if isinstance(failures, dict):
        told = [[as_text(member(one, name)) for name in ("step", "code", "words")] for one in failures.values()]
        return {step or code: f"{words} ({code})" for step, code, words in told if code != CUT_SHORT or is_done(files.events)}
    return {one.get("step") or one.get("experiment") or "processor": one.get("reason") or one.get("message", "")
            for one in files.events if one["event"] in FAILURES}


def of_selftest(events, reasons):
    return [Case("boot", "self-test", PASS if one.get("status") == "ok" else FAIL, reasons.get("self-test") or one.get("reason", ""))
            for one in events if one["event"] == "selftest"]


def of_clock(files):
    outcomes = {"ok": PASS, "skip": SKIP, "doubt": SKIP if files.is_emulated else FAIL}
    return [Case("boot", "clock", outcomes[one["status"]], one.get("reason") or
                 f"{one.get('ppm', '?')} ppm by {one.get('by', '?')}" + ", emulated" * files.is_emulated)
            for one in files.events if one["event"] in ("clock", "warning") and one.get("status") in outcomes]


def of_settings(said):
    """Returns a case for prefetchers and turbo, where the configuration asks for another setting than that found."""
    settings, cases = member(said, "settings"), []
    for key in ("prefetch", "turbo"):
        ours = [one for name, one in settings.items() if name.startswith(key)] if isinstance(settings, dict) else []
        words = [as_text(member(one, why)) for one in ours for why in ("not_controllable", "refused")]
        if ours and as_text(member(said, f"configuration.{key}")) not in ("", "asis"):
            cases.append(Case("settings", key, FAIL if any(words) else PASS, "; ".join(filter(None, words))))
    return cases


def of_experiments(files, hung, reasons):
    events, cases = files.events, []
    ended = {one.get("experiment"): one for one in events if one["event"] == "measured"}
    left = {one.get("name"): one.get("reason", "") for one in events if one["event"] == "left_out"}
    begun = [one.get("name", "") for one in events if one["event"] == "experiment"]
    for name in dict.fromkeys([*begun, *left]):
        if name in reasons or name in left:
            outcome, words = FAIL, reasons.get(name) or left[name]
        elif name in ended:
            outcome, words = PASS, f"{ended[name].get('rows', '?')} rows in {ended[name].get('seconds', '?')} s"
        else:
            is_last = name == hung and not is_done(events)
            outcome, words = (HUNG, "the log ends in it") if is_last else (FAIL, "it did not end")
        cases.append(Case("experiment", name, outcome, words))
    return cases


def of_hardware(events, said):
    seen = [one.get("message", "") for one in events if one["event"] == "hardware"]
    if seen:
        return [Case("boot", "hardware errors", FAIL, "; ".join(seen))]
    return [Case("boot", "hardware errors", PASS, "")] if member(said, "hardware_errors") else []


def of_registers(said):
    words = member(said, "changed_and_restored.not_restored")
    return [] if words is None else [Case("boot", "registers restored", FAIL if words else PASS, str(words))]


def changes_since(baseline, path):
    comparison = Comparison(read_side(baseline), read_side(path))
    return [Case("baseline", " ".join((pair.verdict.experiment, pair.case(), pair.verdict.name)),
                 {DIFFERENT: FAIL, SAME: PASS}.get(pair.outcome, SKIP),
                 f"{pair.a.value:.15g} -> {pair.b.value:.15g} {pair.unit}: {pair.reason}")
            for pair in comparison.pairs if pair.is_compared]


# --- formats -----------------------------------------------------------------------------------

def count(cases, *outcomes):
    return sum(case.outcome in outcomes for case in cases)


def totals(cases):
    return f"{count(cases, PASS)} passed, {count(cases, FAIL, HUNG)} failed, {count(cases, SKIP)} skipped"


def plain(cases):
    width = max((len(case.name) for case in cases), default=0)
    return [f"{case.outcome}  {case.name.ljust(width)}  {case.words}".rstrip() for case in cases] + [totals(cases)]


def tap(cases):
    """Returns lines of TAP version 14, testanything.org."""
    lines = ["TAP version 14", f"1..{len(cases)}"]
    for number, case in enumerate(cases, 1):
        name = f"{case.group}: {case.name}".replace("\\", "\\\\").replace("#", "\\#")
        is_bad = case.outcome in (FAIL, HUNG)
        lines.append(f"{'not ok' if is_bad else 'ok'} {number} - {name}" + f" # SKIP {case.words}" * (case.outcome == SKIP))
        if is_bad:
            lines += ["  ---", f"  message: {json.dumps(case.words)}", f"  severity: {'hung' if case.outcome == HUNG else 'fail'}", "  ..."]
    return lines


def junit(cases, path):
    """Returns JUnit's XML as Jenkins, GitLab and GitHub's actions read it."""
    counts = {"tests": str(len(cases)), "failures": str(count(cases, FAIL, HUNG)), "errors": "0",
              "skipped": str(count(cases, SKIP))}
    suite = ElementTree.Element("testsuite", {"name": f"mlpboot {shown(path)}", **counts})
    for case in cases:
        words = shown(case.words)  # XML 1.0 has no control characters
        element = ElementTree.SubElement(suite, "testcase", {"classname": f"mlpboot.{case.group}", "name": shown(case.name)})
        if case.outcome in (FAIL, HUNG):
            ElementTree.SubElement(element, "failure", {"type": case.outcome, "message": words}).text = words
        elif case.outcome == SKIP:
            ElementTree.SubElement(element, "skipped", {"message": words})
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"


def markdown(cases, path):
    rows = [[cell.replace("|", "\\|") for cell in (case.outcome, case.name, case.words)] for case in cases]
    return "\n".join([f"**mlpboot** {shown(path)}: {totals(cases)}", "", "| | case | |", "|---|---|---|",
                      *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"
