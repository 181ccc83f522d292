"""Experiment shuffle: the machine code of its loops, and whole runs under Linux and on the image."""

import re
import subprocess

import pytest

from machine import BUILD, ENVIRONMENT, NO_VERDICT, ROOT, Results, boot, tool

HOSTED = BUILD / "mlpboot-hosted"
OBJECT = "kernel/probe/shuffle_loops.o"
SOURCES = ["precomputed", "onthefly"]
CASES = [f"{loop}-{source}" for source in SOURCES for loop in ("plain", "staged")]
MASK = (1 << 64) - 1
PASSES = (1, 2, 3)


# --- the loops' machine code ---


def functions(path):
    """Name -> (address, mnemonic, operands) of each instruction, by objdump."""
    found, code = {}, None
    for line in tool("objdump", "-d", "--no-show-raw-insn", "-j", ".text", path).decode().splitlines():
        if start := re.match(r"[0-9a-f]+ <(\w+)>:", line):
            code = found[start[1]] = []
        elif step := re.match(r"\s+([0-9a-f]+):\s+(\S+)\s*(.*)", line):
            code.append((int(step[1], 16), step[2], step[3].strip()))
    return found


def innermost_loops(code):
    """
    The instructions from the target of each jump backwards to the last jump that has it. Between those of a loop is no
    return: behind one, compilers put rare ways that jump back to the function's end.
    """
    ends = {}
    for address, mnemonic, operands in code:
        if mnemonic.startswith("j") and (target := int(operands.split()[0], 16)) <= address:
            ends[target] = address
    spans = [(start, end) for start, end in sorted(ends.items())
             if not any(other != (start, end) and start <= other[0] and other[1] <= end
                        for other in ends.items())]
    bodies = [[step for step in code if start <= step[0] <= end] for start, end in spans]
    return [body for body in bodies if all(mnemonic != "ret" for _, mnemonic, _ in body)]


def work(loop):
    """What a loop does each time round: (loads, stores, XORs with memory, multiplications)."""
    loads = stores = xors = products = 0
    for _, mnemonic, operands in loop:
        assert not re.search(r"%[xyz]mm", operands), "vectors"
        assert not mnemonic.startswith(("call", "rep")), "a call"
        products += mnemonic.startswith(("imul", "mul"))
        if "(" not in operands or mnemonic.startswith(("lea", "nop", "cs", "data16")):
            continue
        to_memory = operands.endswith(")")
        is_move = mnemonic.startswith("mov")
        stores += to_memory
        loads += not to_memory or not is_move
        xors += mnemonic.startswith("xor")
    return loads, stores, xors, products


# a, b; b again and a again, since either may have been the other. A swap's index is read by one load.
SWAP = (4, 3, 3, 0)
SWAP_WITH_INDEX = (5, 3, 3, 0)
EXPECTED = {
    "shuffle_plain_precomputed": [SWAP_WITH_INDEX],
    "shuffle_plain_on_the_fly": [(4, 3, 3, 3)],
    "shuffle_staged_precomputed": [(1, 1, 0, 0), SWAP_WITH_INDEX],
    "shuffle_staged_on_the_fly": [(0, 1, 0, 3), SWAP_WITH_INDEX],
}


def check_loops(path):
    found = functions(path)
    for name, expected in EXPECTED.items():
        assert [work(loop) for loop in innermost_loops(found[name])] == expected, name


@pytest.mark.parametrize("build", ["efi", "hosted"])
def test_every_load_store_and_random_number_is_in_its_loop(build):
    check_loops(BUILD / build / OBJECT)


def test_image_and_linux_process_run_the_same_machine_code(tmp_path):
    code = []
    for build in ("efi", "hosted"):
        tool("objcopy", "-O", "binary", "-j", ".text", BUILD / build / OBJECT, tmp_path / build)
        code.append((tmp_path / build).read_bytes())
    assert code[0] and code[0] == code[1]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_either_compiler_leaves_the_loops_as_they_are_written(tmp_path, compiler):
    clean = {name: value for name, value in ENVIRONMENT.items() if not name.startswith("MAKE")}
    built = tmp_path / "efi" / OBJECT
    subprocess.run(["make", "-s", f"CC={compiler}", f"BUILD={tmp_path}", built], cwd=ROOT, env=clean,
                   check=True)
    check_loops(built)


# --- whole runs ---


