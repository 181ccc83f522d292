"""A run that fails says why: run.json, the first lines of the page and of the last screen, and QEMU's exit status."""

import pytest

import watch
from machine import SHORT, Machine, Volume, boot, command, prepare_image
from network import RANGE, SERVER, Networked, arrived
from received import given_back
from report import runs_of
from test_hardware_errors import BUS, CONFIG, STOP, UNCORRECTED, inject, mce
from tool import tool

DONE, PARTIAL, ERROR, NOTHING = 33, 35, 37, 39  # QEMU's exit status
EXIT = ["-device", "isa-debug-exit"]
PORT = "finish.qemu = 1281\n"
QEMU = SHORT.replace("2m 4k", "2m") + PORT


def failures_of(results):
    """(step, code, words) of each, as a script would count them."""
    return [tuple(failure[name] for name in ("step", "code", "words"))
            for failure in results.run.get("failures", {}).values()]


def check_told(machine, exit_code, *wanted, number=1):
    """Asserts that each place tells that, the page what run.json tells."""
    assert machine.exit_code == exit_code, machine.evidence()
    results = machine.volume.results(number)
    told = failures_of(results)
    assert [(step, code) for step, code, _ in told] == [(step, code) for step, code, _ in wanted]
    for (step, _, words), (_, _, part) in zip(told, wanted):
        assert part in words
        assert machine.says(f"trouble: {step}: {part}" if step else f"trouble: {part}"), machine.evidence()
    assert results.log[-1] == f"event=done status={results.run['status']}"
    page = runs_of(results.files["report.html"])[f"{number:04}"]
    assert page["run.json"].strip() == results.files["run.json"].strip()
    assert page["log.txt"] == results.files["log.txt"]
    return results


@pytest.mark.parametrize("more, exit_code, failures", [
    ("", DONE, []),
    ("selftest = fault\n", ERROR, [("self-test", "fault", "invalid opcode")]),
    ("experiments = array\narray.bytes = 64g\n", NOTHING,
     [("array", "not-measured", "there is not that much free memory in one piece")]),
])
def test_a_run_to_its_end(tmp_path, more, exit_code, failures):
    machine = boot(tmp_path, QEMU + more, extra=EXIT)
    check_told(machine, exit_code, *failures)


def test_a_wrong_configuration(tmp_path):
    machine = boot(tmp_path, QEMU + "mlp.loads = 0\n", extra=EXIT)
    assert machine.exit_code == NOTHING
    assert machine.says("Nothing is measured: mlpboot.cfg:"), machine.evidence()
    assert machine.volume.results().log[-1] == "event=done status=error"


def test_a_volume_that_takes_nothing(tmp_path):
    machine = boot(tmp_path, QEMU, readonly=True, extra=EXIT)
    assert machine.exit_code == PARTIAL
    assert machine.says("trouble: could not save"), machine.evidence()
    assert '"code": "not-saved"' in machine.console


def test_a_full_volume(tmp_path):
    image = prepare_image(tmp_path, QEMU, "shutdown")
    Volume(image).fill()
    machine = boot(tmp_path, image=image, extra=EXIT)
    assert machine.exit_code == PARTIAL
    assert machine.says("trouble: could not save"), machine.evidence()


def test_a_run_that_is_cut_and_the_next_ones(tmp_path):
    """The disk stops answering whenever mlp's progress is shown; the third run leaves mlp out."""
    image = prepare_image(tmp_path, QEMU + "experiments = mlp array\narray.bytes = 4k\nhang.seconds = 6\n", "shutdown")
    watch.install(Volume(image), hang="mlp  ")
    for number in (1, 2):
        machine = boot(tmp_path, image=image, extra=EXIT)
        (step, code, words), = failures_of(machine.volume.results(number))
        assert (step, code) == ("", "cut-short") and "log.txt" in words
    machine = boot(tmp_path, image=image, extra=EXIT)
    check_told(machine, PARTIAL, ("mlp", "left-out", "runs before were cut short in it"), number=3)


def check_first_screen(browser, page, words):
    """Asserts that the page shows this before anybody scrolls."""
    browser.open(page)
    text, bottom = browser.run("const told = document.querySelector('.health .failed');"
                               "return [told.innerText, told.getBoundingClientRect().bottom]")
    assert words in text and bottom < browser.run("return innerHeight")


