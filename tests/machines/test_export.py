"""export: parameters of simulators, of what a run knows; and nothing else."""

import ast
import csv
import json
import sys
import types

import pytest

from machine import ROOT, TABLES
from tool import tool

ZEN4 = ROOT / "images" / "data" / "zen4"

# Names of parameters, from the simulators' sources of 2024 and 2025: gem5's src/cpu/o3/BaseO3CPU.py, src/mem/cache/Cache.py,
# src/arch/x86/X86TLB.py, src/mem/SimpleMemory.py; ChampSim's config/parse.py and config/instantiation_file.py.
GEM5 = {
    "X86O3CPU": {"numROBEntries", "LQEntries", "SQEntries", "numIQEntries", "numPhysIntRegs", "numPhysVecRegs"},
    "Cache": {"size", "assoc", "tag_latency", "data_latency", "response_latency", "mshrs", "tgts_per_mshr", "write_buffers"},
    "X86TLB": {"size"}, "SimpleMemory": {"latency", "latency_var", "bandwidth"},
}
CHAMPSIM_CORE = {"frequency", "register_file_size", "rob_size", "lq_size", "sq_size", "scheduler_size"}
CHAMPSIM_CACHE = {"size", "sets", "ways", "latency", "mshr_size"}
CHAMPSIM = {**dict.fromkeys(("L1D", "L2C", "LLC", "DTLB", "STLB"), CHAMPSIM_CACHE), "PTW": {"mshr_size"}}

# A quiet run of a whole core would say this, as (experiment, case, name, value, low, high, unit, status).
KNOWN = [
    ("floor", "core", "frequency", 4000, 3990, 4010, "MHz", "ok"),
    ("mlp", "2m", "rob_entries", 320, 320, 320, "entries", "ok"),
    ("mlp", "2m", "fill_buffers", 24, 24, 24, "buffers", "doubt"),
    ("mlp", "2m-store", "fill_buffers", 99, 99, 99, "buffers", "ok"),
    ("mlp", "2m-shared", "rob_entries", 160, 160, 160, "entries", "ok"),
    ("structures", "add", "integer_registers", 201, 201, 201, "registers", "ok"),
    ("array", "4k", "l1_bytes", 40960, 32768, 40960, "bytes", "ok"),
    ("array", "2m", "l1_bytes", 32768, 32768, 40960, "bytes", "ok"),
    ("array", "2m", "l1_latency_cycles", 4, 4, 4, "cycles", "ok"),
    ("array", "2m", "l2_latency_cycles", 14, 14, 14, "cycles", "ok"),
    ("array", "2m", "l3_latency_cycles", 50, 49, 51, "cycles", "ok"),
    ("array", "2m", "memory_latency", 250, 240, 260, "ticks", "ok"),
    ("array", "2m", "memory_read_bandwidth", 6.25, 6, 6.5, "bytes/cycle", "ok"),
    ("tlb", "chain-2m", "dtlb_entries", 72, 72, 72, "entries", "ok"),
    ("tlb", "chain-2m", "stlb_entries", 3072, 3072, 3072, "entries", "ok"),
    ("tlb", "chain-2m", "stlb_ways", 24, 24, 24, "ways", "ok"),
]


