"""One boot and the next: what hangs is left out, what is done is not done again, and nothing runs for
ever."""

import re
from pathlib import Path

import pytest

import watch
from foreign import make_a_ring
from machine import ABSENT, PARTITION_OFFSET, SHORT, Machine, Volume, boot, prepare_image
from report import runs_of, without_padding

STATE = "/mlpboot.state"
TINY = SHORT.replace("2m 4k", "2m").replace("1-3", "1-2")


def again(folder, machine, **options):
    """The next boot of the same disk."""
    return boot(folder, image=machine.volume.image, **options)


def remarks(results):
    return [line for line in results.log if line.startswith("event=remark ")]


def test_a_call_that_never_returns_ends_in_a_reset_and_is_left_out_the_third_time(tmp_path):
    """The disk stops answering whenever mlp's progress is shown; array comes after it."""
    config = TINY + "experiments = mlp array\narray.bytes = 4k\narray.loads = 1\nhang.seconds = 6\n"
    image = prepare_image(tmp_path, config, "shutdown")
    watch.install(Volume(image), hang="mlp  ")
    for number in (1, 2):
        machine = boot(tmp_path, image=image, timeout=400)  # a reset ends this emulator
        assert not machine.says("Shutting down"), machine.evidence()
        results = machine.volume.results(number)
        assert results.log[-1] == "event=experiment name=mlp"
        assert results.run["status"] == "partial"
        told = [f"event=remark message=mlpboot.cfg: run {number - 1:04} was cut short in mlp"]
        assert remarks(results) == told[:number - 1]
        assert machine.volume.fsck() == ""
    machine = boot(tmp_path, image=image)
    assert machine.says("Shutting down"), machine.evidence()
    results = machine.volume.results(3)
    assert "run 0002 was cut short in mlp, as 1 before it in a row" in remarks(results)[0]
    assert remarks(results)[1].endswith("or the configuration changed: mlp")
    for line in remarks(results):
        assert machine.says(line.partition("message=")[2])
    assert results.log[-1] == "event=done status=partial"
    assert [line for line in results.log if line.startswith("event=left_out name=mlp ")]
    assert {row["experiment"] for row in results.rows} == {"floor", "array"}
    watch.check_restored(machine.volume)


def test_a_directory_without_end_keeps_nobody_from_measuring(tmp_path):
    """edk2's driver would look for the end of its clusters for ever: nothing is written there."""
    image = prepare_image(tmp_path, TINY, "shutdown")
    make_a_ring(image, "RESULTS", PARTITION_OFFSET)
    machine = boot(tmp_path, image=image, timeout=400)
    assert machine.says("the volume booted from takes no results: the clusters of a folder do not end")
    assert machine.says("Shutting down"), machine.evidence()
    assert machine.says("mlp,2m,2,64,")
    assert not machine.says("It is safe to remove the stick")


def test_configurations_of_a_directory_and_a_reset_in_the_second(tmp_path):
    shared = TINY.replace("1-2", "1") + "finish = wait\nfinish.seconds = 2\n"
    image = prepare_image(tmp_path, shared, None)
    volume = Volume(image)
    volume.make_directory("/mlpboot.d")
    volume.write("/mlpboot.d/b.cfg", TINY.encode() + b"label = second\n")
    volume.write("/mlpboot.d/A.CFG", b"label = first\n")
    volume.write("/mlpboot.d/c.cfg", b"label = third\nmlp.loads = 0\n")
    volume.write("/mlpboot.d/d.cfg", b"label = fourth\npages = 4k\n")
    volume.write("/mlpboot.d/._d.cfg", b"\0\1\2")
    with Machine(tmp_path, image=image) as machine:
        machine.wait_for(r"configuration 2 of 4: mlpboot\.d\\b\.cfg[\s\S]*self-test")
        machine.kill()
    assert volume.runs() == ["0001", "0002"]
    machine = boot(tmp_path, image=image)
    assert machine.says("mlpboot.d\\A.CFG done, in run 0001; skipped")
    assert machine.says("Press a key to shut down; otherwise in 2 seconds.")
    assert volume.fsck() == ""
    assert volume.runs() == ["0001", "0002", "0003", "0004", "0005"]
    first, _, second, third, fourth = (volume.results(number) for number in range(1, 6))
    assert [results.run["label"] for results in (first, second, fourth)] == [
        "first", "second", "fourth"]
    for results, points in (first, [(1, 0)]), (second, [(1, 0), (2, 0)]), (fourth, [(1, 0)]):
        assert results.log[-1] == "event=done status=done"
        assert set(results.points()[results.run["configuration"]["pages"]]) >= set(points)
    for results, number in (first, "0001"), (second, "0003"), (fourth, "0005"):
        assert runs_of(results.files["report.html"]) == {number: without_padding(results.files)}
    assert list(third.files) == ["log.txt"]
    assert second.run["configured_by"]["label"] == "mlpboot.d\\b.cfg"
    assert second.run["configured_by"]["pages"] == "mlpboot.d\\b.cfg"
    assert fourth.run["configured_by"]["mlp.loads"] == "mlpboot.cfg"
    assert "run 0002 was cut short in" in remarks(second)[0] and not remarks(fourth)
    assert third.log[-1] == "event=done status=error"
    assert "mlpboot.d\\c.cfg:2: mlp.loads = 0: 0 is out of range" in " ".join(third.log)