def test_a_machine_check(browser, tmp_path):
    with Machine(tmp_path, CONFIG + PORT, monitored=True, extra=EXIT) as machine:
        inject(machine, mce(5, UNCORRECTED | STOP | BUS))
        machine.wait()
    results = check_told(machine, ERROR, ("mlp", "fault", "machine check (vector 18"))
    page = tmp_path / "report.html"
    page.write_bytes(results.files["report.html"])
    check_first_screen(browser, page, "This run is not done: mlp: machine check (vector 18")


# Takes files and gives them back until the rows come for the second time, and is gone in the midst of them.
GOES = """
import http.server, os
class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version, seen = "HTTP/1.1", []
    def do_PUT(self):
        length = int(self.headers["Content-Length"])
        self.seen.append(self.path.rpartition("/")[2])
        if self.seen.count("results.csv") == 2:
            self.rfile.read(length // 2)
            os._exit(0)
        os.makedirs("." + os.path.dirname(self.path), exist_ok=True)
        open("." + self.path, "wb").write(self.rfile.read(length))
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()
http.server.ThreadingHTTPServer(("", 8080), Handler).serve_forever()
"""


def test_a_server_that_is_gone_during_the_upload(browser, lab, tmp_path):
    """From a stick that takes nothing. The serial port has all, the server what came before."""
    image = prepare_image(tmp_path, f"{QEMU}results.to = http://{SERVER}:8080/inbox\n", "shutdown")
    log = tmp_path / "server.log"
    lab.dnsmasq(tmp_path, f"--dhcp-range={RANGE}")
    server = lab.start("sh", "-c", f"cd {tmp_path}; exec /usr/bin/python3 -c '{GOES}'", log=log)
    with Networked(lab, tmp_path, extra=[
            *EXIT, "-drive", f"if=none,id=disk,format=raw,readonly=on,file={image}",
            "-device", "virtio-blk-pci,drive=disk,bootindex=0"]) as machine:
        machine.wait()
    assert server.wait(5) == 0, log.read_text()
    assert machine.exit_code == PARTIAL, machine.evidence()
    assert machine.says("trouble: could not save"), machine.evidence()
    results = given_back(tmp_path, machine.output)
    (_, code, words), = failures_of(results)
    assert code == "not-saved" and "results.csv" in words
    partly, _ = arrived(tmp_path / "inbox")
    (_, code, words), = failures_of(partly)
    assert code == "cut-short"
    page = tmp_path / "report.html"
    (run,) = (tmp_path / "received").iterdir()
    tool("report", run, "--out", page)
    check_first_screen(browser, page, "This run is not done: could not save")


# Leaves a run that did not end: its log has the room that is behind it until its end.
STUB = """\
#!/bin/sh
for word; do case $word in if=virtio*) image=${word##*file=} ;; esac; done
[ -n "$image" ] || exit 0
echo "$@" >"$0.words"
printf 'mlp  1 %%\rmlp  100 %%\r\r\n'
printf 'event=start\\nevent=experiment name=noise\\n\\n\\n\\0\\0' >"$0.log"
mmd -i "$image@@1M" ::/results/0001 && mcopy -i "$image@@1M" "$0.log" ::/results/0001/log.txt
"""


def run_stub(tmp_path, **environment):
    """What run.sh said, and the words that QEMU was called with."""
    stub = tmp_path / "their-qemu"
    stub.write_text(STUB)
    stub.chmod(0o755)
    code, said = command("bash", "images/run.sh", ACCEL="tcg", RESULTS_DIR=str(tmp_path / "results"), QEMU=str(stub), **environment)
    assert code == 1, said
    return said, (tmp_path / "their-qemu.words").read_text()


def test_make_run_names_the_last_step_of_a_run_that_did_not_end(tmp_path):
    said, _ = run_stub(tmp_path)
    assert 'log.txt ends with "event=experiment name=noise"' in said, said
    assert "\nmlp  100 %\n" in said and "mlp  1 %" not in said


@pytest.mark.parametrize("name, files", [("OVMF.fd", 1), ("OVMF_CODE.fd", 2)])
def test_make_run_takes_another_firmware(tmp_path, name, files):
    """A whole one is a file that it may write, a copy; else the code is read-only, and the variables are a copy."""
    for path in (tmp_path / name, tmp_path / name.replace("CODE", "VARS")):
        path.touch()
    _, words = run_stub(tmp_path, FIRMWARE=str(tmp_path / name))
    assert words.count("if=pflash") == files and words.count("readonly=on") == files - 1
    assert (f"readonly=on,file={tmp_path}/{name}" in words) == (files == 2)
