"""monitor: what a test does to a machine of QEMU's from outside, through its machine protocol (QMP)."""

import json
import re
import socket
import time


class Monitor:
    """A connection to the monitor of a machine that was started with `options(path)`."""

    def __init__(self, path, timeout=120):
        self.socket = socket.socket(socket.AF_UNIX)
        deadline = time.monotonic() + timeout
        while self.socket.connect_ex(str(path)) != 0:
            assert time.monotonic() < deadline, "QEMU never opened its monitor"
            time.sleep(0.01)
        self.socket.settimeout(timeout)
        self.lines = self.socket.makefile("rw")
        self.do("qmp_capabilities")

    @staticmethod
    def options(path):
        return ["-qmp", f"unix:{path},server=on,wait=off"]

    def do(self, what, **arguments):
        """Has QEMU do something; the answer."""
        self.lines.write(json.dumps({"execute": what, "arguments": arguments}) + "\n")
        self.lines.flush()
        while True:
            answer = json.loads(self.lines.readline())
            assert "error" not in answer, answer
            if "return" in answer:
                return answer["return"]

    def say(self, command):
        """A line to the monitor that people use; what it prints."""
        return self.do("human-monitor-command", **{"command-line": command})

    def register(self, name):
        """One of the processor's control registers, such as CR4."""
        found = re.search(rf"\b{name}=\s*([0-9a-f]+)", self.say("info registers"))
        return int(found[1], 16)

    def byte(self, address):
        """Of memory, by the page tables that are loaded."""
        return int(self.say(f"x /1bx {address:#x}").split()[-1], 16)

    def writes(self, drive="disk"):
        """How many writes that drive has seen."""
        (stats,) = [each["stats"] for each in self.do("query-blockstats") if each["device"] == drive]
        return stats["wr_operations"]


class Debugger:
    """
    QEMU's own debugger interface, for the few things the monitor cannot do (GDB manual, appendix E).
    The machine is stopped from the start; it goes on when this is closed.
    """

    def __init__(self, monitor, path, timeout=120):
        monitor.say(f"gdbserver unix:{path},server=on,wait=off")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.socket.connect(str(path))
        self.data = b""
        self.send("?")
        while not self.answer().startswith("T05"):  # QEMU before 8.1 also says unasked that it has stopped: T02
            pass
        self.ask("qXfer:features:read:target.xml:0,ffb")  # else QEMU lets nobody set a register

    def send(self, packet):
        self.socket.sendall(f"${packet}#{sum(packet.encode()) % 256:02x}".encode())

    def answer(self):
        while not (found := re.search(rb"\$([^#]*)#..", self.data)):
            piece = self.socket.recv(4096)
            assert piece, "QEMU closed the connection"
            self.data += piece
        self.data = self.data[found.end():]
        self.socket.sendall(b"+")
        return found[1].decode()

    def ask(self, packet):
        self.send(packet)
        return self.answer()

    def run_to(self, address):
        """Lets the machine run until it comes to an instruction."""
        assert self.ask(f"Z1,{address:x},1") == "OK"
        assert self.ask("c").startswith("T05")
        assert self.ask(f"z1,{address:x},1") == "OK"

    def go_on_at(self, address):
        """Has the processor go on elsewhere, and leaves it alone."""
        assert self.ask(f"P10={address.to_bytes(8, 'little').hex()}") == "OK"
        self.go_on()

    def go_on(self):
        assert self.ask("D") == "OK"
        self.socket.close()
