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


def test_a_cut_while_others_were_started_is_on_the_last_page(tmp_path):
    """As if power had gone then: siblings are left awake, which the next runs' pages show."""
    machine = boot(tmp_path, TINY)
    assert not machine.says("siblings not put to sleep")
    state = machine.volume.read(STATE)
    machine.volume.write(STATE, state.replace(b"step=- ", b"step=processors "))
    machine = again(tmp_path, machine)
    assert machine.says("siblings not put to sleep; prefetchers"), machine.evidence()


def test_a_second_start_since_the_last_reset_hands_over(tmp_path):
    """Two sticks of one configuration, and one of another behind them that switches the machine off: as where the
    firmware lists a stick twice, each of which hands over."""
    config = TINY + "finish = exit\n"
    folders = [tmp_path / name for name in ("second", "third")]
    for folder in folders:
        folder.mkdir()
    others = [prepare_image(folders[0], config, None), prepare_image(folders[1], TINY, "shutdown")]
    extra = [option for i, image in enumerate(others, 1) for option in (
        "-drive", f"if=none,id=other{i},format=raw,file={image}",
        "-device", f"ide-hd,drive=other{i},bus=ide.{i},bootindex={i}")]
    machine = boot(tmp_path, config, disk="sata-first", extra=extra)
    assert machine.says("This was measured since the machine was switched on."), machine.evidence()
    assert machine.console.count("Handing over to the firmware's next boot entry") == 2
    assert machine.volume.runs() == ["0001"] and Volume(others[0]).runs() == []
    assert Volume(others[1]).results().log[-1] == "event=done status=done"
    # A reset forgets it.
    machine = again(tmp_path, machine, disk="sata-first", extra=extra)
    assert machine.volume.runs() == ["0001", "0002"]


def with_boot_next(variables, description):
    """Adds the variable BootNext, which names the entry of that description, to a file of OVMF's variables (edk2,
    VariableFormat.h): the firmware starts that one once, as if somebody had chosen it in its menu."""
    data = bytearray(variables.read_bytes())
    at, entry = 0x64, None
    while data[at:at + 2] == b"\xaa\x55":
        attributes, name_bytes, data_bytes = (
            int.from_bytes(data[at + offset:at + offset + 4], "little") for offset in (4, 36, 40))
        vendor = data[at + 44:at + 60]
        name = data[at + 60:at + 60 + name_bytes].decode("utf-16-le").rstrip("\0")
        value = data[at + 60 + name_bytes:at + 60 + name_bytes + data_bytes]
        if re.fullmatch("Boot[0-9A-F]{4}", name) and data[at + 2] == 0x3f:
            template = vendor
            if description.encode("utf-16-le") in value:
                entry = int(name[4:], 16)
        at += (60 + name_bytes + data_bytes + 3) // 4 * 4
    name = "BootNext\0".encode("utf-16-le")
    record = (b"\xaa\x55\x3f\0" + (7).to_bytes(4, "little") + bytes(28) + len(name).to_bytes(4, "little") +
              (2).to_bytes(4, "little") + template + name + entry.to_bytes(2, "little"))
    data[at:at + len(record)] = record
    chosen = variables.with_name("chosen.fd")
    chosen.write_bytes(data)
    return chosen


def test_reboots_where_another_disk_comes_first(tmp_path):
    """The stick is second in the boot order, and chosen once: it says what the reboot starts, and that is what follows."""
    folder = tmp_path / "system"
    folder.mkdir()
    system = prepare_image(folder, "the system\n", "shutdown")
    image = prepare_image(tmp_path, TINY + "runs = 3\nfinish = reboot\n", None)
    options = {"disk": "sata-first", "image": system, "extra": [
        "-action", "reboot=reset", "-drive", f"if=none,id=stick,format=raw,file={image}",
        "-device", "ide-hd,drive=stick,bus=ide.1,bootindex=1,serial=THESTICK"]}
    boot(tmp_path, **options)
    stick = Volume(image)
    assert stick.runs() == []
    told = 'finish = reboot: "UEFI QEMU HARDDISK QM'
    for number in ("0001", "0002", "0003"):
        machine = boot(tmp_path, first_variables=with_boot_next(tmp_path / "vars.fd", "THESTICK"), **options)
        assert stick.runs()[-1] == number
        assert machine.console.count("Rebooting.") == 1, machine.evidence()
        assert machine.says("the system: '=' is missing")
        results = stick.results(int(number))
        assert results.log[-1] == "event=done status=done"
        is_last = number == "0003"
        assert machine.says(told) is not is_last, machine.console
        assert any(told in line for line in remarks(results)) is not is_last
    machine = boot(tmp_path, first_variables=with_boot_next(tmp_path / "vars.fd", "THESTICK"), **options)
    assert machine.says("All that was asked for was measured in earlier boots")


# Firmware without a shell of its own, as Debian's since 2026, starts this one.
SHELL = Path("/usr/share/efi-shell-x64/shellx64.efi")
SCRIPT = """\
fs0:
mlpboot.efi experiments=array "pages=1g 4k" array.bytes=64g label="a Zürich shell" words finish=exit
echo lasterror %lasterror%
mlpboot.efi runs=none finish=exit
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
    volume.write("/startup.nsh", SCRIPT.encode("utf-16"))
    with Machine(tmp_path, image=image, cpu="Haswell,pdpe1gb=off") as machine:
        if machine.wait_for("image base|No bootable option")[0].startswith("No"):
            pytest.skip("this firmware has no shell, and efi-shell-x64 is not installed")
        machine.wait(400)
    assert machine.console.count("Back to the shell.") == 3, machine.evidence()
    assert machine.says("lasterror 0x15"), machine.evidence()  # aborted: nothing was measured
    results = volume.results(1)
    assert results.run["label"] == "a Zürich shell"
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
    for number in (2, 3):  # a person who starts it again in a shell means it
        refused = volume.results(number).log
        assert any("load options: runs = none: none is not a number" in line for line in refused)

