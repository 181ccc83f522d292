"""The commands that people type: make's targets, and build/mlpboot-hosted."""

import csv
import datetime
import json
import math
import os
import re
import resource
import shlex
import signal
import subprocess
import time
from itertools import combinations
from pathlib import Path

import pytest

from machine import CLEAN, FILES, ROOT, SHORT, Results, command, mlp_alone
from made_runs import HOSTED, hosted, run, set_all
from tool import tool

TINY = set_all("experiments=floor mlp", "pages=4k", "mlp.loads=1-2", "mlp.fillers=0-32/32", "mlp.bytes=4m", "samples.min=5",
               "samples.max=10")


# --- make ---


def test_make_help_names_every_command():
    code, said = command("make", "help")
    assert code == 0
    for target in ("make run", "TIMEOUT", "make test", "make usb", "SIZE", "make iso", "make clean"):
        assert target in said


def test_make_run_keeps_the_results_and_prints_the_verdicts(tmp_path):
    """The second of two runs; the first of them has failed, and says so."""
    config = tmp_path / "short.cfg"
    make_run = "make", "run", f"CONFIG={config}", "ACCEL=tcg"
    config.write_text("selftest = fault\n")
    code, said = command(*make_run, f"RESULTS_DIR={tmp_path / 'kept'}")
    assert code != 0 and "the run did not end well" in said
    config.write_text(mlp_alone(SHORT) + "finish = wait\n")
    code, said = command(*make_run, f"RESULTS_DIR={tmp_path / 'kept'}")
    assert code == 0, said
    assert 'becomes "finish = shutdown"' in said
    assert os.readlink(tmp_path / "kept/latest") == "0002"
    results = Results.of_folder(tmp_path / "kept/latest")
    assert sorted(results.files) == FILES
    assert results.log[-1] == "event=done status=done"
    for verdict in results.verdicts:
        words = [verdict[name] for name in ("status", "experiment", "case", "name")]
        assert verdict["status"] == "skip" or f"{' '.join(words)}: " in re.sub(" +", " ", said), verdict
    assert said.splitlines()[-1] == f"run: done; results in {tmp_path}/kept/0002"


@pytest.mark.parametrize("setting, complaint", [
    ("CONFIG=/nonexistent.cfg", "/nonexistent.cfg"), ("ACCEL=warp", "accepted: tcg, kvm"),
    ("CONFIG={}/wrong.cfg", "{}/wrong.cfg:1: pages")])
def test_make_run_refuses_what_it_cannot_do(tmp_path, setting, complaint):
    (tmp_path / "wrong.cfg").write_text("pages = 3m\n")
    code, said = command("make", "run", "ACCEL=tcg", setting.format(tmp_path), f"RESULTS_DIR={tmp_path / 'kept'}")
    assert code != 0 and complaint.format(tmp_path) in said
    assert "QEMU" not in said and not (tmp_path / "kept").exists()


# --- build/mlpboot-hosted ---


def test_hosted_help():
    code, said = command(HOSTED, "--help")
    assert code == 0
    assert command(HOSTED, "-h") == (code, said)
    assert command(HOSTED, "check-config", "-h") == command(HOSTED, "check-config", "--help")
    for word in ("run", "repeat", "analyze", "check-config", "--set", "--out"):
        assert word in said


@pytest.mark.parametrize("name", ["run", "repeat", "check-config"])
def test_hosted_help_shows_every_key_as_the_shipped_file_does(name):
    code, said = command(HOSTED, name, "--help")
    keys = re.findall(r"^#(\S+ =.*)$", (ROOT / "images/mlpboot.cfg").read_text(), re.MULTILINE)
    assert code == 0 and len(keys) > 20
    for key in keys:
        assert f"\n  {key}\n" in said
    assert "sizes from 32k to 8g" in said


COMMANDS = "accepted: run, repeat, analyze, check-config, --help, --version"
RUN, REPEAT = ["run", *TINY, "--out", "out"], ["repeat", "--runs", "2", "--out", "out"]

