"""server: a PostgreSQL server of Debian's, for one test, in a folder of its own, on a socket there."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

USER = "postgres"  # who runs it where we are root: it refuses root itself


def program(name):
    """The newest of that name; Debian has them in a folder for each version."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"),
                   key=lambda path: float(path.parts[4]))
    if not found:
        pytest.fail(f"{name} is not there: install the package postgresql")
    return str(found[-1])


def unprivileged(*command):
    return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--init-groups", *command] \
        if os.getuid() == 0 else list(command)


class Server:
    """A context manager. What it keeps need not outlive the power, so that it never syncs."""

    def __enter__(self):
        # A short path: that of a socket has 107 characters at most.
        self.folder = Path(tempfile.mkdtemp(prefix="mlpboot-pg-", dir="/tmp"))
        if os.getuid() == 0:
            shutil.chown(self.folder, USER, USER)
        data = self.folder / "data"
        self._do(program("initdb"), "-D", data, "-A", "trust", "-U", "tester", "-N",
                 "-E", "UTF8", "--locale=C", "--no-instructions")
        self.log = open(self.folder / "log", "wb")
        self.start()
        return self

    def start(self):
        self.process = subprocess.Popen(
            unprivileged(program("postgres"), "-D", str(self.folder / "data"), "-k", str(self.folder),
                         "-c", "listen_addresses=", "-c", "fsync=off"),
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, cwd="/")
        self._wait()

    def crash(self):
        """Ends all connections at once and saves nothing: the next start recovers."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def _do(*command):
        done = subprocess.run(unprivileged(*map(str, command)), capture_output=True, text=True,
                              cwd="/", env={"PATH": os.environ["PATH"], "LC_ALL": "C"})
        assert done.returncode == 0, done.stdout + done.stderr

    def _wait(self):
        deadline = time.monotonic() + 120
        while not self._answers():
            assert self.process.poll() is None and time.monotonic() < deadline, \
                (self.folder / "log").read_text()
            time.sleep(0.02)

    def _answers(self):
        done = subprocess.run([program("psql"), "-qAt", "-c", "select 1", self.uri("postgres")],
                              capture_output=True)
        return done.returncode == 0

    def uri(self, database):
        return f"postgresql://tester@/{database}?host={self.folder}"

    def database(self, name):
        """A new database; its URI."""
        self.say("postgres", f"create database {name}")
        return self.uri(name)

    def say(self, database, statement):
        """What psql prints of a statement: cells with tabs between; NULL is written so."""
        uri = database if "://" in database else self.uri(database)
        done = subprocess.run([program("psql"), "-qAtX", "-F", "\t", "-P", "null=NULL",
                               "-v", "ON_ERROR_STOP=1", "-c", statement, uri],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return [line.split("\t") for line in done.stdout.splitlines()]
