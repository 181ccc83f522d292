"""The manual's recipes for CI services, read out of the manual and run in a plain folder with a release."""

import gzip
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest
import yaml

from machine import BUILD, CLEAN, CODE, IMAGE, ROOT, VARIABLES

NEEDS = {"python3-yaml"}

TEXT = (ROOT / "images/manual/ci.md").read_text()
FILES = dict(re.findall(r"(?ms)^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$", TEXT))
# run.sh and check need these of a release.
RELEASED = ["run.sh", "find-ovmf.sh", "read-results.sh"]

SERIAL = """\
BdsDxe: starting Boot0001
=== mlpboot log.txt begin ===
event=start version=1.0 platform=efi label=
event=experiment name=mlp
event=measured experiment=mlp rows=12 visits=40 seconds=1.5
event=done status=done
=== mlpboot log.txt end ===
Shutting down.
"""


def test_all_files_are_found():
    assert set(FILES) == {"ci.cfg", "ci.expect", ".github/workflows/mlpboot.yml", ".gitlab-ci.yml", "boot-machine.sh", "Jenkinsfile",
                          "lab.yaml", "test_mlpboot.py"}


@pytest.fixture
def job(tmp_path):
    """Runs shell lines as a service does, in a folder with the recipes' files: (exit status, what they said)."""
    release, folder, programs = (tmp_path / name for name in ("release", "job", "bin"))
    for made in (release, folder, programs):
        made.mkdir()
    for name in RELEASED:
        shutil.copy(ROOT / "images" / name, release)
    shutil.copy(BUILD / "mlpboot.pyz", release)
    (release / "mlpboot-1.0.img.gz").write_bytes(gzip.compress(IMAGE.read_bytes(), 1))
    for name in ("ci.cfg", "ci.expect", "boot-machine.sh"):
        (folder / name).write_text(FILES[name])

    def run(lines, **environment):
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", lines], cwd=folder, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
                              env={**CLEAN, "MLPBOOT": str(release), "PATH": f"{programs}:{CLEAN['PATH']}", **environment})
        return done.returncode, done.stdout

    def program(name, text):
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)

    run.folder, run.program = folder, program
    return run


def cases_of(folder):
    suite = ElementTree.parse(folder / "mlpboot.xml").getroot()
    return {case.get("name"): [child.tag for child in case] for case in suite.findall("testcase")}


def check_booted(folder, said):
    assert (folder / "results/latest/run.json").exists() and "event=done status=done" in (folder / "serial.log").read_text(), said
    cases = cases_of(folder)
    assert cases["done"] == cases["self-test"] == cases["mlp"] == cases["status = done"] == cases["interrupts = off"] == []
    assert cases["noise.quiet.max_gap < 100 us or doubt"] == ["skipped"], cases


def test_a_firmware_by_github_actions(job):
    workflow = yaml.safe_load(FILES[".github/workflows/mlpboot.yml"])
    assert workflow[True] == ["push", "pull_request"]  # YAML 1.1 reads the key `on` as true
    assert workflow["defaults"]["run"]["shell"] == "bash"  # which has pipefail
    [steps] = [one["steps"] for one in workflow["jobs"].values()]
    assert [step["uses"] for step in steps if "uses" in step] == ["actions/checkout@v4", "actions/upload-artifact@v4"]
    whole = VARIABLES.read_bytes() + CODE.read_bytes()
    (job.folder / "Makefile").write_text("OVMF.fd: other.fd\n\tcp $< $@\n")
    (job.folder / "other.fd").write_bytes(whole)
    for step in (step for step in steps if "run" in step):
        code, said = job(step["run"], GITHUB_STEP_SUMMARY=str(job.folder / "summary.md"), **step.get("env", {}))
        assert code == 0, said
    check_booted(job.folder, said)
    assert "| pass | done |" in (job.folder / "summary.md").read_text()
    kept = steps[-1]["with"]["path"].split()
    assert all((job.folder / path).exists() for path in kept) and steps[-1]["if"] == "always()"


