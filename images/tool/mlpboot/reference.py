"""reference: the runs that come with mlpboot, one for each processor that was at hand."""
from importlib.resources import files

from .columns import lay_out
from .files import Trouble
from .runs import StoredRun, as_text, member

FILES = ("run.json", "verdicts.csv")


def reference_runs():
    """Returns the runs by their names: microarchitectures, in small letters."""
    folders = sorted((folder for folder in files("mlpboot").joinpath("data").iterdir()), key=lambda folder: folder.name)
    return {folder.name: StoredRun(f"reference {folder.name}", ("reference", folder.name),
                                   {file: folder.joinpath(file).read_bytes() for file in FILES})
            for folder in folders}


def reference_run(name):
    runs = reference_runs()
    if name not in runs:
        raise Trouble(f"--with {name}: no reference of that name; expected list, or one of {', '.join(runs)}")
    return runs[name]


def reference_lines():
    """Returns a table of all of them."""
    return lay_out(["name", "processor", "family", "model", "under", "by", "ok answers"],
                   map(_cells, reference_runs().items()), {0, 1, 4, 5}, last_unpadded=False)


def _cells(item):
    name, run = item
    told = ("processor.brand", "processor.family", "processor.model", "hypervisor.name", "version")
    said = run.json()
    return [name, *(as_text(member(said, path)) for path in told), str(sum(v.status == "ok" for v in run.verdicts()))]
