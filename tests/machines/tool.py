"""tool: the data tool as it is shipped, for tests that start it, and for those that import its modules."""

import subprocess
import sys

from machine import BUILD

TOOL = BUILD / "mlpboot.pyz"
sys.path.insert(0, str(TOOL))


def tool(*words, timeout=120, **how):
    """Runs it. Returns its exit status, standard output and standard error."""
    done = subprocess.run([sys.executable, "-I", "-W", "error", TOOL, *map(str, words)], capture_output=True, text=True,
                          encoding="utf-8", timeout=timeout, **how)
    return done.returncode, done.stdout, done.stderr