def run_of(folder, verdicts, **members):
    folder.mkdir(exist_ok=True)
    with open(folder / "verdicts.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(TABLES["verdicts.csv"].split(","))
        writer.writerows([*known, "" if known[-1] == "ok" else "scatter", "by hand"] for known in verdicts)
    said = {"program": "mlpboot", "status": "done", "version": "1.0-abc", "tsc_hz": 2_500_000_000,
            "processor": {"brand": "Made Up"}, "hypervisor": {"name": "KVM"}, **members}
    (folder / "run.json").write_text(json.dumps(said))
    return folder


def exported(run, to, *words):
    code, out, err = tool("export", run, "--to", to, *words)
    assert (code, err) == (0, "")
    return out


def classes_of(text):
    """Runs a gem5 configuration beside classes that are none of gem5's: {class: {name: value}}."""
    objects = types.ModuleType("m5.objects")
    for name in GEM5:
        setattr(objects, name, type(name, (), {}))
    kept = {name: sys.modules.get(name) for name in ("m5", "m5.objects")}
    sys.modules.update({"m5": types.ModuleType("m5"), "m5.objects": objects})
    try:
        made = {}
        exec(compile(text, "core.py", "exec"), made)
    finally:
        for name, module in kept.items():
            sys.modules.pop(name) if module is None else sys.modules.update({name: module})
    found = {name: one for name, one in made.items() if isinstance(one, type) and name not in GEM5}
    for name, one in found.items():
        own = {member for member in vars(one) if not member.startswith("__")}
        assert own <= GEM5[one.__base__.__name__], name
    return {name: {member: value for member, value in vars(one).items() if not member.startswith("__")}
            for name, one in found.items()}


def test_gem5_gets_classes_of_what_is_known(tmp_path):
    text = exported(run_of(tmp_path / "run", KNOWN), "gem5")
    assert classes_of(text) == {
        "Core": {"numROBEntries": 320, "numPhysIntRegs": 217},
        "L1D": {"size": "32768B", "tag_latency": 4, "data_latency": 4},
        "L2": {"tag_latency": 10, "data_latency": 10}, "L3": {"tag_latency": 36, "data_latency": 36},
        "DTLB": {"size": 72}, "Memory": {"latency": "87.5ns", "bandwidth": "25000000000B/s"}}
    assert text.startswith("# Made Up under KVM, measured by mlpboot 1.0-abc\n")
    assert "numROBEntries = 320  # mlp 2m rob_entries 320 [320 .. 320] entries, ok\n" in text
    assert "# Left out: L1D(Cache) mshrs: fill_buffers is doubt: by hand\n" in text
    assert "# Left out: L2(Cache) size: l2_bytes is not measured\n" in text


def test_champsim_gets_a_configuration_with_the_sources_beside(tmp_path):
    said = json.loads(exported(run_of(tmp_path / "run", KNOWN), "champsim"))
    beside = said.pop("mlpboot")
    assert said == {"frequency": 4000, "rob_size": 320, "register_file_size": 217, "L1D": {"size": 32768, "latency": 4},
                    "L2C": {"latency": 10}, "LLC": {"latency": 36}, "STLB": {"sets": 128, "ways": 24}}
    assert beside["made_of"]["STLB.sets"] == ("tlb chain-2m stlb_entries 3072 [3072 .. 3072] entries, ok; "
                                              "tlb chain-2m stlb_ways 24 [24 .. 24] ways, ok")
    assert beside["left_out"]["L1D.mshr_size"] == "fill_buffers is doubt: by hand"
    assert beside["left_out"]["DTLB.sets"] == "dtlb_ways is not measured"


def test_doubt_is_exported_on_request_alone(tmp_path):
    run = run_of(tmp_path / "run", KNOWN)
    assert classes_of(exported(run, "gem5", "--doubt"))["L1D"]["mshrs"] == 24
    assert json.loads(exported(run, "json", "--doubt"))["figures"]["fill_buffers"]["status"] == "doubt"
    assert "fill_buffers" not in json.loads(exported(run, "json"))["figures"]


def test_json_has_each_figure_and_why_others_are_missing():
    said = json.loads(exported(ZEN4, "json"))
    assert said["figures"]["store_queue"] == {"value": 64, "low": 64, "high": 64, "unit": "entries", "status": "ok",
                                              "experiment": "structures", "case": "store", "verdict": "store_queue"}
    assert said["left_out"]["rob"].startswith("doubt: ")
    assert not said["figures"].keys() & said["left_out"].keys()


@pytest.mark.parametrize("name", ["golden-cove", "zen4", "zen5"])
def test_of_each_reference_the_names_are_the_simulators(name):
    run = ROOT / "images" / "data" / name
    assert classes_of(exported(run, "gem5", "--doubt"))
    said = json.loads(exported(run, "champsim", "--doubt"))
    del said["mlpboot"]
    for member, value in said.items():
        assert member in CHAMPSIM_CORE if isinstance(value, int) else value.keys() <= CHAMPSIM[member]
        assert all(one > 0 for one in (value.values() if isinstance(value, dict) else [value]))


def test_a_run_that_somebody_wrote_puts_no_code_into_the_file(tmp_path):
    hostile = 'x\nimport os\nos.system("false")\n#'
    verdicts = [(*one[:1], hostile, *one[2:]) if one[2] == "frequency" else one for one in KNOWN]
    verdicts.append(("array", "2m", "l2_bytes", "", "", "", "bytes", "skip"))
    text = exported(run_of(tmp_path / "run", verdicts, processor={"brand": hostile}, version=hostile), "gem5")
    tree = ast.parse(text)
    assert {type(one) for one in tree.body} == {ast.ImportFrom, ast.ClassDef}


def test_nothing_to_export_is_an_error(tmp_path):
    run = run_of(tmp_path / "run", [one for one in KNOWN if one[-1] == "doubt"])
    assert tool("export", run, "--to", "gem5")[::2] == (1, f"mlpboot export: {run}: no answer is ok that a simulator could use\n")
    assert tool("export", run, "--to", "spice")[0] == 2
    assert tool("export", run)[0] == 2