def checksum(elements, seed):
    """Of an array after the shuffle, as SplitMix64 and Fisher and Yates have it."""
    data = list(range(elements))
    for i in range(elements, 0, -1):
        seed = (seed + 0x9E3779B97F4A7C15) & MASK
        z = ((seed ^ seed >> 30) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
        j = (z ^ z >> 31) * i >> 64
        data[i - 1], data[j] = data[j], data[i - 1]
    weighted = sum((i + 1) * value for i, value in enumerate(data)) & MASK
    return (weighted ^ weighted >> 32) & 0xFFFFFFFF


def check_run(results, page, sizes, stages, seed, proves=True):
    """
    Every point of every case is there, and every loop did the shuffle of the reference: a loop proves
    that once for each size, with the first pages.
    """
    sums = {size: checksum(size // 4, seed) for size in sizes}
    rate = results.run["tsc_hz"]
    for case in CASES:
        rows = [row for row in results.own_rows if row["case"] == f"{case}-{page}"]
        for metric in ("tsc", "ns"):
            points = [(int(row["n"]), int(row["bytes"]), int(row["stage"])) for row in rows
                      if row["metric"] == metric and row["samples"] != "0"]
            assert sorted(points) == [(number, size, stage) for number in PASSES for size in sizes
                                      for stage in stages]
        ticks = [row for row in rows if row["metric"] == "tsc" and row["samples"] != "0"]
        times = [row for row in rows if row["metric"] == "ns"]
        for tick, time in zip(ticks, times):
            assert int(tick["k"]) == 4096 - 4096 % int(tick["stage"])
            assert 0 < float(tick["min"]) <= float(tick["median"])
            assert float(time["median"]) == pytest.approx(float(tick["median"]) * 1e9 / rate, rel=1e-3)
        found = {int(row["bytes"]): int(row["median"]) for row in rows if row["metric"] == "checksum"}
        assert found == (sums if proves else {}), case
    names = {case: [verdict["name"] for verdict in results.own_verdicts
                    if verdict["case"] == f"{case}-{page}"] for case in CASES}
    for case in CASES:
        assert names[case] == (["swap_ticks", "plain_flatness"] if case.startswith("plain") else
                               ["swap_ticks", "best_stage", "staged_gain"])


def check_analyze(results, folder):
    (folder / "stored.csv").write_bytes(results.files["results.csv"])
    done = subprocess.run([HOSTED, "analyze", folder / "stored.csv"], capture_output=True)
    assert done.stdout == results.files["verdicts.csv"], done.stderr


def run_hosted(folder, *settings, platform=(), code=0):
    words = [word for setting in settings for word in ("--set", setting)]
    done = subprocess.run([HOSTED, "run", "--set", "experiments=shuffle", *words, *platform, "--out",
                           folder / "run"], capture_output=True, text=True)
    assert done.returncode in (code, NO_VERDICT), done.stdout + done.stderr
    return Results.of_folder(folder / "run")


def test_every_loop_does_the_same_shuffle_under_linux(tmp_path):
    results = run_hosted(tmp_path, "pages=4k", "shuffle.bytes=32k 100032",
                               "shuffle.stages=1 24 1024", "samples.max=10", "samples.min=5", "seed=7")
    assert results.log[-1] == "event=done status=done"
    check_run(results, "4k", [32768, 100032], [1, 24, 1024], 7)
    check_analyze(results, tmp_path)


def test_the_image_shuffles_and_says_what_did_not_fit(tmp_path):
    config = ("experiments = shuffle\npages = 2m 4k\nshuffle.bytes = 64k 2g\nshuffle.stages = 8 64\n"
              "samples.min = 5\nsamples.max = 10\nseed = 3\n")
    machine = boot(tmp_path, config, timeout=180)
    results = machine.check_done()
    for page in ("2m", "4k"):
        check_run(results, page, [65536], [8, 64], 3, proves=page == "2m")
        missing = [row["case"] for row in results.own_rows if row["samples"] == "0"
                   and row["bytes"] == str(2 << 30)]
        assert missing.count(f"plain-precomputed-{page}") == 1
        assert machine.says(f"shuffle plain-precomputed-{page}: not 2g: ")
    check_analyze(results, tmp_path)


def test_no_size_at_all_is_a_skip_with_the_reason(tmp_path):
    """Nobody has pages of a gigabyte for each of these unless they were set aside."""
    results = run_hosted(tmp_path, "pages=1g", "shuffle.bytes=8g", "samples.max=5", "samples.min=5",
                            code=3)
    rows = {row["case"]: row for row in results.own_rows}
    assert set(rows) == {f"{case}-1g" for case in CASES} and len(results.own_rows) == len(CASES)
    assert all(row["metric"] == "skipped" and "1 GB pages" in row["unit"] for row in rows.values())
    assert {verdict["status"] for verdict in results.own_verdicts} == {"skip"}
    check_analyze(results, tmp_path)


def test_the_model_says_that_it_runs_no_loops(tmp_path):
    results = run_hosted(tmp_path, "pages=2m", platform=("--platform", "model:rob=192"), code=3)
    assert {row["metric"] for row in results.own_rows} == {"skipped"}
    assert {verdict["status"] for verdict in results.own_verdicts} == {"skip"}
    assert {verdict["case"] for verdict in results.own_verdicts} == {f"{case}-2m" for case in CASES}
    check_analyze(results, tmp_path)
