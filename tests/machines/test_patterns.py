"""Experiment patterns: what its loops compile to, on this processor, and on the image."""

import re
import statistics
import subprocess

import pytest

from machine import BUILD, NO_VERDICT, ROOT, Results, boot, tool

HOSTED = BUILD / "mlpboot-hosted"
PATTERNS = ["linear", "page", "heap", "random"]
PIECE = 262144
STUDENT_5_PASSES = 2.776

# The functions of kernel/probe/pattern_loops.c, and the numbers that must stand in each loop: steps and
# masks (of 8-byte words). A step inside a page may be taken modulo the page.
LOOPS = {
    "linear_order": [{0x1}],
    "page_order": [{514229, 514229 % 262144}, {262143}],
    "heap_order": [{514229}],
    "random_order": [{12}],
}


def functions(object_file):
    """name -> [(address, mnemonic, operands)] of an object's code."""
    found, current = {}, None
    for line in tool("objdump", "-d", "--no-show-raw-insn", object_file).decode().splitlines():
        if head := re.match(r"[0-9a-f]+ <(\w+)>:", line):
            current = found.setdefault(head[1], [])
        elif body := re.match(r" *([0-9a-f]+):\t(\S+) *(.*)", line):
            current.append((int(body[1], 16), body[2], re.sub(r"\s*#.*", "", body[3])))
    return found


def loop_of(code):
    """The one loop of a function: from where its one jump backwards goes to that jump."""
    jumps = [(address, int(operands.split()[0], 16)) for address, name, operands in code
             if name.startswith("j")]
    assert len(jumps) == 1, f"one jump was expected: {jumps}"
    (end, start), = jumps
    assert start < end
    return [(name, operands) for address, name, operands in code if start <= address <= end]


def check_loop(loop, numbers):
    loads = [(name, operands) for name, operands in loop if "(" in operands and name != "lea"]
    assert len(loads) == 1, f"one access is one load: {loads}"
    name, operands = loads[0]
    # base, index, 8 bytes a word; added to a register, or moved to one
    assert re.fullmatch(r"\(%r\w+,%r\w+,8\),%r\w+", operands), operands
    assert name in ("add", "mov")
    text = "\n".join(f"{name} {operands}" for name, operands in loop)
    assert not re.search(r"%[xyz]mm", text), "a vectorised loop"
    assert loop[-1][0] == "jne"
    assert re.search(r"(sub +\$0x1|add +\$0xffffffffffffffff|dec),?", text), "no count by one"
    assert len(loop) <= 12, "an unrolled loop"
    found = {int(number, 16) for number in re.findall(r"\$(0x[0-9a-f]+)", text)}
    found |= {0x1} if re.search(r"(?m)^inc ", text) else set()
    for accepted in numbers:
        assert found & accepted, f"none of {accepted} in:\n{text}"


@pytest.fixture(scope="module", params=["gcc", "clang"])
def objects(request, tmp_path_factory):
    """The object files of both platforms, by one compiler."""
    build = tmp_path_factory.mktemp(request.param)
    files = [build / platform / "kernel/probe/pattern_loops.o" for platform in ("efi", "hosted")]
    subprocess.run(["make", "-C", ROOT, f"CC={request.param}", f"BUILD={build}", *map(str, files)],
                   check=True, capture_output=True)
    return files


@pytest.mark.parametrize("function", LOOPS)
def test_each_access_is_one_load(objects, function):
    check_loop(loop_of(functions(objects[0])[function]), LOOPS[function])


def test_both_platforms_run_the_same_code(objects):
    efi, hosted = map(functions, objects)
    assert set(LOOPS) < set(efi)
    assert efi == hosted


def test_loops_start_cache_lines(objects):
    for function in LOOPS:
        assert functions(objects[0])[function][0][0] % 64 == 0
    listing = tool("nm", BUILD / "mlpboot.so").decode()
    placed = re.findall(r"([0-9a-f]+) t (linear|page|heap|random)_order\n", listing)
    assert len(placed) == len(LOOPS)
    assert all(int(address, 16) % 64 == 0 for address, _ in placed)


