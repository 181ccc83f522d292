"""Secure Boot, on OVMF with keys enrolled: what is signed runs, what is not is refused, and shim's way in between."""

import re
import shutil
import subprocess
import time

import pytest

from machine import BUILD, ENVIRONMENT, ROOT, SHORT, Machine, Volume, prepare_image, squeeze, tool

NEEDS = ["sbsigntool", "openssl", "shim-signed", "shim-helpers-amd64-signed"]

SNAKEOIL_VARIABLES = "/usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd"
SNAKEOIL = "/usr/share/ovmf/PkKek-1-snakeoil"  # its .key and .pem; the password is in README.Debian
MICROSOFT_VARIABLES = "/usr/share/OVMF/OVMF_VARS_4M.ms.fd"
SHIM = "/usr/lib/shim"
DOWN, ENTER = "\x1b[B", "\r"


def make(folder, *arguments):
    """
    `make` with its signed files in a folder. What it signs is built already; another test may build
    at the same time.
    """
    clean = {name: value for name, value in ENVIRONMENT.items() if not name.startswith("MAKE")}
    return subprocess.run(["make", "-s", "-C", ROOT, "-o", "build/version.c", f"SIGNED={folder}", *arguments],
                          env=clean, capture_output=True, text=True)


def make_well(folder, *arguments):
    done = make(folder, *arguments)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """A folder with a snakeoil key that OVMF comes with, and the key of a lab that nobody knows yet."""
    folder = tmp_path_factory.mktemp("keys")
    tool("openssl", "rsa", "-in", SNAKEOIL + ".key", "-passin", "pass:snakeoil", "-out", folder / "snakeoil.key")
    shutil.copy(SNAKEOIL + ".pem", folder / "snakeoil.crt")
    tool("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=a lab/", "-days", "3650",
         "-keyout", folder / "lab.key", "-out", folder / "lab.crt")
    return folder


def key(keys, name):
    return f"KEY={keys}/{name}.key", f"CERT={keys}/{name}.crt"


@pytest.fixture(scope="module")
def signed(keys, tmp_path_factory):
    return make_well(tmp_path_factory.mktemp("signed"), "sign", *key(keys, "snakeoil"))


@pytest.fixture(scope="module")
def with_shim(keys, tmp_path_factory):
    folder = tmp_path_factory.mktemp("shim")
    (folder / "on-stick").mkdir()
    (folder / "on-stick/older.txt").touch()  # of another time
    return make_well(folder, "image", f"SHIM={SHIM}", *key(keys, "lab"))


def manual():
    return re.search(r"(?ms)^## Secure Boot$(.*?)^## ", (ROOT / "images/manual/lab.md").read_text())[1]


# --- In emulated machines ---


def test_what_is_signed_runs_and_what_is_not_is_refused(tmp_path, signed):
    """Two disks: the first is refused, then the second starts."""
    folder = tmp_path / "signed"
    folder.mkdir()
    second = prepare_image(folder, SHORT, "shutdown", signed / "mlpboot.img")
    with Machine(tmp_path, secure=True, first_variables=SNAKEOIL_VARIABLES, disk="sata-first", extra=[
            "-drive", f"if=none,id=second,format=raw,file={second}",
            "-device", "ide-hd,bus=ide.1,drive=second,bootindex=1"]) as machine:
        machine.wait()
    refusal, = re.findall(r"(?m)^ +(BdsDxe: failed to load .*)$", manual())
    port = r"Boot000\d|QM\d+|Sata\(0x\d"
    assert squeeze(re.sub(port, "", refusal)) in squeeze(re.sub(port, "", machine.console)), machine.evidence()
    assert machine.volume.runs() == []
    machine.volume = Volume(second)
    machine.check_done()


class Screen:
    """What a program that draws shows on a serial console, of 80 columns or, by newer firmware, of 240."""

    def __init__(self, machine):
        self.machine = machine

    def lines(self):
        """Without frames and empty lines."""
        shown, row, column = {}, 1, 1
        for where, command, sign in re.findall(rb"\x1b\[([\d;=?]*)([A-Za-z])|(.)", self.machine.output, re.S):
            if command == b"J":
                shown = {}
            elif command == b"H":
                row, column = map(int, where.split(b";"))
            elif sign in (b"\r", b"\n"):
                row, column = (row, 1) if sign == b"\r" else (row + 1, column)
            elif sign:
                shown.setdefault(row, {})[column] = chr(sign[0]) if b" " <= sign < b"\x7f" else "|"
                column += 1
        texts = ("".join(shown[row].get(i, " ") for i in range(1, max(shown[row]) + 1)) for row in sorted(shown))
        return [text.strip(" |") for text in texts if text.strip(" |")]

    def wait_for(self, text):
        """Until a line is or begins with that; all lines, when whoever draws them has had time to."""
        deadline = time.monotonic() + 300
        while not any(line.startswith(text) for line in self.lines()):
            if time.monotonic() > deadline or not self.machine.reader.is_alive():
                self.machine.fail(f"the screen never showed {text!r}, but {self.lines()}")
            time.sleep(0.05)
        time.sleep(0.3)
        return self.lines()

    def choose(self, first, wanted):
        """Moves down from the first line of a menu, and takes that one."""
        lines = self.wait_for(wanted)
        for _ in range(lines.index(wanted) - lines.index(first)):
            self.machine.press(DOWN)
            time.sleep(0.2)
        self.machine.press(ENTER)


