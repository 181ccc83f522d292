"""network: a lab of one server and one machine, in a network namespace of its own, and that machine."""

import os
import shutil
import subprocess
import threading
import time

from machine import CODE, ENVIRONMENT, QEMU, ROOT, VARIABLES, Emulator, Results

SERVER = "192.168.77.1"
RANGE = "192.168.77.50,192.168.77.99"
PATHS = {**ENVIRONMENT, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}

# What OVMF leaves out when it looks for something to boot: each costs it up to a minute.
NO_PXE = "name=opt/org.tianocore/IPv4PXESupport,string=n"
NO_IPV6 = "name=opt/org.tianocore/IPv6PXESupport,string=n"


class Lab:
    """A context manager: leaving ends all that was started in it, and the network with that."""

    def __enter__(self):
        own_user = [] if os.getuid() == 0 else ["--user", "--map-root-user"]
        self.children = []
        self.holder = subprocess.Popen(["unshare", *own_user, "--net", "sh", "-c", "echo; exec sleep 1h"],
                                       stdout=subprocess.PIPE)
        self.holder.stdout.readline()  # it is in its namespace now
        self.do("ip", "link", "set", "lo", "up")
        self.do("ip", "tuntap", "add", "tap0", "mode", "tap")
        self.do("ip", "address", "add", f"{SERVER}/24", "dev", "tap0")
        self.do("ip", "link", "set", "tap0", "up")
        return self

    def __exit__(self, *_):
        for child in [*self.children, self.holder]:
            child.terminate()
            child.wait()

    def inside(self, *command):
        own_user = [] if os.getuid() == 0 else ["--user", "--preserve-credentials"]
        return ["nsenter", f"--target={self.holder.pid}", "--net", *own_user, *map(str, command)]

    def do(self, *command):
        done = subprocess.run(self.inside(*command), capture_output=True, text=True, env=PATHS)
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self, *command, log):
        with open(log, "wb") as output:
            child = subprocess.Popen(self.inside(*command), stdin=subprocess.DEVNULL, stdout=output,
                                     stderr=subprocess.STDOUT, env=PATHS)
        self.children.append(child)
        return child

    def serve(self, folder, *arguments):
        """images/serve.sh on that folder, when it serves; its process."""
        log = folder.with_suffix(".log")
        server = self.start(ROOT / "images/serve.sh", "tap0", folder, *arguments, log=log)
        deadline = time.monotonic() + 20
        while "Ctrl-C ends it." not in log.read_text():
            assert server.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.02)
        return server


class Networked(Emulator):
    """A machine without a disk, on the lab's network."""

    def __init__(self, lab, folder, *, memory=512, without=(), rom="", extra=()):
        super().__init__(None)
        variables = folder / "vars.fd"
        shutil.copy(VARIABLES, variables)
        left_out = [argument for name in (NO_IPV6, *without) for argument in ("-fw_cfg", name)]
        self.output = b""
        self.process = subprocess.Popen(lab.inside(
            QEMU, "-accel", "tcg", "-machine", "q35", "-cpu", "max", "-m", memory, "-nodefaults",
            "-display", "none", "-no-reboot",
            "-drive", f"if=pflash,format=raw,readonly=on,file={CODE}",
            "-drive", f"if=pflash,format=raw,file={variables}",
            "-netdev", "tap,id=net,ifname=tap0,script=no,downscript=no",
            "-device", f"virtio-net-pci,netdev=net,romfile={rom}", *left_out,
            "-serial", "stdio", *extra),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        while piece := os.read(self.process.stdout.fileno(), 65536):
            self.output += piece


def arrived(folder):
    """The only run of which results came to that server, and its name."""
    (run,) = (folder / "results").iterdir()
    return Results.of_folder(run), run.name
