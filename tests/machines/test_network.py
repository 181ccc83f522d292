"""Started over a network: the configuration comes from the server, and results go there."""

import re
import signal
import subprocess

import pytest

from machine import BUILD, COUNTED, FILES, ROOT, SHORT, Volume, boot, mlp_alone, prepare_image, tool
from network import NO_PXE, PATHS, RANGE, SERVER, Lab, Networked, arrived
from received import given_back
from report import runs_of, without_padding

TINY = SHORT.replace("2m 4k", "2m").replace("1-3", "1-2") + "finish = shutdown\n"
TIMEOUT = 240
# Machine, time, and ticks: two boots with a dead clock have two names.
NAME = r"[0-9a-f]{16}-\d{8}T\d{6}Z-[0-9a-f]{16}"


@pytest.fixture
def lab():
    with Lab() as opened:
        yield opened


def served(folder, configuration):
    """A folder to be served, with a configuration of its own."""
    place = folder / "served"
    place.mkdir()
    (place / "mlpboot.cfg").write_text(mlp_alone(configuration))
    return place


def booted(lab, folder, **options):
    """The machine, at its end."""
    with Networked(lab, folder, **options) as machine:
        return machine.wait(TIMEOUT)


def check_arrived(folder, machine, label):
    """All files of a run that was done: its report holds the same, and they are judged again."""
    results, name = arrived(folder)
    assert sorted(results.files) == FILES, machine.evidence()
    assert results.log[-1] == "event=done status=done"
    assert results.run["status"] == "done"
    assert results.run["label"] == label
    assert runs_of(results.files["report.html"]) == {name: without_padding(results.files)}
    assert re.fullmatch(NAME, name)
    assert name.startswith(results.run["machine"]["id"])
    done = subprocess.run([BUILD / "mlpboot-hosted", "analyze", folder / name / "results.csv"],
                          capture_output=True)
    assert done.stdout == results.files["verdicts.csv"], done.stderr
    assert not machine.says("safe to remove")
    return results


# Of run.json and log.txt: when and where; the clock's rate is measured against the firmware's, which QEMU may
# start elsewhere.
OWN = {"boot", "utc_start", "utc_end", "seconds", "results", "free_bytes", "array_at", "tsc_hz", "certificate"}
RATES = (b"rate", b"frequency")


def lasting(results):
    """What is the same in two runs that measure the same: byte for byte, but for those."""
    def without_own(part):
        return {key: without_own(value) for key, value in part.items() if key not in OWN} \
            if isinstance(part, dict) else part

    tables = {name: [line for line in results.files[name].split(b"\n") if not set(RATES) & set(line.split(b","))]
              for name in ("results.csv", "verdicts.csv")}
    log = [re.sub(r"\b(utc|seconds|ppm|tsc_hz)=\S+", "", line) for line in results.log]
    return {**tables, "run.json": without_own(results.run), "log.txt": log}


def test_pxe_beside_another_dhcp_server_leaves_what_a_run_to_disk_does(lab, tmp_path):
    folder = served(tmp_path, TINY + "label = by PXE\n")
    lab.add_other_server(tmp_path)
    lab.serve(folder)
    machine = booted(lab, tmp_path, extra=COUNTED)
    results = check_arrived(folder / "results", machine, "by PXE")
    assert machine.says(f"trying http://{SERVER}/results")
    disk = tmp_path / "disk"
    disk.mkdir()
    stored = boot(disk, TINY + "label = by PXE\n", extra=COUNTED, timeout=TIMEOUT).check_done()
    assert lasting(results) == lasting(stored)
    assert len(results.own_rows) > 20


def test_http_boot(lab, tmp_path):
    folder = served(tmp_path, TINY + "label = by HTTP\n")
    lab.serve(folder, "--range", RANGE, "--port", "8000")
    machine = booted(lab, tmp_path, without=[NO_PXE], memory=768)
    check_arrived(folder / "results", machine, "by HTTP")
    assert machine.says(f"results go to http://{SERVER}:8000/results/")


