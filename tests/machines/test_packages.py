"""What each command needs, what it does where that is missing, and what it takes from other people's environments."""

import os
import re
import shutil

import pytest

from machine import ROOT, command

SCRIPT = "images/packages.sh"
USED = ["awk", "cat", "cut", "dirname", "env", "grep", "head", "id", "mktemp", "rm", "sed", "sh", "sort", "tail", "tr"]
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="apt-get needs root")


@pytest.fixture
def few_tools(tmp_path):
    """A PATH of what the script uses, and an apt-get that writes down how it was called and brings nothing."""
    for name in USED:
        (tmp_path / name).symlink_to(shutil.which(name))
    (tmp_path / "apt-get").write_text(f"""#!/bin/sh
[ ! -e /usr/sbin/policy-rc.d ] || echo services are refused >>{tmp_path}/called
echo "$@" >>{tmp_path}/called
""")
    (tmp_path / "apt-cache").write_text('#!/bin/sh\ncase $2 in mtools | chromium) echo Filename: x ;; esac\n')
    for name in ("apt-get", "apt-cache"):
        (tmp_path / name).chmod(0o755)
    return tmp_path


def packages(few_tools, *purposes, **environment):
    # A compiler that is not on this PATH, and no other place of EFI's headers than an empty one.
    return command("/bin/sh", SCRIPT, *purposes, **{"PATH": str(few_tools), "CC": "no-such-compiler", "EFI_INCLUDE": str(few_tools), **environment})


def called(few_tools):
    file = few_tools / "called"
    return file.read_text() if file.exists() else ""


def test_what_is_there_is_not_mentioned():
    assert command("/bin/sh", SCRIPT, "hosted", "image", "run", INSTALL="no") == (0, "")


def test_a_purpose_that_there_is_not_is_refused():
    code, said = command("/bin/sh", SCRIPT, "dance")
    assert code != 0 and "dance is no purpose" in said and "hosted" in said
    code, said = command("/bin/sh", SCRIPT, "hosted", INSTALL="maybe")
    assert code != 0 and "INSTALL=maybe is not known; accepted: no, skip" in said


def test_install_no_lists_everything_at_once_by_purpose_and_calls_no_apt(few_tools):
    code, said = packages(few_tools, "hosted", "image", "run", INSTALL="no")
    assert code != 0 and called(few_tools) == ""
    assert "for the Linux command: gcc (no-such-compiler), libc6-dev (<stdio.h> <pthread.h>)" in said
    assert "mtools (mcopy mmd mdir)" in said and "for QEMU: qemu-system-x86 (qemu-system-x86_64)" in said
    assert re.search("Debian, Ubuntu: apt-get install gcc libc6-dev .*mtools .*qemu-system-x86", said)
    assert re.search("Fedora: +gcc glibc-devel .*gnu-efi-devel mtools .*qemu-system-x86", said)
    assert re.search("Arch: +gcc glibc .*qemu-system-x86", said) and re.search("openSUSE: *gcc glibc-devel .*qemu-x86", said)
    assert "INSTALL=skip" in said and "EFI_INCLUDE=" in said


def test_install_skip_goes_on(few_tools):
    code, said = packages(few_tools, "hosted", "image", INSTALL="skip")
    assert code == 0 and called(few_tools) == ""
    assert "going on without: gcc libc6-dev" in said


def test_without_apt_or_root_the_same_list_says_so(few_tools):
    (few_tools / "apt-get").unlink()
    code, said = packages(few_tools, "image")
    assert code != 0 and "there is no apt-get here; missing:" in said and "mcopy" in said and "openSUSE:" in said


@needs_root
def test_what_is_missing_is_installed_and_starts_no_service(few_tools):
    was_there = os.path.exists("/usr/sbin/policy-rc.d")
    code, said = packages(few_tools, "image")
    assert code != 0 and "apt-get has no package for it, or its package lacks it; missing:" in said  # this apt-get brings nothing
    lines = called(few_tools).splitlines()
    assert "update" in called(few_tools)
    # apt installs nothing if it does not know one of the names, so the script asks for those that apt knows.
    assert lines[-1].endswith("--no-install-recommends install mtools") and lines[-2] == "services are refused"
    assert os.path.exists("/usr/sbin/policy-rc.d") == was_there


@needs_root
def test_tests_go_on_without_packages_that_a_system_does_not_have(few_tools):
    code, said = packages(few_tools, "test")
    assert code == 0 and re.search("going on without:.* bochs ", said)
    assert re.search(r"install chromium$", called(few_tools))  # the other name of the headless shell


@needs_root
def test_an_apt_that_fails_is_quoted(few_tools):
    (few_tools / "apt-get").write_text('#!/bin/sh\necho "E: no network"\nexit 100\n')
    code, said = packages(few_tools, "image")
    assert code != 0 and "E: no network" in said and "apt-get update failed; missing:" in said


def test_tools_count_and_not_packages(few_tools):
    for name in ("xorriso", "no-such-compiler"):
        (few_tools / name).symlink_to("/bin/true")
    assert packages(few_tools, "iso", INSTALL="no") == (0, "")


def test_headers_are_looked_for_with_the_compiler():
    code, said = command("/bin/sh", SCRIPT, "unit", INSTALL="no", CPPFLAGS="-nostdinc")
    assert code != 0 and "<cmocka.h>" in said
    assert command("/bin/sh", SCRIPT, "unit", INSTALL="no") == (0, "")