# Words, the exit status, and a part of what is said.
REFUSED = [
    (["--dance"], 2, f": --dance: no such command; {COMMANDS}"),
    (["dance"], 2, f": dance: no such command; {COMMANDS}"),
    ([], 2, f": no command; {COMMANDS}"),
    (["run"], 2, "run: --out DIR is missing; accepted: --config F, --set KEY=VALUE, "),
    (["check-config"], 2, "check-config: F is missing; accepted: F"),
    (["analyze"], 2, "analyze: RESULTS.csv is missing; accepted: RESULTS.csv"),
    ([*RUN, "--dance"], 2, "run: --dance: no such option; accepted: --config F, --set KEY=VALUE, "),
    (["run", "--out", "--out"], 2, "run: --out: no value; accepted: --out DIR"),
    ([*RUN, "--cpu", "many"], 2, "run: --cpu many: not a CPU; accepted: a number from 0"),
    ([*RUN, "--cpu", "99999"], 1, "run: CPU 99999 is not among those"),
    ([*RUN, "--platform", "abacus"], 2, "run: --platform abacus: no such platform; accepted: linux, model"),
    ([*RUN, "--platform", "model:rob=0"], 2, "rob=0: accepted: a whole number from 4 to 100000"),
    ([*RUN, "--set", "core=999999"], 1, "core: no CPU this process may use has the APIC id 999999; theirs are "),
    ([*RUN, "--set", "core=all"], 1, "core: under Linux it is boot"),
    ([*RUN, "--platform=model", "--set=core=2"], 1, "core: it cannot be chosen here"),
    ([*RUN, "--set", "pages=3m"], 1, "--set: pages = 3m: 3m is not known; accepted: any of 4k, 2m, 1g"),
    ([*RUN, "--set", "mlp.laods=3"], 1, "mlp.laods: unknown key; did you mean mlp.loads? accepted: "),
    (["run", "--platform=model", "--out", "-"], 1, "-: results are several files"),
    (["run", "--platform=model", "--out", "nowhere/a/b"], 1, "there is no folder nowhere/a"),
    # A FIFO may never end.
    *((words, 1, f"{file}: {why}") for file, why in (("fifo", "is no regular file"), ("/nonexistent", "No such file"))
      for words in (["check-config", file], ["analyze", file], [*RUN, "--platform=model", "--config", file],
                    [*REPEAT, "--config", file])),
    *((["repeat", f"--runs={number}", "--out", "out"], 2, f"repeat: --runs {number}: not a number of runs; accepted: 1 to 10000")
      for number in ("0", "10001", "-1", "many", "1.5", "99999999999999999999")),
    ([*REPEAT, "--set", "pages=3m"], 1, "--set: pages = 3m: 3m is not known; accepted: "),
    ([*REPEAT, "--platform", "abacus"], 2, "repeat: --platform abacus: no such platform; accepted: "),
    ([*REPEAT, "--cpu", "99999"], 1, "repeat: CPU 99999 is not among those"),
    ([*REPEAT, "--set", "seed=18446744073709551615"], 1, "seed: each run's is one more"),
    ([*REPEAT, *["--set", "label=a"] * 64], 1, "--set: given 64 times"),
    # A file of whatever origin is left as it is.
    *((["run", *TINY, "--out", f"has-{name}"], 1, f"already holds a run ({name})") for name in FILES),
    (["repeat", "--runs=2", "--out", f"has-{FILES[0]}"], 1, f"is not empty ({FILES[0]})"),
]


@pytest.mark.parametrize("words, status, complaint", REFUSED, ids=range(len(REFUSED)))
def test_hosted_refuses_and_leaves_no_folder(tmp_path, words, status, complaint):
    os.mkfifo(tmp_path / "fifo")
    for name in FILES:
        (tmp_path / f"has-{name}").mkdir()
        (tmp_path / f"has-{name}" / name).write_text("mine\n")
    before = sorted(tmp_path.rglob("*"))
    found, said, complained = hosted(*words, cwd=tmp_path, timeout=20)
    assert (found, said) == (status, "") and complaint in complained, complained
    assert sorted(tmp_path.rglob("*")) == before
    assert all((tmp_path / f"has-{name}" / name).read_text() == "mine\n" for name in FILES)


