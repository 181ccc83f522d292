"""What is planned for the files of a run, before it is measured, against what runs have left."""

import subprocess

import pytest

from machine import BUILD, ROOT

LEAST = 65536  # of each file, whatever is measured
FEW = ["samples.min=5", "samples.max=5"]  # how many samples a row is of changes no size


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """Settings -> bytes of each file."""
    program = tmp_path_factory.mktemp("planned") / "planned"
    sources = [path for room in ("config", "data", "lib") for path in (ROOT / "kernel" / room).glob("*.c")]
    subprocess.run(["gcc", "-std=gnu11", "-o", program, ROOT / "tests/machines/planned.c",
                    ROOT / "kernel/report/plan.c", *sources, "-lm"], check=True)

    def plan(settings):
        said = subprocess.run([program, *settings], check=True, capture_output=True, text=True).stdout
        return dict(zip(["results.csv", "verdicts.csv", "run.json", "log.txt", "report.html"], map(int, said.split())))
    return plan


def left(folder, platform, settings):
    """The bytes of each file of a run; of the page those behind its template."""
    command = [BUILD / "mlpboot-hosted", "run", "--platform", platform, "--out", folder]
    for setting in settings:
        command += ["--set", setting]
    subprocess.run(command, check=True, capture_output=True)
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    sizes["report.html"] -= (BUILD / "page.html").stat().st_size
    return sizes


@pytest.mark.parametrize("platform, settings", [
    ("model", ["mlp.loads=1-6", "mlp.fillers=0-96/16", "pages=2m", "mlp.tlb=natural warm cold walkmem",
               "mlp.order=lfence cpuid"]),
    ("model", ["mlp.loads=1-4", "mlp.fillers=0-1000/8", "pages=2m", "mlp.access=load prefetch store nt"]),
    ("model:prefetchers=1,remote=100", ["experiments=mlp numa", "prefetch=both", "node=all", "pages=2m",
                                        "mlp.loads=1-10", "mlp.fillers=0-96/16"]),
    ("model:remote=100", ["experiments=numa", "pages=2m", "mlp.fillers=0-1000/16"]),
    ("model", ["experiments=structures", "structures.fillers=0-96/8"]),
    ("model:threads=2", ["experiments=smt", "structures.fillers=0-32/16", "mlp.fillers=0-1000/8", "pages=2m",
                         "array.bytes=1k", "mlp.loads=1-4"]),
    ("model:prefetchers=1", ["experiments=tlb", "prefetch=both", "pages=2m", "tlb.loads=1-6", "tlb.pages=2-64*2"]),
    ("model", ["experiments=array", "pages=2m", "array.bytes=1k-64k*2", "array.loads=1-2"]),
    ("model:remote=100", ["experiments=array", "pages=2m", "array.bytes=1k-512k*2", "array.loads=1", "node=all"]),
    ("model:cores=3", ["experiments=loaded", "pages=2m", "loaded.cores=1 2"]),
    ("model:prefetchers=1", ["experiments=timeline", "prefetch=both", "pages=2m", "timeline.cycles=1-64",
                             "timeline.tlb=warm cold"]),
    ("model:sibling=0.5", ["mlp.loads=1-10", "mlp.fillers=0-200/16", "pages=2m"]),
    ("linux", ["experiments=shuffle", "shuffle.bytes=512k 1m", "pages=2m 4k"]),
    ("linux", ["experiments=walk", "walk.bytes=4m", "pages=2m 4k"]),
], ids=lambda value: value if isinstance(value, str) else value[0])
def test_what_a_run_leaves_fits_and_wastes_little(planned, tmp_path, platform, settings):
    """Half as much again has to fit: processors count more events than the model does, and Linux none."""
    plan, had = planned([*FEW, *settings]), left(tmp_path / "run", platform, [*FEW, *settings])
    for name, bytes_had in had.items():
        assert plan[name] >= bytes_had * 3 / 2, f"{name}: {plan} planned, and there were {had}"
    assert had["results.csv"] * 3 / 2 <= plan["results.csv"] - LEAST <= had["results.csv"] * 6, (plan, had)
