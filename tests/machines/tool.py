"""tool: the data tool as it is shipped, for tests that run it, and for those that import its modules."""

import importlib
import os
import signal
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

from machine import BUILD

TOOL = BUILD / "mlpboot.pyz"
sys.path.insert(0, str(TOOL))

program = importlib.import_module("mlpboot.__main__")
for name in program.COMMANDS:
    importlib.import_module(f"mlpboot.{name}")


def run_main(words):
    """Returns the exit status that Python would end with."""
    try:
        return program.main(words)
    except SystemExit as end:
        return end.code or 0


def run_child(words, files, cwd, seconds):
    """Runs the tool with these standard files, and ends this process."""
    status = 1
    try:
        for descriptor, file in enumerate(files):
            os.dup2(file.fileno(), descriptor)
        sys.stdin = open(0, encoding="utf-8", closefd=False)
        sys.stdout, sys.stderr = (open(descriptor, "w", encoding="utf-8", closefd=False) for descriptor in (1, 2))
        if cwd is not None:
            os.chdir(cwd)
        signal.alarm(seconds)
        warnings.simplefilter("error")
        status = run_main(words)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def tool(*words, timeout=120, stdin=None, cwd=None):
    """
    Runs it in a copy of this process, which has Python and the tool's modules in memory: to start Python for
    each command takes ten times as long. Returns its exit status, standard output and standard error; a status
    below 0 is minus the signal that ended it, SIGALRM after so many seconds.
    """
    with tempfile.TemporaryDirectory() as folder, open(os.devnull) as nothing:
        out, err = said = Path(folder) / "out", Path(folder) / "err"
        with open(out, "wb") as to_out, open(err, "wb") as to_err:
            child = os.fork()
            if child == 0:
                run_child([str(word) for word in words], (stdin or nothing, to_out, to_err), cwd, timeout)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return (status, *(path.read_text(encoding="utf-8") for path in said))
