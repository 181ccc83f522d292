"""The references that mlpboot comes with: what compare says with them, and what leaves a machine with contribute."""

import gzip
import json
import subprocess
import sys

import pytest

from machine import BUILD, ROOT
from made_runs import run
from tool import tool

from mlpboot.contribute import KEPT, NAMES, anonymous
from mlpboot.conditions import is_among
from mlpboot.reference import reference_runs

DATA = ROOT / "images" / "data"
REFERENCES = sorted(path.name for path in DATA.iterdir() if path.is_dir())
SMALL = ["experiments=mlp", "pages=2m", "mlp.loads=1-6", "mlp.fillers=0-96/8", "mlp.dependent=1-2", "mlp.bytes=4m"]

# A machine that tells everything would name itself, its user and its place so.
SECRETS = {"serial": "SN-4711", "uuid": "4c4c4544-0042-3510-8052-b4c04f4e3332", "asset_tag": "Tag-0815",
           "id": "606801efe1de5dec", "boot": "8194d3cd-748f-48d8-ad06-84de328c5896", "label": "rack 3, slot 7",
           "results.to": "http://192.0.2.7/results", "kernel": "6.1.0-acme", "product": "Secret Project 9"}


def measured(folder, **model):
    """A modelled run, and what it would have said of itself on a machine that tells everything."""
    run(folder, *SMALL, platform="model:counters=0" + "".join(f",{key}={value}" for key, value in model.items()))
    path = folder / "run.json"
    said = json.loads(path.read_text())
    said |= {"platform": "linux", "label": SECRETS["label"], "linux": {"kernel": SECRETS["kernel"], "smt": "on"}}
    said["configuration"] |= {"identity": "full", "label": SECRETS["label"], "results.to": SECRETS["results.to"]}
    said["processor"] = {"vendor": "Made", "brand": "Made Up", "family": 1, "model": 2, "stepping": 3, "virtual": False}
    said["machine"] = {"id": SECRETS["id"], "boot": SECRETS["boot"], "utc_start": "2026-11-22T05:34:52Z",
                       "system": {"serial": SECRETS["serial"], "uuid": SECRETS["uuid"], "product": SECRETS["product"]},
                       "board": {"asset_tag": SECRETS["asset_tag"], "serial": SECRETS["serial"]},
                       "memory": {"slots": 2, "filled": 1, "module_1": {"serial": SECRETS["serial"], "mts": 4800}},
                       "cores": {"measured": 1, "core_0": {"signature": "0xb00f21", "apic_id": 8, "microcode": "0xb002151"}}}
    path.write_text(json.dumps(said))
    return folder


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    return measured(tmp_path_factory.mktemp("lab") / "0001")


def changed(lab, folder, change):
    """A copy of the run with another run.json."""
    folder.mkdir()
    for name in ("verdicts.csv", "results.csv"):
        (folder / name).write_bytes((lab / name).read_bytes())
    said = json.loads((lab / "run.json").read_text())
    change(said)
    (folder / "run.json").write_text(json.dumps(said))
    return folder


# --- the references ---


def test_the_list_has_each_with_its_processor():
    code, out, _ = tool("compare", "--with", "list")
    assert code == 0 and [line.split()[0] for line in out.splitlines()[1:]] == REFERENCES
    assert all(str(json.loads((DATA / name / "run.json").read_text())["processor"]["model"]) in line.split()
               for name, line in zip(REFERENCES, out.splitlines()[1:]))


@pytest.mark.parametrize("name", REFERENCES)
def test_a_reference_does_not_differ_from_itself(name):
    code, out, _ = tool("compare", DATA / name, "--with", name)
    assert code == 0 and "Different: 0" in out and f"B  {name}, " in out


def test_an_odd_core_differs_from_the_reference(lab):
    code, out, _ = tool("compare", lab, "--with", "golden-cove", "--only", "rob_entries")
    assert code == 1 and "Different: 1" in out and "500" in out


def test_wrong_usage_is_told(lab):
    assert tool("compare", lab, "--with", "zen9")[2] == \
        f"mlpboot compare: --with zen9: no reference of that name; expected list, or one of {', '.join(REFERENCES)}\n"
    for words in ([lab], [], [lab, lab, "--with", "zen4"]):
        assert tool("compare", *words)[::2] == (2, "mlpboot compare: expected A and B, or A and --with NAME\n")


@pytest.mark.parametrize("name", REFERENCES)
def test_a_reference_names_no_machine_and_no_place(name):
    said = json.loads((DATA / name / "run.json").read_text())
    assert anonymous(said) == said
    for path in (DATA / name).iterdir():
        text = (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode()
        assert NAMES.search(text) is None, path


def test_the_tool_has_what_the_sources_have():
    assert list(reference_runs()) == REFERENCES
    for name, one in reference_runs().items():
        assert one.read("verdicts.csv") == (DATA / name / "verdicts.csv").read_bytes()


# --- to contribute ---


def test_what_leaves_a_machine_names_nobody(lab, tmp_path):
    before = "".join((lab / name).read_text() for name in ("run.json", "log.txt"))
    assert all(secret in before for secret in (SECRETS["serial"], SECRETS["uuid"], SECRETS["label"]))
    code, out, err = tool("contribute", lab, "--out", tmp_path / "new")
    assert (code, err) == (0, "") and sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        "results.csv", "run.json", "verdicts.csv"]
    after = "".join(path.read_text() for path in (tmp_path / "new").iterdir())
    assert [name for name, secret in SECRETS.items() if secret in after] == []
    said = json.loads((tmp_path / "new" / "run.json").read_text())
    assert said["machine"] == {"memory": {"slots": 2, "filled": 1},
                               "cores": {"measured": 1, "core_0": {"signature": "0xb00f21", "microcode": "0xb002151"}}}
    assert "processor  Made Up, family 1, model 2" in out and "left out   log.txt, report.html" in out