def gitlab_script():
    recipe = yaml.safe_load(FILES[".gitlab-ci.yml"])
    assert [recipe[name]["stage"] for name in ("build", "mlpboot")] == recipe["stages"]
    assert recipe["mlpboot"]["artifacts"]["reports"] == {"junit": "mlpboot.xml"}
    return "\n".join(recipe["mlpboot"]["script"]), recipe["mlpboot"]["variables"]


def test_an_emulator_by_gitlab(job):
    script, variables = gitlab_script()
    theirs = job.folder / variables["QEMU"]
    theirs.parent.mkdir()
    theirs.write_text('#!/bin/sh\nexec qemu-system-x86_64 "$@"\n')
    theirs.chmod(0o755)
    code, said = job(script, **variables)
    assert code == 0, said
    check_booted(job.folder, said)


@pytest.mark.parametrize("text, wanted, case", [
    (f"cat <<'END'\n{SERIAL.partition('event=measured')[0]}END", 4, "mlp"), ("exit 1", 1, None)])
def test_an_emulator_that_hangs_or_breaks(job, text, wanted, case):
    """Without results the serial log is checked; without that, the run's own failure is the job's."""
    script, variables = gitlab_script()
    job.program("broken", f"case $* in *if=virtio*) ;; *) exit 0 ;; esac\n{text}")
    code, said = job(script, **{**variables, "QEMU": "broken"})
    assert code == wanted or (case is None and code != 0), said
    assert case is None or cases_of(job.folder)[case] == ["failure"]


@pytest.mark.parametrize("log, wanted", [(SERIAL, 0), (SERIAL.partition("event=measured")[0], 4)])
def test_a_machine_by_jenkins(job, log, wanted):
    """It waits for the end of the run, not for the end of what the port prints, and switches the machine off."""
    job.program("powerman", "echo $@ >>calls")
    job.program("socat", f"echo $@ >>calls\ncat <<'END'\n{log}END\n" + ("exec sleep 100" if wanted == 0 else ""))
    boot, check = re.findall(r"sh '(.*)'", FILES["Jenkinsfile"])
    code, said = job(boot)
    assert code == 0, said
    calls = (job.folder / "calls").read_text().splitlines()
    assert sorted(calls[1:3]) == ["--on slot13", "-u TCP:serial.example:2013 -"] and calls[0] == calls[-1] == "--off slot13"
    code, said = job(check)
    assert code == wanted, said
    assert (cases_of(job.folder)["done"] == []) == (wanted == 0)
    assert re.findall(r"junit '(.*)'", FILES["Jenkinsfile"]) == ["mlpboot.xml"]


class Target:
    """A target of labgrid, as far as the recipe needs it."""

    def __init__(self, said):
        self.said, self.calls = said, []

    def get_driver(self, protocol):
        return self

    def cycle(self):
        self.calls.append("cycle")

    def expect(self, patterns, timeout):
        before, found, _ = self.said.partition(patterns[0].encode())
        return int(not found), before, None, None


@pytest.mark.parametrize("log, is_right", [(SERIAL, True), (SERIAL.partition("event=measured")[0], False)])
def test_a_machine_by_labgrid(job, monkeypatch, log, is_right):
    target = yaml.safe_load(FILES["lab.yaml"])["targets"]["main"]
    assert set(target["drivers"]) == {"SerialDriver", "NetworkPowerDriver"}
    code = FILES["test_mlpboot.py"].replace("import pexpect", "class pexpect:\n    TIMEOUT = None")
    monkeypatch.chdir(job.folder)
    monkeypatch.setenv("MLPBOOT", str(BUILD))
    recipe = {}
    exec(compile(code, "test_mlpboot.py", "exec"), recipe)
    asked = Target(log.encode())
    if is_right:
        recipe["test_boot"](asked)
    else:
        with pytest.raises(subprocess.CalledProcessError):
            recipe["test_boot"](asked)
    assert asked.calls == ["cycle"] and (cases_of(job.folder)["done"] == []) == is_right