def test_hosted_run_analyze_and_no_second_run_in_the_same_folder(tmp_path):
    out = tmp_path / "run"
    code, said = command(HOSTED, "run", *TINY, "--out", out)
    assert code == 0, said
    results = Results.of_folder(out)
    assert sorted(results.files) == FILES
    assert results.log[-1] == "event=done status=done"
    points = results.points()
    # On a core that a neighbour shares there may be no other case.
    assert sorted(points.get("4k") or points["4k-shared"]) == [(1, 0), (1, 32), (2, 0), (2, 32)]

    code, said = command(HOSTED, "analyze", out / "results.csv")
    assert code == 0 and said.encode() == results.files["verdicts.csv"]
    code, _ = command(HOSTED, "analyze", out / "results.csv", "--out", tmp_path / "again")
    assert code == 0
    assert (tmp_path / "again/verdicts.csv").read_bytes() == results.files["verdicts.csv"]

    code, said = command(HOSTED, "run", *TINY, "--out", out)
    assert code != 0 and str(out) in said
    assert Results.of_folder(out).files == results.files


def test_hosted_says_which_machine_this_is(tmp_path):
    """As far as this Linux lets a process know; anonymous, the same machine without what names it."""
    started = time.time()
    machines = []
    for identity in ("full", "anonymous"):
        run(tmp_path / identity, "experiments=floor", f"identity={identity}", platform="linux")
        machines.append(Results.of_folder(tmp_path / identity).run["machine"])
    full, anonymous = machines
    assert re.fullmatch("[0-9a-f]{16}", full["id"]) and anonymous["id"] == full["id"]
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert full["boot"] == anonymous["boot"] == boot
    assert full["source"] and (full["reason"] or full["system"]["product"])
    assert "serial" in full["system"] and "uuid" in full["system"] and "serial" in full["board"]
    assert not re.search('"(serial|uuid|asset_tag)"', json.dumps(anonymous))
    for name in ("utc_start", "utc_end"):
        told = datetime.datetime.fromisoformat(full[name].replace("Z", "+00:00")).timestamp()
        assert started - 1 < told <= time.time()
    revision = re.search(r"(?m)^microcode\s*: (0x[0-9a-f]+)$", Path("/proc/cpuinfo").read_text())
    core = full["cores"][next(name for name in full["cores"] if name.startswith("core_"))]
    assert full["cores"]["measured"] == 1 and f"core_{core['apic_id']}" in full["cores"]
    assert core["microcode"] == (revision[1] if revision else "")
    assert int(core["signature"], 16) > 0


def test_hosted_measures_on_the_core_asked_for(tmp_path):
    """One of those that a refusal names. Linux may tell others than CPUID, as some hypervisors do."""
    _, said = command(HOSTED, "run", *TINY, "--set", "core=999999", "--out", tmp_path / "refused")
    asked = re.search(r"theirs are (\d+)", said)[1]
    code, said = command(HOSTED, "run", *TINY, "--set", f"core={asked}", "--out", tmp_path / "run")
    assert code == 0, said
    assert f"event=core apic_id={asked}" in Results.of_folder(tmp_path / "run").log


