"""monitor: what a test does to a machine of QEMU's from outside, through its machine protocol (QMP)."""

import json
import re
import socket
import time


class Monitor:
    """A connection to the monitor of a machine that was started with `options(path)`."""

    def __init__(self, path, timeout=30):
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
        """One of the processor's control or table registers, such as CR4 or IDT; a table's base."""
        found = re.search(rf"\b{name}=\s*([0-9a-f]+)", self.say("info registers"))
        return int(found[1], 16)