def test_ipxe_hands_over_settings(lab, tmp_path):
    folder = served(tmp_path, TINY + "label = by iPXE\n")
    lab.advertise(tmp_path)
    lab.serve(folder, "--range", RANGE, "--ipxe")
    machine = booted(lab, tmp_path)
    results = check_arrived(folder / "results", machine, "by iPXE")
    assert machine.says("boot.ipxe : ")
    assert results.run["configured_by"]["results.to"] == "load options"
    assert results.run["configured_by"]["label"] == "mlpboot.cfg"


GRUB = """\
net_bootp
set root=(tftp,{server})
chainloader /lab/BOOTX64.EFI runs=none finish=shutdown results.to=tftp://{server}/lab
boot
"""


def test_grub_starts_it_and_tftp_takes_results(lab, tmp_path):
    """By a server that writes. Nothing is measured: one of the settings is wrong."""
    folder = tmp_path / "served"
    (folder / "lab").mkdir(parents=True)
    (folder / "lab").chmod(0o777)
    (tmp_path / "grub.cfg").write_text(GRUB.format(server=SERVER))
    tool("grub-mkimage", "-O", "x86_64-efi", "-o", folder / "lab/grub.efi", "-p", "/none",
         "-c", tmp_path / "grub.cfg", "efinet", "tftp", "chain")
    tool("cp", BUILD / "BOOTX64.EFI", folder / "lab")
    lab.dnsmasq(tmp_path, f"--dhcp-range={RANGE}", "--dhcp-boot=lab/grub.efi")
    lab.start("in.tftpd", "--foreground", "--address", f"{SERVER}:69", "--create", "--permissive",
              "--user", "root", "--secure", folder, log=tmp_path / "tftpd.log")
    machine = booted(lab, tmp_path)
    assert machine.says("Welcome to GRUB!")
    (log,) = (folder / "lab").glob("*-log.txt")
    assert re.fullmatch(NAME + "-log.txt", log.name)
    lines = log.read_text().splitlines()
    assert lines[-1] == "event=done status=error", machine.evidence()
    assert any("load options: runs = none" in line for line in lines)
    assert machine.says(f"results go to tftp://{SERVER}/lab/{log.name.removesuffix('log.txt')}")


def small_image(folder, configuration):
    """The image as a disk of 4 MB: it is all loaded before it is started."""
    image = folder / "mlpboot.img"
    tool("mformat", "-C", "-i", image, "-T", "8192", "::")
    tool("mmd", "-i", image, "::/EFI", "::/EFI/BOOT", "::/report")
    tool("mcopy", "-i", image, BUILD / "BOOTX64.EFI", "::/EFI/BOOT/BOOTX64.EFI")
    tool("mcopy", "-i", image, BUILD / "page.html", "::/report/page.html")
    tool("mcopy", "-i", image, "-", "::/mlpboot.cfg", stdin=mlp_alone(configuration).encode())


def test_a_disk_in_memory_saves_nothing_and_a_server_that_stops_leaves_the_console(lab, tmp_path):
    folder = tmp_path / "served"
    folder.mkdir()
    small_image(folder, TINY + f"results.to = http://{SERVER}:8080/inbox\n")
    lab.dnsmasq(tmp_path, f"--dhcp-range={RANGE}", "--dhcp-match=set:http,option:client-arch,16",
                "--dhcp-option-force=tag:http,60,HTTPClient",
                f"--dhcp-boot=tag:http,http://{SERVER}:8080/mlpboot.img")
    server = lab.http(folder, 8080)
    with Networked(lab, tmp_path, without=[NO_PXE], memory=768) as machine:
        machine.wait_for(r"(?m)^floor: saved", TIMEOUT)
        server.send_signal(signal.SIGTERM)
        server.wait()
        machine.wait(TIMEOUT)
    assert machine.says("the volume booted from takes no results: it is a RAM disk")
    partly, name = arrived(folder / "inbox")
    assert machine.says(f"{SERVER}:8080/inbox/{name}/ takes no more results: the server")
    assert not machine.says("mlp: saved") and not machine.says("safe to remove")
    assert machine.says("results.csv could not be saved")
    assert {row["experiment"] for row in partly.rows} == {"floor"}
    assert partly.run["status"] == "partial"
    restored = given_back(tmp_path, machine.output)
    for name in ("results.csv", "verdicts.csv"):
        assert restored.files[name].startswith(partly.files[name])