GOOD = [("add", "$0x1,%rax"), ("and", "%rcx,%rax"), ("add", "(%r8,%rax,8),%rdx"),
        ("sub", "$0x1,%rsi"), ("jne", "20 <linear_order+0x20>")]


@pytest.mark.parametrize("change", [
    lambda loop: loop[:2] + loop[3:],                                      # hoisted
    lambda loop: loop[:3] + loop[2:],                                      # twice
    lambda loop: loop[:2] + [("paddq", "(%r8,%rax,8),%xmm0")] + loop[3:],  # vectorised
    lambda loop: [("add", "$0x2,%rax")] + loop[1:3] + [("sub", "%rbx,%rsi")] + loop[4:],
    lambda loop: loop[:3] + 9 * [("nop", "")] + loop[3:],
])
def test_other_loops_are_noticed(change):
    check_loop(GOOD, LOOPS["linear_order"])
    check_loop([("inc", "%rax"), *GOOD[1:-2], ("dec", "%rsi"), GOOD[-1]], LOOPS["linear_order"])
    with pytest.raises(AssertionError):
        check_loop(change(GOOD), LOOPS["linear_order"])


def rows_of(results, case, metric, k):
    return [row for row in results.rows
            if (row["case"], row["metric"], row["k"]) == (case, metric, str(k))]


def pieces_of(results, case, metric):
    row, = rows_of(results, case, metric, PIECE)
    return row