def enrol(machine):
    """What the manual tells a person to do in MokManager."""
    screen = Screen(machine)
    screen.wait_for("Verification failed: (0x1A) Security Violation")
    machine.press(ENTER)
    screen.wait_for("Press any key to perform MOK management")
    machine.press(ENTER)
    screen.choose("Continue boot", "Enroll key from disk")
    screen.choose("MLPBOOT", "MLPBOOT")
    screen.choose("EFI/", "mlpboot.cer")
    screen.choose("View key 0", "Continue")
    screen.choose("No", "Yes")
    screen.choose("Reboot", "Reboot")


def test_shim_refuses_it_until_its_key_is_enrolled_and_then_runs_it(tmp_path, with_shim):
    image = prepare_image(tmp_path, SHORT, "shutdown", with_shim / "mlpboot.img")
    with Machine(tmp_path, image=image, secure=True, first_variables=MICROSOFT_VARIABLES) as machine:
        enrol(machine)
        machine.wait()
    assert machine.volume.runs() == []
    again = tmp_path / "again"
    again.mkdir()
    with Machine(again, image=image, secure=True, first_variables=tmp_path / "vars.fd") as machine:
        machine.wait()
    machine.check_done()


def test_the_manual_names_each_thing_that_mokmanager_asks():
    said = squeeze(manual())
    for text in ("Verification failed: (0x1A) Security Violation", "Press any key to perform MOK management",
                 "Enroll key from disk", "MLPBOOT", "mlpboot.cer", "Continue", "Yes", "Reboot"):
        assert squeeze(f"`{text}`") in said


# --- What is made ---


def test_the_signature_is_the_keys(signed, keys):
    verify = ["sbverify", "--cert"]
    application = signed / "BOOTX64.EFI"
    assert b"OK" in tool(*verify, keys / "snakeoil.crt", application)
    assert subprocess.run([*verify, keys / "lab.crt", application], capture_output=True).returncode != 0
    volume = Volume(signed / "mlpboot.img")
    assert volume.read("/EFI/BOOT/BOOTX64.EFI") == application.read_bytes()
    assert volume.list("/EFI/BOOT") == ["BOOTX64.EFI"]
    assert volume.read("/mlpboot.cer") == tool("openssl", "x509", "-in", keys / "snakeoil.crt", "-outform", "DER")


def test_what_is_signed_is_what_is_built(signed, tmp_path):
    shutil.copy(signed / "BOOTX64.EFI", tmp_path)
    tool("sbattach", "--remove", tmp_path / "BOOTX64.EFI")
    unsigned, built = (path.read_bytes() for path in (tmp_path / "BOOTX64.EFI", BUILD / "BOOTX64.EFI"))
    checksum = slice(0x80 + 88, 0x80 + 92)  # of the PE header, which sbattach writes anew
    assert unsigned[:checksum.start] + unsigned[checksum.stop:] == built[:checksum.start] + built[checksum.stop:]


def test_with_shim_all_it_looks_for_is_beside_it(with_shim):
    volume = Volume(with_shim / "mlpboot.img")
    beside = {name: volume.read(f"/EFI/BOOT/{name}") for name in volume.list("/EFI/BOOT")}
    assert beside == {
        "BOOTX64.EFI": open(f"{SHIM}/shimx64.efi.signed", "rb").read(),
        "grubx64.efi": (with_shim / "BOOTX64.EFI").read_bytes(),
        "mmx64.efi": open(f"{SHIM}/mmx64.efi.signed", "rb").read(),
    }
    assert volume.list("/") == ["EFI", "LICENCE", "NOTICES.md", "manual.html", "mlpboot.cer", "mlpboot.cfg", "mlpboot.pyz", "report",
                                "results"]
    assert volume.fsck() == ""