def test_its_rows_give_its_verdicts_again(lab, tmp_path):
    assert tool("contribute", lab, "--out", tmp_path / "new")[0] == 0
    judged = subprocess.run([BUILD / "mlpboot-hosted", "analyze", tmp_path / "new" / "results.csv"], check=True, capture_output=True).stdout
    assert judged == (tmp_path / "new" / "verdicts.csv").read_bytes()


def test_of_several_runs_the_one_with_most_answers_is_taken(lab, tmp_path):
    few = changed(lab, tmp_path / "few", lambda said: None)
    lines = (few / "verdicts.csv").read_text().splitlines(keepends=True)
    (few / "verdicts.csv").write_text("".join(line.replace(",ok,,", ",doubt,scatter,") for line in lines))
    code, out, _ = tool("contribute", few, lab, "--out", tmp_path / "new")
    assert code == 0 and f"{tmp_path / 'new'}: {lab}, the one of 2 runs with the most ok answers" in out


def put(path, value):
    def change(said):
        *above, name = path.split("/")
        for one in above:
            said = said.setdefault(one, {})
        said[name] = value
    return change


@pytest.mark.parametrize("path, value, complaint", [
    ("status", "partial", "its status is partial; expected done"),
    ("platform", "model", "a model of a core; expected a processor"),
    ("processor/family", None, "run.json lacks processor.family"),
    ("configuration/case", "mine", "the names of its cases have your word mine"),
    ("certificate/core_shared_percent", 80, "a sibling thread shared the core in 80 % of the visits; expected 50 % at most"),
    ("certificate/obtained_by", "me@example.org", "me@example.org looks like an address or a serial number"),
    ("firmware/vendor", "10.1.2.3", "10.1.2.3 looks like an address or a serial number"),
])
def test_a_run_is_refused_with_the_reason(lab, tmp_path, path, value, complaint):
    code, _, err = tool("contribute", changed(lab, tmp_path / "run", put(path, value)), "--out", tmp_path / "new")
    assert code == 1 and complaint in err and not (tmp_path / "new").exists()


def test_contradictions_are_refused(lab, tmp_path):
    other = measured(tmp_path / "other", rob=96)
    code, _, err = tool("contribute", lab, other, "--out", tmp_path / "new")
    assert code == 1 and "contradicts" in err and "rob_entries" in err
    said = json.loads((DATA / "golden-cove" / "run.json").read_text())
    same = changed(lab, tmp_path / "same", put("processor", said["processor"]))
    code, _, err = tool("contribute", same, "--out", tmp_path / "new")
    assert code == 1 and "contradicts the reference golden-cove" in err and "rob_entries" in err


def test_a_folder_that_is_there_stays(lab, tmp_path):
    assert f"{tmp_path}: is there already" in tool("contribute", lab, "--out", tmp_path)[2]


def test_what_is_kept_is_a_list_of_members():
    assert is_among(KEPT, "processor.brand") and not is_among(KEPT, "machine.id") and not is_among(KEPT, "label")


# --- tables of the manual ---


def printed(*words):
    done = subprocess.run([sys.executable, "-B", ROOT / "images/references.py", *words], text=True, capture_output=True)
    return done.returncode, done.stdout.splitlines()


def test_a_table_has_published_figures_beside_those_of_the_references():
    code, lines = printed("agreement")
    cells = {line.split(" | ")[0].strip("| "): line.strip("| ").split(" | ") for line in lines}
    assert code == 0 and cells["verdict"][2::2] == ["Golden Cove", "Zen 4", "Zen 5"]
    rob = next(v for v in reference_runs()["golden-cove"].verdicts() if (v.case, v.name) == ("2m", "rob_entries"))
    assert cells["`rob_entries`"][2:4] == [f"{rob.value:.0f}", "512"]
    assert cells["`store_queue`"][3::2] == ["112", "64", "104"]


def test_an_answer_in_doubt_is_marked_in_a_table_and_one_that_is_missing_is_no_number():
    _, lines = printed("table-6-1")
    assert len(lines) == 2 + 6 + 2 * len(REFERENCES)
    doubtful = next(v for v in reference_runs()["golden-cove"].verdicts() if (v.case, v.name) == ("2m", "one_load"))
    assert doubtful.status == "doubt" and f" {doubtful.value:.0f}? [" in next(line for line in lines if "Golden Cove | 2m" in line)
    assert "| Golden Cove | - | - | - | - |" in printed("walks")[1]


def test_times_of_counters_of_another_rate_are_in_the_published_unit():
    """Table 6.1 has cycles of 2.6 GHz; a counter of Zen 5 runs at 2.1."""
    reference = reference_runs()["zen5"]
    rate = reference.json()["tsc_hz"]
    one = next(v for v in reference.verdicts() if (v.experiment, v.case, v.name) == ("mlp", "4k", "one_load"))
    row = next(line for line in printed("table-6-1")[1] if "Zen 5 | 4k" in line)
    assert rate < 2.2e9 and f" {one.value * 2.6e9 / rate:.0f}" in row.split("|")[5]
    by_l2 = next(v for v in reference.verdicts() if (v.experiment, v.case, v.name) == ("array", "2m", "l2_latency"))
    last = [line for line in printed("arrays")[1] if line.startswith("| 128 KB")][-1]  # of Zen 5
    assert abs(float(last.split("|")[2]) / (by_l2.value * 2.6e9 / rate) - 1) < 0.05


def test_another_table_is_wrong_usage():
    assert printed("all")[0] == 2 and printed("--help")[0] == 0
