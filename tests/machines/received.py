"""received: what `mlpboot-hosted receive` makes of a console's output."""

import subprocess

from machine import BUILD, ENVIRONMENT


def received(folder, output):
    """(exit code, what was said, run -> file -> its bytes) of all that a serial port said."""
    log, out = folder / "serial.log", folder / "received"
    log.write_bytes(output)
    done = subprocess.run([BUILD / "mlpboot-hosted", "receive", log, "--out", out], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=ENVIRONMENT)
    runs = {run.name: {file.name: file.read_bytes() for file in run.iterdir()} for run in out.glob("*")}
    return done.returncode, done.stdout, runs