def test_reboots_are_counted_and_the_next_boot_entry_follows(tmp_path):
    """A second disk with the image stands for the operating system behind the stick."""
    other = tmp_path / "other"
    other.mkdir()
    system = prepare_image(other, TINY + "label = the system behind\n", "shutdown")
    behind = {"disk": "sata-first", "extra": [
        "-action", "reboot=reset", "-drive", f"if=none,id=other,format=raw,file={system}",
        "-device", "ide-hd,drive=other,bus=ide.0,bootindex=1"]}
    image = prepare_image(tmp_path, TINY + "finish = reboot\n", None)
    watch.install(Volume(image))
    machine = boot(tmp_path, image=image, **behind)
    assert machine.console.count("Rebooting.") == 1, machine.evidence()
    assert machine.says("All that was asked for was measured in earlier boots")
    assert machine.says("Handing over to the firmware's next boot entry")
    assert machine.volume.runs() == ["0001"]
    assert machine.volume.results().log[-1] == "event=done status=done"
    # A changed configuration counts as new.
    machine.volume.write("/mlpboot.cfg", (TINY + "finish = exit\n").encode())
    machine = boot(tmp_path, image=image, **behind)
    assert machine.volume.results(2).log[-1] == "event=done status=done"
    watch.check_restored(machine.volume, ended="return")
    for number in (1, 2):
        results = Volume(system).results(number)
        assert results.run["label"] == "the system behind"
        assert results.log[-1] == "event=done status=done"


# Firmware without a shell of its own, as Debian's since 2026, starts this one.
SHELL = Path("/usr/share/efi-shell-x64/shellx64.efi")
SCRIPT = """\
fs0:
mlpboot.efi experiments=array "pages=1g 4k" array.bytes=64g label="a shell" words finish=exit
echo lasterror %lasterror%
mlpboot.efi runs=none finish=exit
reset -s
"""


def test_a_shell_hands_over_settings_and_gets_its_prompt_back(tmp_path):
    """Nothing that it asks for can be measured; the file with settings has another name."""
    image = prepare_image(tmp_path, ABSENT, None)
    volume = Volume(image)
    volume.write("/mlpboot.efi", volume.read("/EFI/BOOT/BOOTX64.EFI"))
    if SHELL.exists():
        volume.write("/EFI/BOOT/BOOTX64.EFI", SHELL.read_bytes())
    else:
        volume.remove("/EFI/BOOT/BOOTX64.EFI")
    volume.remove("/report/page.html")
    volume.write("/mlpboot.cfg.txt", b"finish = shutdown\n")
    volume.write("/startup.nsh", SCRIPT.encode())
    with Machine(tmp_path, image=image, cpu="Haswell,pdpe1gb=off") as machine:
        if machine.wait_for("image base|No bootable option")[0].startswith("No"):
            pytest.skip("this firmware has no shell, and efi-shell-x64 is not installed")
        machine.wait(400)
    assert machine.console.count("Back to the shell.") == 2, machine.evidence()
    assert machine.says("lasterror 0x15"), machine.evidence()  # aborted: nothing was measured
    results = volume.results(1)
    assert results.run["label"] == "a shell"
    assert results.run["configured_by"]["pages"] == "load options"
    hints = "\n".join(remarks(results))
    for hint in ('"words" is no key=value', "mlpboot.cfg.txt is there and is not read"):
        assert hint in hints and machine.says(hint)
    assert results.run["status"] == "nothing" and results.log[-1] == "event=done status=nothing"
    needed = [line.partition("reason=")[2] for line in results.log if "event=missing" in line]
    assert needed[0] == "the processor has no 1 GB pages"
    assert re.fullmatch(r"there is not that much free memory in one piece: 64g asked for, "
                        r"\d+m free in all", needed[1]), needed
    assert len(needed) == 2 and all(machine.says(reason) for reason in needed)
    no_page = "report/page.html, the page itself, cannot be read: it is not where this was started"
    assert machine.says(f"report.html is not written: {no_page}")
    assert f"event=report reason={no_page} from" in results.log
    assert "report.html" not in results.files
    refused = volume.results(2).log
    assert any("load options: runs = none: none is not a number" in line for line in refused)

