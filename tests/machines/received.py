"""received: what `mlpboot receive` makes of a console's output."""

from machine import Results
from tool import tool


def received(folder, output):
    """(exit code, what was said, run -> file -> its bytes) of all that a serial port said."""
    log, out = folder / "serial.log", folder / "received"
    log.write_bytes(output)
    code, said, complaint = tool("receive", log, "--out", out)
    runs = {run.name: {file.name: file.read_bytes() for file in run.iterdir()} for run in out.glob("*")}
    return code, said + complaint, runs


def given_back(folder, output):
    """The results of the only run on a console, which has all of its files whole."""
    code, said, runs = received(folder, output)
    assert code == 0, said
    [files] = runs.values()
    assert set(files) == {"results.csv", "verdicts.csv", "run.json", "log.txt"}
    results = Results(files)
    assert {"floor", "mlp"} == {row["experiment"] for row in results.rows}
    assert results.verdicts and results.run["status"] == "partial"
    assert results.log[-1] == "event=done status=partial"
    return results