def test_nothing_is_written_where_others_may_put_a_link(few_tools):
    before = sorted(path.name for path in few_tools.iterdir())
    packages(few_tools, "iso", INSTALL="no", TMPDIR=str(few_tools))
    assert sorted(path.name for path in few_tools.iterdir()) == before


# --- The commands ---


@pytest.mark.parametrize("goal, purposes", [
    ("build/mlpboot-hosted", "hosted"), ("all", "hosted image"), ("run", "hosted image run"), ("unit", "hosted unit"),
    ("run-edge", "hosted unit"), ("check", "check hosted unit"), ("iso", "hosted image iso")])
def test_each_command_asks_for_its_own_purposes_and_first(goal, purposes):
    code, said = command("make", "-n", "--no-print-directory", goal)
    first = next(line for line in said.splitlines() if "packages.sh" in line)
    assert code == 0 and first == f"sh images/packages.sh {purposes}"
    assert not any("gcc" in line or "cc " in line for line in said[:said.index(first)].splitlines())


def test_no_server_and_no_browser_is_asked_for_before_make_test():
    listed = command("/bin/sh", SCRIPT, "--list", "hosted", "image", "iso", "run", "unit", "check")[1].split()
    assert "gcc" in listed and not {"nginx-light", "postgresql", "tftpd-hpa", "chromium-driver", "npm"} & set(listed)


def test_variables_of_other_people_do_nothing():
    options = re.search(r"(?ms)^OPTIONS := (.*?[^\\])$", (ROOT / "Makefile").read_text())[1].replace("\\\n", " ").split()
    assert {"NAME", "KEY", "IMAGE", "CONFIG"} <= set(options)
    others = {name: "theirs" for name in options}
    goals = ["run", "image", "iso", "fuzz", "mutants"]
    assert command("make", "-n", *goals, **others) == command("make", "-n", *goals)
    # make takes a value from its command line.
    code, said = command("make", "-n", "fuzz", "NAME=csv")
    assert "fuzz-csv" in said and "fuzz-url" not in said
    shown = command("make", "-s", "--eval", "show: ; @echo \"<$$KEY|$$CONFIG>\"", "show", "CONFIG=mine", KEY="theirs")
    assert shown == (0, "<|mine>\n")


@pytest.mark.parametrize("name, variables", [("my_CODE.fd", "my_VARS.fd"), ("MY.fd", "MY.fd")])
def test_firmware_elsewhere_is_named(tmp_path, name, variables):
    """A name without CODE is a whole firmware, with its variables in it."""
    given = {"FIRMWARE": str(tmp_path / name)}
    code, said = command("/bin/sh", "images/find-ovmf.sh", **given)
    assert code != 0 and f"{tmp_path}/{name} is not a file that can be read" in said
    (tmp_path / name).touch()
    code, said = command("/bin/sh", "images/find-ovmf.sh", **given)
    assert name == variables or (code != 0 and f"{tmp_path}/{variables} is not a file that can be read" in said)
    (tmp_path / variables).touch()
    assert command("/bin/sh", "images/find-ovmf.sh", **given) == (0, f"{tmp_path}/{name}\n{tmp_path}/{variables}\n")


@pytest.mark.parametrize("given, words", [("FIRMWARE=none.fd", "none.fd is not a file that can be read"),
                                          ("QEMU=no-such-qemu", "QEMU=no-such-qemu is not a program that can be run")])
def test_a_run_with_a_missing_file_installs_and_builds_nothing(given, words):
    code, said = command("make", "run", given)
    assert code != 0 and words in said and "installing" not in said and "cc " not in said


def test_other_flags_build_anew(tmp_path):
    make = ["make", "-s", "INSTALL=no", f"BUILD={tmp_path}", f"{tmp_path}/hosted/kernel/lib/text.o"]
    built = tmp_path / "hosted/kernel/lib/text.o"
    assert command(*make)[0] == 0
    first = built.stat().st_mtime_ns
    assert command(*make)[0] == 0 and built.stat().st_mtime_ns == first
    assert command(*make, "CFLAGS=-O1")[0] == 0 and built.stat().st_mtime_ns > first


@pytest.mark.parametrize("goals", [["released"], ["dist-files"], ["machines"], ["firmwares"]])
def test_no_two_makes_compile_the_same_at_a_time(tmp_path, goals):
    """One of them would link what the other has begun to write."""
    code, said = command("make", "-n", "INSTALL=no", f"BUILD={tmp_path}/build", *goals)
    compiled = re.findall(r" -c \S+ -o (\S+\.o)", said)
    assert code == 0 and len(compiled) > 100
    assert sorted(compiled) == sorted(set(compiled))


def test_scripts_need_no_run_bits():
    """FAT and some tools that unpack drop them: a script calls another one by its shell."""
    for path in (ROOT / "images").glob("*.sh"):
        alone = re.findall(r'(?m)^[^#\n]*(?<!sh )"\$(?:here|\(dirname "\$0"\))/[a-z-]+\.sh.*', path.read_text())
        assert alone == [], path


def test_an_install_of_the_environment_that_names_a_program_is_not_ours():
    assert command("make", "-n", "all", INSTALL="/usr/bin/install -c") == command("make", "-n", "all")
    code, said = command("make", "INSTALL=maybe", "packages")
    assert code != 0 and "INSTALL=maybe is not known" in said
