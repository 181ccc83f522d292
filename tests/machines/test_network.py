"""Started over a network: the configuration comes from the server, and results go there."""

import os
import pwd
import re
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest

from foreign import Foreign
from machine import BUILD, FILES, ROOT, SHORT, Volume, boot, mlp_alone, prepare_image, tool
from network import NO_PXE, OTHER, PATHS, RANGE, SERVER, Networked, arrived, enter, wait_until
from received import given_back
from report import runs_of, without_padding

NEEDS = ["dnsmasq-base", "nginx-light", "tftpd-hpa", "ipxe", "iproute2", "grub-common", "grub-efi-amd64-bin"]

TINY = SHORT.replace("2m 4k", "2m").replace("1-3", "1-2") + "finish = shutdown\n"
TIMEOUT = 240
# Machine, time, and ticks: two boots with a dead clock have two names.
NAME = r"[0-9a-f]{16}-\d{8}T\d{6}Z-[0-9a-f]{16}"


@pytest.fixture
def tmp_path():
    """As pytest's, which nobody else may enter."""
    with tempfile.TemporaryDirectory(prefix="mlpboot-", dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


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
    assert [path.name for path in folder.iterdir() if path.name != ".incoming"], machine.evidence()
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


def shape(results):
    """What two runs that measure the same have in common: which rows, answers and conditions there are."""
    def names(part):
        return {key: names(value) for key, value in part.items()} if isinstance(part, dict) else None

    rows = [[row[name] for name in ("experiment", "case", "n", "k", "bytes", "stage", "metric", "unit")] for row in results.own_rows]
    answers = [[row[name] for name in ("experiment", "case", "name", "unit")] for row in results.own_verdicts]
    # Two clocks that disagree are a warning, for the while that somebody else had the processor.
    log = [line.split()[0] for line in results.log if not line.startswith(("event=clock", "event=warning"))]
    return rows, answers, names(results.run), log


def test_pxe_beside_another_dhcp_server_leaves_what_a_run_to_disk_does(lab, tmp_path):
    folder = served(tmp_path, TINY + "label = by PXE\n")
    lab.add_other_server(tmp_path)
    lab.serve(folder)
    machine = booted(lab, tmp_path)
    results = check_arrived(folder / "results", machine, "by PXE")
    assert machine.says(f"trying http://{SERVER}/results")
    disk = tmp_path / "disk"
    disk.mkdir()
    stored = boot(disk, TINY + "label = by PXE\n", timeout=TIMEOUT).check_done()
    assert shape(results) == shape(stored)
    assert len(results.own_rows) > 20


def test_http_boot_of_a_machine_with_somebody_elses_disks(lab, tmp_path):
    folder = served(tmp_path, TINY + "label = by HTTP\n")
    foreign = Foreign(tmp_path)
    lab.serve(folder, "--range", RANGE, "--port", "8000")
    machine = booted(lab, tmp_path, without=[NO_PXE], extra=foreign.options("system", "card"))
    check_arrived(folder / "results", machine, "by HTTP")
    foreign.check_untouched()
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
echo GRUB is here
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
         "-c", tmp_path / "grub.cfg", "echo", "efinet", "tftp", "chain")
    tool("cp", BUILD / "BOOTX64.EFI", folder / "lab")
    lab.dnsmasq(tmp_path, f"--dhcp-range={RANGE}", "--dhcp-boot=lab/grub.efi")
    lab.start("in.tftpd", "--foreground", "--address", f"{SERVER}:69", "--create", "--permissive",
              "--user", "root", "--secure", folder, log=tmp_path / "tftpd.log")
    machine = booted(lab, tmp_path)
    assert machine.says("GRUB is here")
    (log,) = (folder / "lab").glob("*-log.txt")
    assert re.fullmatch(NAME + "-log.txt", log.name)
    lines = log.read_text().splitlines()
    assert lines[-1:] == ["event=done status=error"], machine.evidence()
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
    with Networked(lab, tmp_path, without=[NO_PXE]) as machine:
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
    machine = booted(lab, tmp_path, extra=[
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


RUN = "0123456789abcdef-20260102T030405Z-0123456789abcdef"
ASK = """import http.client, sys
method, path, size = sys.argv[1:]
server = http.client.HTTPConnection(%r, 80, timeout=60)
server.request(method, path, b"x" * int(size) if int(size) else None)
answer = server.getresponse()
print(answer.status, dict(answer.getheaders()))""" % SERVER


def ask(holder, method, path, size=0):
    """A request from that machine of the lab: (status, headers)."""
    done = subprocess.run(enter(holder, "/usr/bin/python3", "-c", ASK, method, path, size), capture_output=True, text=True, env=PATHS)
    status, _, headers = done.stdout.partition(" ")
    assert done.returncode == 0, done.stderr
    return int(status), eval(headers)


def test_serve_takes_the_files_of_a_run_and_nothing_else(lab, tmp_path):
    folder, server = tmp_path / "served", lab.holder
    lab.serve(folder)
    log = tmp_path / "served.log"
    assert ask(server, "PUT", f"/results/{RUN}/log.txt", 1)[0] == 201
    assert ask(server, "PUT", f"/results/{RUN[:17] + RUN[-16:]}/report.html", 1)[0] == 201  # no clock
    status, headers = ask(server, "GET", f"/results/{RUN}/log.txt")
    assert status == 200 and headers["Content-Security-Policy"] == "sandbox allow-scripts" and headers["X-Content-Type-Options"] == "nosniff"
    for path in (f"{RUN}/index.html", "index.html", "a/log.txt", f"{RUN}/log.txt%0A", f"{RUN}/more/log.txt", f"../{RUN}/log.txt",
                 ".incoming/log.txt", f"{RUN.upper()}/log.txt"):
        assert ask(server, "PUT", f"/results/{path}", 1)[0] in (404, 405), path
    assert ask(server, "PUT", "/BOOTX64.EFI", 1)[0] == 405
    assert ask(server, "DELETE", f"/results/{RUN}/log.txt")[0] == 405
    assert [ask(server, "GET", path)[0] for path in ("/results/", f"/results/{RUN}/", "/BOOTX64.EFI")] == [404, 404, 200]
    assert ask(server, "PUT", f"/results/{RUN}/log.txt", 65 << 20)[0] == 413
    assert ask(server, "PUT", f"/results/{RUN}/log.txt", 5)[0] == 204
    told = f"PUT /results/{RUN}/log.txt: 20"
    wait_until(lambda: f"{told}1\n" in log.read_text() and f"{told}4 written again\n" in log.read_text(), lab.children[-1], log)
    assert (folder / "results" / RUN / "log.txt").read_text() == "xxxxx"
    assert list((folder / "results/.incoming").iterdir()) == []
    assert len(list((folder / "results").iterdir())) == 3


def servers(lab):
    """Those that run in the lab's network, and as whom."""
    found, network = set(), os.readlink(f"/proc/{lab.holder.pid}/ns/net")
    for process in Path("/proc").glob("[0-9]*"):
        try:
            name = (process / "comm").read_text().strip()
            if name in ("nginx", "dnsmasq") and os.readlink(process / "ns/net") == network:
                found.add((name, pwd.getpwuid(process.stat().st_uid).pw_name))
        except OSError:  # it has ended
            pass
    return found


@pytest.mark.parametrize("keeper", ["root", "daemon"])
def test_serve_serves_as_the_folders_owner_and_never_as_root_and_leaves_nothing_when_killed(lab, tmp_path, monkeypatch, keeper):
    work, folder = tmp_path / "work", tmp_path / "served"
    for path in (work, folder):
        path.mkdir()
    os.chown(folder, pwd.getpwnam(keeper).pw_uid, 0)
    monkeypatch.setitem(PATHS, "TMPDIR", str(work))
    runs = "nobody" if keeper == "root" else keeper
    server = lab.serve(folder)
    assert ask(lab.holder, "PUT", f"/results/{RUN}/log.txt", 1)[0] == 201
    assert {(folder / name).owner() for name in ("results", f"results/{RUN}", f"results/{RUN}/log.txt")} == {runs}
    assert {(folder / name).owner() for name in ("report", "BOOTX64.EFI", "mlpboot.cfg")} == {keeper}
    assert {("dnsmasq", runs), ("nginx", runs), ("nginx", "root")} == servers(lab)
    server.kill()
    log = tmp_path / "served.log"
    wait_until(lambda: not servers(lab) and not list(work.iterdir()) and not (folder / "results/.incoming").exists(),
               lab.holder, log)
    assert (folder / "results" / RUN / "log.txt").exists()
    lab.serve(folder)


@pytest.mark.parametrize("link, target", [("results", "."), ("report", "."), ("boot.ipxe", "made"), ("mlpboot.cfg", "made"),
                                          (f"results/{RUN}", ".")])
def test_serve_refuses_a_folder_with_links(lab, tmp_path, link, target):
    others, folder = tmp_path / "others", tmp_path / "served"
    others.mkdir(0o700)
    (folder / link).parent.mkdir(parents=True)
    (folder / link).symlink_to(others / target)
    os.chown(folder, pwd.getpwnam("nobody").pw_uid, 0)
    done = subprocess.run(lab.inside(ROOT / "images/serve.sh", "lan", folder, "--ipxe"), capture_output=True, text=True, env=PATHS,
                          timeout=60)
    assert done.returncode == 1 and done.stderr.startswith(f"serve: {folder / link} is a symbolic link"), done.stderr
    assert list(others.iterdir()) == [] and others.stat().st_uid == 0 and not (folder / "BOOTX64.EFI").exists()


def test_serve_answers_its_own_network_alone_and_notices_another_dhcp_server(lab, tmp_path):
    lab.add_other_server(tmp_path)
    log = tmp_path / "second.log"
    second = lab.start(ROOT / "images/serve.sh", "lan", tmp_path / "second", "--range", RANGE, log=log)
    assert second.wait(30) == 1
    assert log.read_text() == f"serve: --range {RANGE}: the DHCP server {OTHER} gives out addresses on that network; leave --range out\n"
    assert not (tmp_path / "second").exists()
    lab.serve(tmp_path / "served")
    assert ask(lab.other, "GET", "/BOOTX64.EFI")[0] == 200
    lab.do("ip", "address", "replace", "10.9.9.9/24", "dev", "eth0", on=lab.other)
    lab.do("ip", "route", "add", f"{SERVER}/32", "dev", "eth0", "src", "10.9.9.9", on=lab.other)
    lab.do("ip", "route", "add", "10.9.9.0/24", "dev", "lan")
    assert ask(lab.other, "GET", "/BOOTX64.EFI")[0] == 403
    assert ask(lab.other, "PUT", f"/results/{RUN}/log.txt", 1)[0] == 403


@pytest.mark.skipif(os.getuid() != 0, reason="a disk of its own needs root")
def test_serve_ends_before_the_disk_is_full(lab, tmp_path):
    folder, log = tmp_path / "served", tmp_path / "served.log"
    folder.mkdir()
    small = ["unshare", "--mount", "sh", "-c", f'mount -t tmpfs -o size="$1" none {folder} && exec "$2" lan {folder}', "sh"]
    server = lab.start(*small, "1040m", ROOT / "images/serve.sh", log=log)
    wait_until(lambda: "Ctrl-C ends it." in log.read_text(), server, log)
    assert ask(lab.holder, "PUT", f"/results/{RUN}/log.txt", 20 << 20)[0] == 201
    assert server.wait(30) == 1 and f"less than 1024 MB are left on the disk of {folder}: clients" in log.read_text()
    again = lab.start(*small, "1000m", ROOT / "images/serve.sh", log=log)
    assert again.wait(30) == 1 and log.read_text().endswith(f"less than 1024 MB are left on the disk of {folder}\n")