def passes_of(results, case, metric, size):
    """The time of an access in each pass, round by round."""
    rows = rows_of(results, case, metric, size // 8)
    assert [int(row["stage"]) for row in rows] == list(range(len(rows)))
    assert {row["samples"] for row in rows} == {"1"} and {row["bytes"] for row in rows} == {str(size)}
    return [float(row["mean"]) / int(row["k"]) for row in rows]


def verdicts_of(results):
    return {(verdict["case"], verdict["name"]): verdict for verdict in results.verdicts}


def expected_sum(size):
    words, pages = size // 8, size // (2 << 20)
    return words * (PIECE - 1) // 2 + PIECE * pages * (pages - 1) // 2


def check_case(results, case, size, least, most):
    """Rows of pieces, `most` or all, and of passes that fit each other; every sum right."""
    words = size // 8
    verdicts = verdicts_of(results)
    for metric, name in (("tsc", "ticks_per_access"), ("ns", "ns_per_access")):
        piece, passes = pieces_of(results, case, metric), passes_of(results, case, metric, size)
        assert len(passes) >= least and piece["bytes"] == str(size)
        assert int(piece["samples"]) == min(most, len(passes) * words // PIECE - int(piece["discarded"]))
        assert int(piece["samples"]) == most or min(passes) >= float(piece["min"]) / PIECE
        verdict = verdicts[case, name]
        if verdict["reason"] == "emulated":
            assert (verdict["status"], verdict["value"]) == ("skip", "")
            continue
        value, low, high = (float(verdict[key]) for key in ("value", "low", "high"))
        assert verdict["status"] in ("ok", "doubt")
        assert value == pytest.approx(statistics.mean(passes), abs=6e-4)
        reach = STUDENT_5_PASSES * statistics.stdev(passes) / len(passes) ** 0.5
        assert high > value > low >= 0
        if len(passes) == 5:
            assert high - value >= 0.98 * reach - 1e-3
    ticks, times = (pieces_of(results, case, metric) for metric in ("tsc", "ns"))
    ratio = results.run["tsc_hz"] / 1e9
    assert float(ticks["median"]) / float(times["median"]) == pytest.approx(ratio, rel=1e-3)
    totals = rows_of(results, case, "sum", words)
    assert len(totals) == len(passes_of(results, case, "tsc", size))
    assert {float(total["median"]) for total in totals} == {expected_sum(size)}


def check_ratios(results, pages, size):
    verdicts = verdicts_of(results)
    linear = passes_of(results, f"linear-{pages}", "tsc", size)
    for pattern in PATTERNS[1:]:
        ratio = float(verdicts[f"{pattern}-{pages}", f"{pattern}_over_linear"]["value"])
        rounds = zip(passes_of(results, f"{pattern}-{pages}", "tsc", size), linear)
        assert ratio == pytest.approx(statistics.mean(a / b for a, b in rounds), abs=6e-4)


def check_analyze(results, folder):
    """The stored rows alone give the same verdicts, to the byte."""
    (folder / "stored.csv").write_bytes(results.files["results.csv"])
    done = subprocess.run([HOSTED, "analyze", folder / "stored.csv"], capture_output=True)
    assert done.stdout == results.files["verdicts.csv"], done.stderr


def run_hosted(folder, *settings):
    arguments = [part for setting in settings for part in ("--set", setting)]
    done = subprocess.run([HOSTED, "run", "--set", "experiments=patterns", *arguments,
                           "--out", folder / "run"], capture_output=True, text=True)
    assert done.returncode in (0, NO_VERDICT), done.stdout + done.stderr
    return Results.of_folder(folder / "run")


def test_passes_of_a_process(tmp_path):
    results = run_hosted(tmp_path, "patterns.bytes=32m", "pages=4k", "samples.max=40")
    for pattern in PATTERNS:
        check_case(results, f"{pattern}-4k", 32 << 20, least=5, most=40)
        assert verdicts_of(results)[f"{pattern}-4k", "cpi"]["status"] == "skip"
    check_ratios(results, "4k", 32 << 20)
    check_analyze(results, tmp_path)


def test_a_wrong_sum_in_a_table_is_an_error(tmp_path):
    results = run_hosted(tmp_path, "patterns.bytes=4m", "pages=4k", "samples.min=5", "samples.max=10")
    right = str(expected_sum(4 << 20)).encode()
    lines = results.files["results.csv"].splitlines(keepends=True)
    changed = [line.replace(right, b"%d" % (int(right) + 1)) if line.startswith(b"patterns,heap") else line
               for line in lines]
    assert changed != lines
    (tmp_path / "stored.csv").write_bytes(b"".join(changed))
    done = subprocess.run([HOSTED, "analyze", tmp_path / "stored.csv"], capture_output=True, text=True)
    errors = {tuple(line.split(",")[1:3]) for line in done.stdout.splitlines() if ",error," in line}
    assert errors == {("heap-4k", "ns_per_access"), ("heap-4k", "ticks_per_access"),
                      ("heap-4k", "heap_over_linear")}


def test_a_model_runs_no_loops(tmp_path):
    done = subprocess.run([HOSTED, "run", "--platform", "model", "--set", "experiments=patterns",
                           "--out", tmp_path / "run"], capture_output=True, text=True)
    assert done.returncode == 3, done.stdout + done.stderr
    results = Results.of_folder(tmp_path / "run")
    assert results.log[-1] == "event=done status=nothing"
    assert [row["case"] for row in results.own_rows] == [f"{pattern}-{pages}" for pages in ("2m", "4k")
                                                     for pattern in PATTERNS]
    assert {row["unit"] for row in results.own_rows} == {"a model runs generated probes only"}
    assert {verdict["status"] for verdict in results.own_verdicts} == {"skip"}


def test_passes_of_the_image(tmp_path):
    """In an emulator times mean nothing; orders, sums and rows do. 1g does not fit at all."""
    config = "experiments = patterns\npatterns.bytes = 8m\npages = 2m 4k 1g\nprefetch = both\nsamples.min = 5\nsamples.max = 10\n"
    machine = boot(tmp_path, config, timeout=240)
    results = machine.check_done()
    for pages in ("2m", "4k"):
        for pattern in PATTERNS:
            check_case(results, f"{pattern}-{pages}", 8 << 20, least=1, most=10)
    skipped = {row["case"] for row in results.rows if row["metric"] == "skipped"}
    assert {f"{pattern}-1g" for pattern in PATTERNS} <= skipped
    assert {f"{pattern}-2m-nopf" for pattern in PATTERNS} <= skipped
    check_analyze(results, tmp_path)
