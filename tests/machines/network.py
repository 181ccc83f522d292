"""network: a lab of one server and one machine, in a network namespace of its own, and that machine."""

import os
import re
import shutil
import signal
import subprocess
import threading
import time

import pytest

from machine import ENVIRONMENT, ROOT, Emulator, Results, board, known_variables
from started import failing_tpm

SERVER = "192.168.77.1"
OTHER = "192.168.77.2"
RANGE = "192.168.77.50,192.168.77.99"
PATHS = {**ENVIRONMENT, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}

# What OVMF leaves out when it looks for something to boot: each costs it up to a minute.
NO_PXE = "name=opt/org.tianocore/IPv4PXESupport,string=n"
NO_IPV6 = "name=opt/org.tianocore/IPv6PXESupport,string=n"

# The firmware polls for four seconds until it has an address. It counts the ticks of its timer, of 10 ms: stopped for
# a part of each it misses none, and the processor is for others.
ASKS_FOR_ADDRESS = rb">>Start (PXE|HTTP Boot) over IPv4(?!.*(Station IP|Error))"
RUNS, IS_STOPPED = 0.002, 0.008  # seconds


def enter(holder, *command):
    """The command, inside the namespace of that process."""
    own_user = [] if os.getuid() == 0 else ["--user", "--preserve-credentials"]
    return ["nsenter", f"--target={holder.pid}", "--net", *own_user, *map(str, command)]


class Lab:
    """A context manager: leaving ends all that was started in it, and the network with that."""

    def __enter__(self):
        if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
            pytest.skip("no machine can be on a network here: /dev/net/tun cannot be opened")
        own_user = [] if os.getuid() == 0 else ["--user", "--map-root-user"]
        self.children = []
        self.holder = self._hold("unshare", *own_user, "--net")
        self.other = self._hold(*enter(self.holder, "unshare", "--net"))
        self.do("ip", "link", "set", "lo", "up")
        self.do("ip", "link", "add", "lan", "type", "bridge")
        self.do("ip", "tuntap", "add", "tap0", "mode", "tap")
        self.do("ip", "link", "add", "wire", "type", "veth", "peer", "name", "eth0", "netns",
                self.other.pid)
        self.do("ip", "address", "add", f"{SERVER}/24", "dev", "lan")
        for name in ("tap0", "wire"):
            self.do("ip", "link", "set", name, "master", "lan", "up")
        self.do("ip", "link", "set", "lan", "up")
        return self

    def __exit__(self, *_):
        for child in reversed(self.children):
            child.terminate()
            child.wait()

    def _hold(self, *command):
        """A process that has a namespace by now, and keeps it."""
        child = subprocess.Popen([*command, "sh", "-c", "echo; exec sleep 1h"], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        self.children.append(child)
        if not child.stdout.readline():
            self.__exit__()
            pytest.skip(f"no network of its own can be made here: {child.stderr.read().strip()}")
        return child

    def inside(self, *command):
        return enter(self.holder, *command)

    def do(self, *command, on=None):
        done = subprocess.run(enter(on or self.holder, *command), capture_output=True, text=True,
                              env=PATHS)
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self, *command, log, on=None):
        with open(log, "ab") as output:
            # As from a terminal: a shell that runs the tests behind it has Ctrl-C ignored.
            child = subprocess.Popen(enter(on or self.holder, *command), stdin=subprocess.DEVNULL,
                                     stdout=output, stderr=subprocess.STDOUT, env=PATHS,
                                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.children.append(child)
        return child

    def dnsmasq(self, folder, *arguments, interface="lan", on=None):
        """One without a configuration; it serves addresses, as the arguments say."""
        return self.start("dnsmasq", "--conf-file=/dev/null", "--keep-in-foreground", "--port=0",
                          f"--interface={interface}", "--bind-interfaces", "--leasefile-ro",
                          "--user=root", "--log-facility=-", *arguments,
                          log=folder / "dnsmasq.log", on=on)

    def add_other_server(self, folder):
        """A DHCP server on a machine of its own, that knows nothing of ours."""
        self.do("ip", "address", "add", f"{OTHER}/24", "dev", "eth0", on=self.other)
        self.do("ip", "link", "set", "eth0", "up", on=self.other)
        self.dnsmasq(folder, f"--dhcp-range={RANGE}", interface="eth0", on=self.other)

    def advertise(self, folder):
        """An IPv6 router: iPXE waits for one, 17 seconds long."""
        self.do("ip", "address", "add", "fd00:77::1/64", "dev", "lan", "nodad")
        self.dnsmasq(folder, "--enable-ra", "--dhcp-range=fd00:77::,ra-only")

    def serve(self, folder, *arguments):
        """images/serve.sh on that folder, when it serves; its process. Its servers run as nobody."""
        if os.getuid() != 0:
            pytest.skip("serve.sh gives up root, and in the namespace of an ordinary user there is nobody else")
        log = folder.with_suffix(".log")
        server = self.start(ROOT / "images/serve.sh", "lan", folder, *arguments, log=log)
        wait_until(lambda: "Ctrl-C ends it." in log.read_text(), server, log)
        return server

    def http(self, folder, port):
        """nginx alone, which takes PUT, when it serves."""
        configuration, log = folder.with_suffix(".conf"), folder.with_suffix(".log")
        configuration.write_text(NGINX.format(folder=folder, port=port, server=SERVER))
        server = self.start("nginx", "-c", configuration, log=log)
        wait_until(lambda: "start worker process" in log.read_text(), server, log)
        return server


# Notices: one tells that it serves.
NGINX = """\
user root; daemon off; pid {folder}.pid; error_log stderr notice;
events {{}}
http {{
    access_log {folder}.access; client_max_body_size 0; client_body_temp_path {folder}.body;
    server {{
        listen {server}:{port}; root {folder};
        location /inbox/ {{ dav_methods PUT; create_full_put_path on; }}
    }}
}}
"""


def wait_until(reached, server, log):
    deadline = time.monotonic() + 120
    while not reached():
        assert server.poll() is None and time.monotonic() < deadline, log.read_text()
        time.sleep(0.02)


class Networked(Emulator):
    """A machine without a disk, on the lab's network."""

    def __init__(self, lab, folder, *, without=(), extra=()):
        super().__init__(None)
        variables = folder / "vars.fd"
        shutil.copy(known_variables(), variables)
        left_out = [argument for name in (NO_IPV6, *without) for argument in ("-fw_cfg", name)]
        self.output = b""
        self.process = subprocess.Popen(lab.inside(
            *board(variables), "-netdev", "tap,id=net,ifname=tap0,script=no,downscript=no",
            "-device", "virtio-net-pci,netdev=net,romfile=", *left_out,
            "-serial", "stdio", *extra, *failing_tpm(folder)),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        threading.Thread(target=self._doze, daemon=True).start()

    def _read(self):
        while piece := os.read(self.process.stdout.fileno(), 65536):
            self.output += piece

    def _doze(self):
        while self.process.poll() is None:
            if not re.search(ASKS_FOR_ADDRESS, self.output, re.DOTALL):
                time.sleep(0.05)
                continue
            self.process.send_signal(signal.SIGSTOP)
            time.sleep(IS_STOPPED)
            self.process.send_signal(signal.SIGCONT)
            time.sleep(RUNS)


def arrived(folder):
    """The only run of which results came to that folder, and its name; not what is on its way there."""
    (run,) = (path for path in folder.iterdir() if path.name != ".incoming")
    return Results.of_folder(run), run.name