def test_an_earlier_signature_serves_until_there_is_another_build(with_shim):
    application, image = with_shim / "BOOTX64.EFI", with_shim / "mlpboot.img"
    before = application.stat().st_mtime_ns, image.stat().st_mtime_ns
    make_well(with_shim, "image", f"SHIM={SHIM}/shimx64.efi.signed")
    assert application.stat().st_mtime_ns == before[0] and image.stat().st_mtime_ns > before[1]
    done = make(with_shim, "image", f"SHIM={SHIM}", "-W", "build/BOOTX64.EFI")
    assert done.returncode != 0 and "KEY= is missing" in done.stderr


@pytest.mark.parametrize("goal, arguments, complaint", [
    ("sign", [], "KEY= is missing"),
    ("image", [f"SHIM={SHIM}"], "KEY= is missing"),
    ("sign", ["KEY={keys}/lab.key"], "CERT= is missing"),
    ("sign", ["KEY={keys}/none.key", "CERT={keys}/lab.crt"], "none.key is not a file that can be read"),
    ("image", ["KEY={keys}/lab.key", "CERT={keys}/lab.crt", "SHIM=/usr/lib/shin"],
     "SHIM=/usr/lib/shin is not a file that can be read"),
    ("image", ["KEY={keys}/lab.key", "CERT={keys}/lab.crt", "SHIM={keys}"],
     "there is no shimx64.efi.signed in"),
    ("image", ["KEY={keys}/lab.key", "CERT={keys}/lab.crt", "SHIM={keys}/lab.crt"],
     "there is no mmx64.efi.signed in"),
])
def test_what_cannot_be_signed_is_said_and_nothing_is_made(tmp_path, keys, goal, arguments, complaint):
    done = make(tmp_path, goal, *(argument.format(keys=keys) for argument in arguments))
    assert done.returncode != 0
    assert complaint in done.stderr
    assert not (tmp_path / "mlpboot.img").exists()


@pytest.fixture(scope="module")
def odd(keys, tmp_path_factory):
    """A folder with the lab's key and certificate as sign.sh takes them, and as it does not."""
    folder = tmp_path_factory.mktemp("odd")
    for name in ("lab.key", "lab.crt", "snakeoil.crt"):
        shutil.copy(keys / name, folder)
    tool("openssl", "pkey", "-in", folder / "lab.key", "-outform", "DER", "-out", folder / "key.der")
    tool("openssl", "x509", "-in", folder / "lab.crt", "-outform", "DER", "-out", folder / "crt.der")
    tool("openssl", "pkey", "-in", folder / "lab.key", "-aes256", "-passout", "pass:x", "-out", folder / "locked.key")
    lines = (folder / "lab.crt").read_text().splitlines(keepends=True)
    (folder / "cut.crt").write_text("".join(lines[:3] + lines[-1:]))
    return folder


@pytest.mark.parametrize("key, certificate, complaint", [
    ("lab.crt", "lab.key", "KEY=lab.crt is a certificate; accepted: the private key in PEM"),
    ("lab.crt", "lab.crt", "KEY=lab.crt is a certificate; accepted: "),
    ("lab.key", "lab.key", "CERT=lab.key is a private key; accepted: the key's certificate in PEM"),
    ("key.der", "lab.crt", "KEY=key.der is a private key as DER; accepted: "),
    ("lab.key", "crt.der", "CERT=crt.der is a certificate as DER; accepted: "),
    ("/dev/null", "lab.crt", "KEY=/dev/null is not a file"),
    ("empty", "lab.crt", "KEY=empty is neither private key nor certificate; accepted: "),
    ("lab.key", "cut.crt", "CERT=cut.crt is damaged"),
    ("locked.key", "lab.crt", "KEY=locked.key has a password, and the right one was not given"),
    ("lab.key", "snakeoil.crt", "KEY=lab.key is not the key of CERT=snakeoil.crt"),
])
def test_what_is_no_key_or_certificate_is_named(tmp_path, odd, key, certificate, complaint):
    (odd / "empty").touch()
    done = subprocess.run(["sh", ROOT / "images/sign.sh", BUILD / "BOOTX64.EFI", tmp_path], cwd=odd,
                          stdin=subprocess.DEVNULL, start_new_session=True, capture_output=True, text=True,
                          env={**ENVIRONMENT, "KEY": key, "CERT": certificate})
    assert done.returncode != 0 and done.stderr.startswith(f"sign: {complaint}"), done.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_sbsign_it_says_what_is_missing(tmp_path, keys):
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "openssl", "grep", "mktemp", "mkdir", "rm"):
        (folder / name).symlink_to(shutil.which(name))
    done = subprocess.run(["sh", ROOT / "images/sign.sh", BUILD / "BOOTX64.EFI", tmp_path],
                          env={"PATH": str(folder), "KEY": str(keys / "lab.key"), "CERT": str(keys / "lab.crt")},
                          capture_output=True, text=True)
    assert done.returncode != 0 and "sbsign is not installed (package: sbsigntool)" in done.stderr