def test_each_configuration_of_a_boot_has_a_folder_of_its_own_on_the_server(lab, tmp_path):
    """From a stick that cannot be written to; all are refused, which takes less than a second each."""
    image = prepare_image(tmp_path, f"runs = none\nresults.to = http://{SERVER}:8080/inbox\n", "shutdown")
    stick, names = Volume(image), ["a", "b", "c", "d"]
    stick.make_directory("/mlpboot.d")
    for name in names:
        stick.write(f"/mlpboot.d/{name}.cfg", f"label = {name}\n".encode())
    folder = tmp_path / "served"
    folder.mkdir()
    lab.dnsmasq(tmp_path, f"--dhcp-range={RANGE}")
    lab.http(folder, 8080)
    machine = booted(lab, tmp_path, memory=768, extra=[
        "-drive", f"if=none,id=disk,format=raw,readonly=on,file={image}",
        "-device", "virtio-blk-pci,drive=disk,bootindex=0"])
    logs = sorted((folder / "inbox").glob("*/log.txt"))
    assert len(logs) == len(names), machine.evidence()
    assert all(re.fullmatch(NAME, log.parent.name) for log in logs)
    assert all(log.read_text().endswith("event=done status=error\n") for log in logs)
    assert not machine.says("safe to remove")


@pytest.mark.parametrize("arguments, words", [
    ("", "which interface? See --help; there are: "),
    ("nothing0", "there is no interface nothing0; there are: "),
    ("lo --wrong", "--wrong is not known"),
    ("lo a b", "b is one too many"),
    ("lo --port", "--port needs a value"),
    ("lo --port 65536", "--port 65536 is no number from 1 to 65535"),
    ("lo --range 10.0.0.1", "--range 10.0.0.1 is not understood; two IPv4 addresses"),
    ("lo --range 10.0.0.1,10.0.0.256", "--range 10.0.0.1,10.0.0.256 is not understood"),
    ("lo --range 127.0.0.5,10.0.0.9", "--range 127.0.0.5,10.0.0.9: 10.0.0.9 is not in the network of lo, 127."),
    ("lo --range 127.0.0.9,127.0.0.5", "--range 127.0.0.9,127.0.0.5: the first address is behind the last"),
    ("lo a;b", "the path "),
    ("lo a\\b", "the path "),
])
def test_serve_refuses(tmp_path, arguments, words):
    done = subprocess.run([ROOT / "images/serve.sh", *arguments.split()], cwd=tmp_path,
                          capture_output=True, text=True, env=PATHS)
    assert done.returncode == 1 and done.stderr.startswith(f"serve: {words}"), done.stderr
    assert list(tmp_path.iterdir()) == []


def test_serve_ends_cleanly_and_says_when_a_port_is_taken(lab, tmp_path, monkeypatch):
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setitem(PATHS, "TMPDIR", str(work))
    folder = served(tmp_path, "label = kept\n")
    first = lab.serve(folder, "--range", RANGE)
    assert len(list(work.iterdir())) == 1
    log = tmp_path / "second.log"
    second = lab.start(ROOT / "images/serve.sh", "lan", tmp_path / "second", log=log)
    assert second.wait(30) == 1
    assert log.read_text().startswith("serve: port 80, for HTTP, is in use: users:((\"nginx\"")
    assert not (tmp_path / "second").exists()
    first.send_signal(signal.SIGINT)
    first.wait(30)
    assert list(work.iterdir()) == []
    assert (folder / "mlpboot.cfg").read_text() == mlp_alone("label = kept\n")
    assert (folder / "BOOTX64.EFI").read_bytes() == (BUILD / "BOOTX64.EFI").read_bytes()