def test_hosted_two_runs_at_once_never_share_a_folder(tmp_path):
    out = tmp_path / "run"
    runs = [subprocess.Popen([HOSTED, "run", *TINY, "--out", out], text=True, env=CLEAN,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for _ in range(4)]
    ends = [(run.communicate(timeout=300)[0], run.returncode) for run in runs]
    assert sorted(code for _, code in ends) == [0, 1, 1, 1], ends
    assert all("already holds a run" in said for said, code in ends if code != 0)
    results = Results.of_folder(out)
    assert sorted(results.files) == FILES
    assert sum(line.startswith("event=start") for line in results.log) == 1
    assert results.files["results.csv"].count(b"experiment,case") == 1


@pytest.mark.parametrize("words, files", [(["run"], FILES),
                                          (["repeat", "--runs", "2"], ["0001", "0002", "repeat.log"])])
def test_hosted_goes_on_when_nobody_reads_its_console(tmp_path, words, files):
    """As in `run ... | head -1`: the files are whole, though the exit code says that a table was lost."""
    out = tmp_path / "out"
    with subprocess.Popen([HOSTED, *words, "--platform", "model", *TINY, "--out", out], env=CLEAN,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(timeout=300) == 1
    assert sorted(path.name for path in out.iterdir()) == files
    for folder in [path for path in out.iterdir() if path.is_dir()] or [out]:
        assert Results.of_folder(folder).log[-1] == "event=done status=done"


def test_hosted_names_keys_that_linux_has_no_use_for(tmp_path):
    config = tmp_path / "stick.cfg"
    config.write_text("finish = shutdown\nruns = 3\nsiblings = halt\n")
    code, said = command(HOSTED, "run", *TINY, "--config", config, "--set", "turbo=off", "--set",
                         "prefetch=on", "--platform", "model", "--out", tmp_path / "run")
    words = "set, but without effect in a Linux process: finish, runs, turbo, siblings"
    assert code == 0 and said.count("without effect") == 1 and f"{words}\n" in said
    assert f"event=remark message={words}" in Results.of_folder(tmp_path / "run").log
    code, said = command(HOSTED, "run", *TINY, "--set", "prefetch=on", "--out", tmp_path / "linux")
    assert code in (0, 3) and "in a Linux process: prefetch\n" in said
    code, said = command(HOSTED, "run", *TINY, "--platform", "model", "--out", tmp_path / "none")
    assert code == 0 and "without effect" not in said


def test_hosted_skips_with_a_reason_that_the_stored_table_keeps(tmp_path):
    """No Linux process can invalidate a translation: those cases are said, not replaced."""
    run(tmp_path / "run", "experiments=floor tlb", "pages=4k", "tlb.loads=1-3", "tlb.pages=2-8*2", "samples.max=30",
        platform="linux")
    results = Results.of_folder(tmp_path / "run")
    skipped = {row["case"]: row["unit"] for row in results.rows if row["metric"] == "skipped"}
    # What a neighbour on the same core does is not ours to choose.
    assert {case for case, why in skipped.items() if "sibling" not in why} == {"4k-cold",
                                                                              "4k-walkmem"}
    for verdict in results.verdicts:
        if verdict["case"] in skipped:
            assert (verdict["status"], verdict["reason"]) == ("skip", "unavailable")
            assert verdict["method"].endswith(f"; {skipped[verdict['case']]}")
    code, said = command(HOSTED, "analyze", tmp_path / "run/results.csv")
    assert code == 0 and said.encode() == results.files["verdicts.csv"]


def test_hosted_says_when_nothing_could_be_measured(tmp_path):
    code, said = command(HOSTED, "run", "--platform", "model", "--set", "experiments=numa",
                         "--out", tmp_path / "run")
    assert code == 3, said
    results = Results.of_folder(tmp_path / "run")
    assert results.run["status"] == "nothing"
    assert results.log[-1] == "event=done status=nothing"
    assert ("event=missing experiment=numa reason=this machine has one memory node"
            in results.log), results.log
    assert "numa: nothing measured: this machine has one memory node" in said


def test_control_characters_of_a_name_reach_no_terminal(tmp_path):
    name = "a\x1b[31m\r\x9b1m\x7f\u00e9"
    folder = tmp_path / name
    folder.mkdir()
    (folder / "log.txt").write_text("mine\n")
    (folder / "results.csv").write_text("junk\n")
    for words in (["analyze", folder / "results.csv"], ["analyze", folder / "nowhere"], ["check-config", folder / "log.txt"],
                  ["check-config", folder / "nowhere"], ["run", "--platform", "model", "--out", folder],
                  ["run", "--platform", name, "--out", "x"], ["repeat", "--runs", "2", "--out", folder], [name]):
        status, out, said = hosted(*words, cwd=tmp_path, timeout=60)
        assert status in (1, 2) and out == "" and "a?[31m?" in said, words
        assert all(c.isprintable() or c == "\n" for c in said), said


# --- a run that ends early, and what it shows last ---

LONG = ["--platform", "model:noise=0.1",
        *set_all("experiments=mlp array", "pages=4k", "samples.max=100000", "samples.precision=0.05%")]


def may_be_interrupted():
    """A shell has its background jobs ignore SIGINT, and so this test's."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def started_run(folder, *words, **how):
    """A long run, once its experiment measures."""
    process = subprocess.Popen([HOSTED, "run", *LONG, *words, "--out", folder], text=True, env=CLEAN,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=may_be_interrupted, **how)
    log = folder / "log.txt"
    while not (log.exists() and "event=experiment name=mlp" in log.read_text()):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    return process


def wait_for_work(pid, seconds):
    """Until the process has had a processor for so long, whatever else goes on."""
    ticks = os.sysconf("SC_CLK_TCK")
    while int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11]) < seconds * ticks:
        time.sleep(0.01)


def assert_page_is_last(said, folder):
    """The page's results line ends what was said."""
    page = said[said.rindex("mlpboot "):].splitlines()
    at = max(number for number, line in enumerate(page) if line.startswith("results:"))
    assert "".join(page[at:]).replace(" ", "") == f"results:{folder}", page[at:]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_keeps_what_is_finished(tmp_path, number):
    process = started_run(tmp_path / "run")
    wait_for_work(process.pid, 1)  # the first points are finished after a third, the last after a minute
    process.send_signal(number)
    said, complained = process.communicate(timeout=60)
    assert process.returncode == 130, said + complained
    assert "stopping: what is measured is being saved" in complained
    results = Results.of_folder(tmp_path / "run")
    assert sorted(results.files) == FILES
    assert results.run["status"] == "partial"
    assert results.log[-1] == "event=done status=partial"
    assert "event=stopped experiment=mlp reason=stopped by the user" in results.log
    assert {row["experiment"] for row in results.rows} == {"floor", "mlp"}
    stopped = [verdict for verdict in results.verdicts if verdict["experiment"] == "mlp"]
    assert stopped and all(verdict["status"] != "ok" for verdict in stopped)
    assert all(verdict["reason"] == "ended-early" and verdict["method"].endswith("; stopped by the user") for verdict in stopped)
    count = sum(row["experiment"] == "mlp" for row in results.rows)
    assert count > 0 and f"mlp: saved, {count} rows\n" in said
    assert "\ntrouble:      mlp: stopped by the user\nmlpboot " in said
    assert_page_is_last(said, tmp_path / "run")


def test_a_run_that_is_stopped_twice_ends_at_once(tmp_path):
    process = started_run(tmp_path / "run")
    os.kill(process.pid, signal.SIGSTOP)  # it gets both before it can answer the first
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    os.kill(process.pid, signal.SIGCONT)
    process.communicate(timeout=60)
    assert process.returncode in (-signal.SIGINT, -signal.SIGTERM)
    results = Results.of_folder(tmp_path / "run")
    assert results.run["status"] == "partial" and not results.log[-1].startswith("event=done")


def test_a_run_that_ignores_the_signal_goes_on(tmp_path):
    """As nohup and a shell's background jobs have it."""
    process = subprocess.Popen([HOSTED, "run", "--platform", "model", *TINY, "--out", tmp_path / "run"], env=CLEAN,
                               stdout=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    while not (tmp_path / "run/run.json").exists():
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 0


def test_a_model_has_no_name_of_this_machine(tmp_path):
    status, said, _ = hosted("run", "--quiet", "--platform", "model", *TINY, "--out", tmp_path / "run")
    conditions = json.loads((tmp_path / "run/run.json").read_text())
    assert status == 0 and "\nmachine       a model of a core\n" in said
    assert conditions["processor"] == {**conditions["processor"], "vendor": "a model", "brand": "a model of a core", "family": 0, "model": 0,
                                       "stepping": 0, "virtual": False, "cache_bytes": {}}
    assert "hypervisor" not in conditions


def test_a_brand_is_shown_without_its_padding(tmp_path):
    """CPUID pads it to 47 characters."""
    status, said, _ = hosted("run", "--quiet", "--platform", "linux", *TINY, "--out", tmp_path / "run")
    brand = json.loads((tmp_path / "run/run.json").read_text())["processor"]["brand"]
    row = " ".join(said.partition("\nmachine ")[2].split())
    assert status in (0, 1) and row.startswith((" ".join(brand.split()) or "no brand told") + ", family ")


def test_a_quiet_run_shows_the_last_page_alone(tmp_path):
    folder = tmp_path / "run"
    status, said, complaint = hosted("run", "--quiet", "--platform", "model", *TINY, "--out", folder)
    assert (status, complaint) == (0, "")
    assert said.startswith("mlpboot ") and len(said.splitlines()) <= 22
    assert_page_is_last(said, folder)
    status, said, complaint = hosted("run", "--quiet", "--platform", "model", "--set", "selftest=fault", "--out",
                                     tmp_path / "fault")
    assert status == 1 and complaint.startswith("fault: ")
    assert re.match("trouble:      self-test: .*\n(   .*\n)?mlpboot ", said)


@pytest.mark.parametrize("words, code", [
    ([], 0), (["--set", "experiments=numa"], 3), (["--set", "selftest=fault"], 1), (["--set", "core=5"], 1)])
def test_nothing_follows_the_last_page(tmp_path, words, code):
    status, said, _ = hosted("run", "--platform", "model", *TINY, *words, "--out", tmp_path / "run")
    assert status == code
    if "core=5" in words:
        assert said == ""
    else:
        assert_page_is_last(said, tmp_path / "run")


def test_repeat_ends_as_run_does_where_nothing_can_be_measured(tmp_path):
    words = ["--platform", "model", *TINY, "--set", "experiments=numa"]
    code, said = command(HOSTED, "repeat", "--runs", "2", *words, "--out", tmp_path / "runs")
    assert code == 3 and said.count("failed, its log.txt says why") == 2


def test_a_quiet_run_says_on_a_terminal_that_it_measures(tmp_path):
    words = [str(word) for word in (HOSTED, "run", "--quiet", "--platform", "model", *TINY, "--out", tmp_path / "run")]
    code, said = command("script", "-qec", shlex.join(words), "/dev/null")
    assert code == 0 and said.startswith("measuring; only the last page will follow")


def test_a_full_disk_is_said_first_on_the_last_page(tmp_path):
    """A volume of 64 KB: the page of report.html does not fit, and results.csv soon does not, either."""
    folder = tmp_path / "volume"
    folder.mkdir()
    script = ('mount -t tmpfs -o size=64k none "$1" || exit 77; shift; "$@"; code=$?; '
              'head -c 300 "$0/run/results.csv" >"$0.csv"; exit $code')
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script, folder, folder, HOSTED, "run", "--platform",
                           "model", "--set", "experiments=mlp", "--set", "pages=2m", "--out", folder / "run"], text=True,
                          env=CLEAN, capture_output=True, timeout=300)
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("no volume can be mounted here")
    assert done.returncode == 1
    page = done.stdout[done.stdout.index("\ntrouble:") + 1:]
    words = " ".join(page.split("\nmlpboot ")[0].split())
    assert words.startswith("trouble: could not save results.csv")
    assert "No space left on device" in words
    assert "===" not in done.stdout and "\n|" not in done.stdout
    assert done.stdout.count("results.csv could not be saved") == 1
    assert_page_is_last(done.stdout, folder / "run")
    assert Path(f"{folder}.csv").read_text().startswith("experiment,case")


@pytest.mark.parametrize("megabytes, setting, code, reason", [
    (128, "mlp.bytes=1g", 3, "mlp: Linux gives no memory"),
    (400, "samples.max=100000", 1, "mlp: not enough memory for the samples; lower samples.max")])
def test_too_little_memory_is_said_first(tmp_path, megabytes, setting, code, reason):
    def leave_little():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    status, said, _ = hosted("run", "--quiet", *set_all("experiments=mlp", "pages=4k", setting), "--out", tmp_path / "run",
                             preexec_fn=leave_little)
    assert status == code, said
    assert re.match(f"trouble:      {reason}.*\n(    .*\n)?mlpboot ", said), said
    verdicts = Results.of_folder(tmp_path / "run").verdicts
    assert all(reason.split(": ")[1][:20] in verdict["method"] for verdict in verdicts
               if verdict["experiment"] == "mlp")


# --- build/mlpboot-hosted repeat ---

NOISY = ["--platform", "model:noise=0.1", *TINY]


def table_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def by_verdict(rows):
    return {(row["experiment"], row["case"], row["name"]): row for row in rows}


def lower_median(numbers):
    return sorted(numbers)[(len(numbers) - 1) // 2]


def said_together(verdicts):
    """What `agree` has to say of one verdict of several runs."""
    valued = [row for row in verdicts if row["value"] != ""]
    ok = [row for row in valued if row["status"] == "ok"]
    within = [row for row in ok if row["low"] != "" and row["high"] != ""]
    median = lower_median([float(row["value"]) for row in valued]) if valued else None
    held = sum(float(row["low"]) <= median <= float(row["high"]) for row in within)
    values = [float(row["value"]) for row in ok]
    apart = sum(float(one["high"]) < float(other["low"]) or float(other["high"]) < float(one["low"])
                for one, other in combinations(within, 2))
    return {"runs": len(verdicts),
            **{status: sum(row["status"] == status for row in verdicts)
               for status in ("ok", "doubt", "skip", "error")},
            "median": median, "ok_min": min(values, default=None),
            "ok_max": max(values, default=None), "held": held, "intervals": len(within),
            "contradictions": apart}


def agreement(folder):
    """What `agree` says of the runs in a folder: (exit status, what it printed, rows of its CSV by verdict)."""
    folder.with_suffix(".csv").unlink(missing_ok=True)
    code, said, complaint = tool("agree", folder, "--out", folder.with_suffix(".csv"))
    return code, said + complaint, by_verdict(table_of(folder.with_suffix(".csv")))


def test_agree_says_of_many_runs_what_each_of_them_said(tmp_path):
    out = tmp_path / "runs"
    out.mkdir()  # an empty directory is as good as none
    code, said = command(HOSTED, "repeat", "--runs", 6, *NOISY, "--set", "seed=40", "--out", out)
    assert code == 0, said
    folders = [f"000{number}" for number in range(1, 7)]
    assert sorted(path.name for path in out.iterdir()) == [*folders, "repeat.log"]
    runs = [Results.of_folder(out / folder) for folder in folders]
    for number, run in enumerate(runs, 1):
        assert sorted(run.files) == FILES
        assert json.loads(run.files["run.json"])["configuration"]["seed"] == str(40 + number)

    code, agreed, rows = agreement(out)
    assert code == 0
    each = [by_verdict(run.verdicts) for run in runs]
    # All of every run: the smallest time may be in another case from run to run.
    assert set(rows) == set().union(*each)
    assert {key[2] for key in rows if key not in each[0]} <= {"above_floor"}
    for key, row in rows.items():
        wanted = said_together([verdicts[key] for verdicts in each if key in verdicts])
        assert {name: float(row[name]) if row[name] else None for name in wanted} == wanted, key
    # Some intervals hold and some do not, some verdicts are ok and some are not: nothing was idle.
    held, intervals = (sum(int(row[name]) for row in rows.values()) for name in ("held", "intervals"))
    assert 0 < held < intervals
    for status in ("ok", "doubt", "skip"):
        assert any(row[status] == "6" for row in rows.values())
    share = f"{100 * held / intervals:.1f}"
    assert f"{intervals} of them with an interval; {held} ({share} %) hold their median\n" in agreed
    apart, pairs = (sum(numbers) for numbers in zip(*(
        (int(row["contradictions"]), math.comb(int(row["intervals"]), 2)) for row in rows.values())))
    share = f"{100 * apart / pairs:.1f}"
    assert f"{apart} of {pairs} pairs of these intervals of one verdict ({share} %) contradict each other" in agreed
    log = (out / "repeat.log").read_text()
    for number in range(1, 7):
        for text in (said, log):
            assert text.count(f"run {number} of 6: {out}/000{number}: done, ") == 1
    assert "status: done" not in said  # a run's own tables are in its folder alone


@pytest.mark.parametrize("intervals, apart", [
    (["181,181"], 0), (["181,181", "181,181", "181,181"], 0), (["181,181", "201,201"], 1),
    (["181,181", "201,201", "181,201"], 1), (["181,181", "201,201", "200,202", "179,182"], 4),
    (["1,2", "3,4", "5,6", "7,8"], 6), (["1,2", "2,3", "3,4"], 1), (["1,2", "5,"], 0), (["1,2", ","], 0)])
def test_agree_counts_answers_that_contradict_each_other(tmp_path, intervals, apart):
    for number, ends in enumerate(intervals):
        folder = tmp_path / "runs" / f"{number}"
        folder.mkdir(parents=True)
        (folder / "run.json").write_text(json.dumps({"program": "mlpboot", "status": "done"}))
        (folder / "verdicts.csv").write_text("\n".join([
            "experiment,case,name,value,low,high,unit,status,reason,method",
            f"structures,add,integer_registers,190,{ends},registers,ok,,m",
            # Neither doubt nor another case contradicts anything.
            f"structures,add,rob_entries,190,{number},{number},entries,doubt,scatter,m",
            f"structures,add-{number},integer_registers,190,{number},{number},registers,ok,,m", ""]))
    code, said, rows = agreement(tmp_path / "runs")
    assert code == 0 and rows["structures", "add", "integer_registers"]["contradictions"] == str(apart), said
    assert rows["structures", "add", "rob_entries"]["contradictions"] == "0"
    whole = sum(not ends.endswith(",") for ends in intervals)
    share = f" ({100 * apart / math.comb(whole, 2):.1f} %)" if whole > 1 else ""
    assert (f"{apart} of {math.comb(whole, 2)} pairs of these intervals of one verdict{share} "
            f"contradict each other: they do not meet\n") in said


def test_repeat_runs_as_run_does(tmp_path):
    """The same seed by `run`: the same points, so that what repeat says is of such runs."""
    assert command(HOSTED, "repeat", "--runs", 1, *NOISY, "--out", tmp_path / "runs")[0] == 0
    assert command(HOSTED, "run", *NOISY, "--set", "seed=2", "--out", tmp_path / "run")[0] == 0
    one, other = (Results.of_folder(tmp_path / name) for name in ("runs/0001", "run"))
    assert one.points() == other.points()
    assert json.loads(one.files["run.json"])["configuration"] == \
        json.loads(other.files["run.json"])["configuration"]


def test_repeat_of_runs_that_all_fail(tmp_path):
    code, said = command(HOSTED, "repeat", "--runs", 2, *NOISY, "--set", "selftest=fault", "--out",
                         tmp_path / "runs")
    assert code == 1 and "runs: 2 of 2 made, 2 failed" in said
    assert f"run 2 of 2: {tmp_path}/runs/0002: failed, its log.txt says why" in said
    code, said, _ = tool("agree", tmp_path / "runs")
    assert (code, said) == (1, "")


def child_in(pid, folder):
    """The process that makes the run of this folder, as soon as it measures."""
    for _ in range(3000):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if children and (folder / "run.json").exists():
            return int(children[0])
        time.sleep(0.01)
    raise AssertionError(f"no run in {folder}")


def stopped_in_the_second_run(folder, stop):
    """Three runs of some time, the second one stopped: (what was said, exit code)."""
    process = subprocess.Popen([HOSTED, "repeat", "--runs", "3", *NOISY, "--set", "mlp.loads=1-8",
                                "--set", "samples.min=3000", "--set", "samples.max=3000",
                                "--out", folder], text=True, env=CLEAN,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    stop(process.pid, child_in(process.pid, folder / "0002"))
    return process.communicate(timeout=300)[0], process.returncode


def test_repeat_goes_on_after_a_run_that_is_killed(tmp_path):
    out = tmp_path / "runs"
    said, code = stopped_in_the_second_run(out, lambda _, child: os.kill(child, signal.SIGKILL))
    assert code == 1
    assert f"run 2 of 3: {out}/0002: failed, ended by signal 9 (Killed)" in said
    assert "runs: 3 of 3 made, 1 failed" in said
    code, said, rows = agreement(out)
    assert code == 1 and f"{out}/0002: its status is partial, not done" in said
    assert rows["mlp", "4k", "one_load"]["runs"] == "2"


def test_repeat_ends_at_ctrl_c_and_keeps_what_there_is(tmp_path):
    def interrupt(parent, child):
        os.kill(parent, signal.SIGINT)
        os.kill(child, signal.SIGINT)

    said, code = stopped_in_the_second_run(tmp_path / "runs", interrupt)
    assert code == 1 and "runs: 2 of 3 made, 1 failed" in said
    assert agreement(tmp_path / "runs")[2]["mlp", "4k", "one_load"]["runs"] == "1"
    assert not (tmp_path / "runs/0003").exists()
