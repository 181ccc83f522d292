"""serial_log.py: what lines, terminals and people make of a console's output."""

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tool
from machine import ROOT
from mlpboot import serial_log
from mlpboot.files import Trouble
from mlpboot.serial_log import FILES, SerialLog, clean
from serial_blocks import LOG_BEGIN, LOG_END, block, blocks, end, log_lines, piece

assert tool  # its import is what makes mlpboot's modules importable

RUN = "0007-00000001"
TABLE = b"".join(b"mlp,2m-L\xc3\xa4\\bel,%d,1,%0*d \n" % (n, n, 7) for n in range(60))
START, DONE = b"event=start label=" + b"long " * 40 + b"\n", b"event=done\n"
EVENTS = START + DONE
FILES_OF_RUN = {"results.csv": TABLE, "verdicts.csv": b"experiment\n", "run.json": b"{}", "log.txt": EVENTS}


# The image prints this where it can save nothing of a run.
CONSOLE = b"".join([
    LOG_BEGIN, piece(RUN, "run.json", 0, b"{"), end(RUN, "run.json", b"{"), log_lines(START),
    b"\nresults.csv could not be saved: the volume is full\n", *blocks(RUN, "results.csv", TABLE)[:-1],
    *blocks(RUN, "verdicts.csv", b"experiment\n")[:-1], *blocks(RUN, "run.json", b"{}", version=2), log_lines(DONE),
    piece(RUN, "log.txt", 0, EVENTS), LOG_END, end(RUN, "results.csv", TABLE), end(RUN, "verdicts.csv", b"experiment\n"),
    end(RUN, "log.txt", EVENTS)])
SMALL = b"".join([*blocks(RUN, "results.csv", b"a,b\nc\\d\n"), *blocks(RUN, "verdicts.csv", b"e\n")])


def files_of(log):
    """[(run, {(file, version): (bytes, why they are not the file)})]"""
    return [(run.name, {(file, version): (bytes(data), reason) for file, versions in run.files.items()
                        for version, writing in versions.items() for data, reason in [writing.join()]})
            for run in log.runs]


def one_run(data):
    """The files of a log's only run."""
    [(_, files)] = files_of(SerialLog(data))
    return files


def check(log):
    """Sees that what any log makes is in order: who sends it may have made it."""
    for run in log.runs:
        assert re.fullmatch(r"\w[\w.-]{0,30}", run.name, re.ASCII)
        assert set(run.files) <= FILES
        for versions in run.files.values():
            for version, writing in versions.items():
                data, reason = writing.join()
                assert re.fullmatch(r"[ -~]*", reason)
                if reason == "" and version > 0:
                    assert writing.end == (len(data), hashlib.sha256(data).hexdigest().encode() + b"\n")


# --- what is added on the way ---


def check_console(data):
    log = SerialLog(data)
    assert log.lost == 0 and log.strange == {}
    [(name, files)] = files_of(log)
    assert name == RUN
    assert files == {("run.json", 1): (b"{", ""), ("run.json", 2): (b"{}", ""), ("results.csv", 1): (TABLE, ""),
                     ("verdicts.csv", 1): (b"experiment\n", ""), ("log.txt", 0): (EVENTS, ""),
                     ("log.txt", 1): (EVENTS, "")}


def as_a_terminal(line, number):
    before = [b"\x1b[0m\x1b[37m\x1b[40m", b"\x1b[2J\x1b[01;01H", b"\r", b"\x1b]0;a title\a", b"\x1b", b"\b"]
    half = len(line) // 2
    return before[number % 6] + line[:half] + b"\x1b[K\0" + line[half:] + b"\r\n"


def with_others(line, number):
    return line + b"\n" + (b"" if line.endswith(b"\\") else b"50% mlp a | b\n\nevent\n  |x\n=== mlpboot\n=== \n")


@pytest.mark.parametrize("change", [
    lambda line, number: line + b"\n", as_a_terminal, with_others,
    lambda line, number: b"[%08d.%03d] %b\n" % (number, number % 1000, line)],
    ids=["as it was printed", "terminal", "other output", "times"])
def test_what_is_added_on_the_way_is_dropped(change):
    check_console(b"".join(change(line, number) for number, line in enumerate(CONSOLE.splitlines())))


def test_a_line_of_the_log_within_a_block_is_the_logs():
    cut = CONSOLE.index(b"|mlp,2m-L")
    log = CONSOLE[:cut] + b"event=within\n" + CONSOLE[cut:]
    files = one_run(log)
    assert files["results.csv", 1] == (TABLE, "")
    assert files["log.txt", 0] == (START + b"event=within\n" + DONE, "")


@pytest.mark.parametrize("line, cleaned", [
    (b"a\x1b[2Jb\r\n", b"ab"), (b"a\x1b[12;3\rb\n", b"ab"), (b"a\x1b\x1b[?25lb", b"ab"),
    (b"a\x1b[12\x80\n", b"a\x80"),
    (b"a\x1b]0;title\ab\n", b"ab"), (b"a\x1b]0;title\x1b[1mb\n", b"ab"), (b"a\x1b]0;title\n", b"a"),
    (b"a\x1b\r[b\n", b"a[b"), (b"a\b\0b\x1b", b"ab"), (b"\n", b"")])
def test_what_terminals_add(line, cleaned):
    assert clean(line) == cleaned


@pytest.mark.parametrize("before", [b"", SMALL.splitlines(True)[0]], ids=["between blocks", "in a block"])
def test_lines_that_mean_nothing_are_passed_over(monkeypatch, before):
    """A log may be a hundred million ends of lines."""
    cleaned = []
    monkeypatch.setattr(serial_log, "clean", lambda line: cleaned.append(line) or clean(line))
    SerialLog(before + b"\r\n" * 100000 + SMALL + b"noise\n" * 100000 + SMALL + b"\n" * 100000)
    assert b"".join(cleaned).replace(b"\r\n", b"").replace(b"noise\n", b"").rstrip(b"\n") + b"\n" == before + SMALL * 2
    assert len(cleaned) < len((before + SMALL * 2).splitlines()) + 10


# --- damage ---


def check_right_or_told(data):
    """Sees that what is called whole is right, whatever happened to SMALL."""
    wanted = {"results.csv": b"a,b\nc\\d\n", "verdicts.csv": b"e\n"}
    for run, files in files_of(SerialLog(bytes(data))):
        for (file, version), (there, reason) in files.items():
            if reason == "":
                assert (run, version, there) == (RUN, 1, wanted[file])


def test_any_byte_damaged():
    for at in range(len(SMALL)):
        for bit in range(8):
            check_right_or_told(SMALL[:at] + bytes([SMALL[at] ^ 1 << bit]) + SMALL[at + 1:])
        check_right_or_told(SMALL[:at] + SMALL[at + 1:])
        for byte in b"|\n\\\x1b= ":
            check_right_or_told(SMALL[:at] + bytes([byte]) + SMALL[at:])


def test_cut_off_anywhere():
    for at in range(len(SMALL)):
        check_right_or_told(SMALL[:at])
        check_right_or_told(SMALL[at:])


def without(data, words, count):
    at = data.index(words)
    return data[:at] + data[at + count:]


@pytest.mark.parametrize("words, count, lost, reason, there", [
    (b"|c", 3, 0, "bytes 0 to 7 came damaged", b""),
    (f"=== mlpboot {RUN} results.csv version 1 at".encode(), 30, 1, "bytes 0 to 7 are missing", b""),
    (f"=== mlpboot {RUN} results.csv version 1 whole".encode(), 10, 1, "its end is not in the log",
     b"a,b\nc\\d\n")])
def test_damage_is_told_with_its_place(words, count, lost, reason, there):
    log = SerialLog(without(SMALL, words, count))
    assert log.lost == lost
    [(_, files)] = files_of(log)
    assert files == {("results.csv", 1): (there, reason), ("verdicts.csv", 1): (b"e\n", "")}


def test_a_block_that_is_missing_leaves_the_others_in_order():
    files = one_run(without(CONSOLE, b"results.csv version 1 at 1000 ", 1))
    assert files["results.csv", 1] == (TABLE[:1000] + TABLE[2000:], "bytes 1000 to 1999 are missing")


def json(at, data):
    return piece(RUN, "run.json", at, data)


def damaged(at, data):
    return json(at, data).replace(b"|", b"|0", 1)


def ended(data):
    return end(RUN, "run.json", data)


WHOLE, NO_END, ALIKE = b"".join(blocks(RUN, "run.json", b"{2}")), "its end is not in the log", "blocks of the same place are not the same"
TORN = json(0, b"ab") + json(6, b"gh") + json(4, b"ef").partition(b"=== mlpboot end")[0]
MANY = json(2, b"ab") + damaged(4, b"ab") + json(6, b"ab")

# Rows: the parts of run.json in a log, the part that is recovered, and the reason why that is not the whole file.
LOGS = {
    "a time before the marks alone": (WHOLE.replace(b"=== mlpboot", b"12:34 === mlpboot"), b"{2}", ""),
    "damaged and missing": (MANY + damaged(10, b"ab") + ended(b"ab" * 6), b"abab",
                            "bytes 0 to 1 are missing; bytes 4 to 5 came damaged; bytes 8 to 11 came damaged"),
    "the last one is right": (MANY + json(10, b"ab"), b"ababab", "bytes 0 to 1 are missing; bytes 4 to 5 came damaged; "
                              f"bytes 8 to 9 are missing; {NO_END}"),
    "no end of the last block": (TORN, b"abgh", f"bytes 2 to 5 came damaged; {NO_END}"),
    "no end of a block before another": (TORN + json(2, b"cd"), b"abcdgh", f"bytes 4 to 5 came damaged; {NO_END}"),
    "a damaged end": (json(2, b"cd") + ended(b"abcd").replace(b"\n|", b"\n|0"), b"cd", f"bytes 0 to 1 are missing; {NO_END}"),
    "behind a gap": (json(0, b"ab") + json(3, b"defgh") + json(6, b"ghij"), b"abdefghij", f"bytes 2 to 2 are missing; {NO_END}"),
    "no beginning": (json(6, b"a\n"), b"a\n", f"bytes 0 to 5 are missing; {NO_END}"),
    "no end of the file": (json(0, b"{") + json(1, b"}"), b"{}", NO_END),
    "the end alone is missing": (json(0, b"{") + ended(b"{2}"), b"{", "bytes 1 to 2 are missing"),
    "another end": (WHOLE + ended(b"{3}"), b"{2}", ALIKE),
    "a longer end": (WHOLE + ended(b"{22}"), b"{2}", ALIKE),
    "the end of other bytes": (json(0, b"{2}") + ended(b"{3}"), b"{2}", "its checksum is another one"),
    "the end of fewer bytes": (json(0, b"{2}") + ended(b"{"), b"{2}", "its checksum is another one"),
    "pieces that overlap": (json(0, b"{abc") + json(2, b"bc}") + json(1, b"a") + ended(b"{abc}"), b"{abc}", ""),
    "pieces that contradict each other": (json(0, b"{abc") + json(2, b"bd}") + ended(b"{abc}"), b"{abc}", ALIKE),
    "places that cannot be": (
        json(999999999999999, b"a\n") + json(1, b"b\n") + json(0, b"ab")
        + block(f"{RUN} run.json version 1 at 0 bytes 999999999999999", b"ab\n")
        + b"".join(json(at, b"c") for at in range(10, 60, 4)), b"ab\n" + b"c" * 13 + b"a\n",
        "bytes 3 to 9 came damaged; bytes 11 to 13 came damaged; bytes 15 to 17 came damaged; bytes 19 to 21 came damaged; "
        f"bytes 23 to 25 came damaged; bytes 27 to 29 came damaged; {NO_END}; and 8 more such gaps"),
}


@pytest.mark.parametrize("data, there, reason", LOGS.values(), ids=LOGS.keys())
def test_what_there_is_and_why_it_is_not_all(data, there, reason):
    assert one_run(data) == {("run.json", 1): (there, reason)}


def test_six_gaps_are_told():
    files = one_run(b"".join(piece(RUN, "run.json", at, b"a") for at in range(1, 13, 2)))
    assert files["run.json", 1][1].count("missing") == 6 and "more such gaps" not in files["run.json", 1][1]


def test_a_damaged_block_of_a_file_that_no_run_has_is_lost():
    log = SerialLog(SMALL + piece(RUN, "x.bin", 0, b"a").replace(b"|a", b"|b"))
    assert (log.lost, list(log.runs[0].files)) == (1, ["results.csv", "verdicts.csv"])


def test_two_runs_of_one_name():
    """Machines that are alike to the last tick: what is right of each is not put together."""
    other = [*blocks(RUN, "results.csv", b"a,b\nx\\d\n"), *blocks(RUN, "verdicts.csv", b"e\n")]
    files = one_run(SMALL + b"".join(other))
    assert files == {("results.csv", 1): (b"a,b\nc\\d\n", "blocks of the same place are not the same"),
                     ("verdicts.csv", 1): (b"e\n", "")}


# --- what somebody else wrote ---


@pytest.mark.parametrize("title", [
    "../x run.json version 1 at 0 bytes 2", "-x run.json version 1 at 0 bytes 2", ".x run.json version 1 at 0 bytes 2",
    "r ../f version 1 at 0 bytes 2", "r .f version 1 at 0 bytes 2", "r a/b version 1 at 0 bytes 2",
    "r run.json version 0 at 0 bytes 2", "r run.json version -1 at 0 bytes 2",
    "r run.json version 4294967296 at 0 bytes 2", "r run.json version 1 at 9999999999999999 bytes 2",
    "r run.json version 1 at  bytes 2", "r run.json version 1 at 0 bytes 2 2", "r run.json version 1 at 0 bytes 2k",
    "r  run.json version 1 at 0 bytes 2", "r run.json Version 1 at 0 bytes 2", "r run.json version 1 at 0 whole 2",
    "r averylongfilename version 1 at 0 bytes 2", "averylongnameofarun run.json version 1 at 0 bytes 2",
    "r run.json version 000000000000001 at 000000000000000 bytes 000000000000002", "", " "])
def test_titles_that_nothing_of_ours_writes(title):
    log = SerialLog(block(title, b"a\n"))
    assert (log.runs, log.lost, log.strange) == ([], 1, {})


def test_the_longest_title():
    run, at = "a" * 17, "1".zfill(14)
    title = f"{run} verdicts.csv version 1 at {at} bytes {'2'.zfill(6)}"
    assert len(title) == 71
    assert SerialLog(block(title, b"a\n")).lost == 0
    assert SerialLog(block(title.replace("bytes ", "bytes 0"), b"a\n")).lost == 1


def test_every_version_is_kept():
    versions = [1, 2, 4294967295, *range(1000, 1200)]
    files = one_run(b"".join(piece("r", "run.json", 0, b"%d" % version, version) for version in versions))
    assert {version: there for (_, version), (there, _) in files.items()} == {v: b"%d" % v for v in versions}


def test_blocks_of_files_that_no_run_has_are_counted():
    log = SerialLog(b"".join(piece("r", f"f{n % 2}", n, b"a\n") for n in range(5)))
    assert (log.runs, log.lost, log.strange) == ([], 0, {("r", "f0"): 3, ("r", "f1"): 2})


def test_as_many_runs_as_there_may_be():
    assert SerialLog((LOG_BEGIN + LOG_END) * 9999).runs[-1].name == "run-9999"
    with pytest.raises(Trouble, match="has more than 9999 runs"):
        SerialLog((LOG_BEGIN + LOG_END) * 10000)


WORDS = [b"=== mlpboot ", b" ===", b"\n", b"\n", b"|", b"end sha256 0123456789abcdef", b"log.txt begin", b"log.txt end",
         b"v.csv begin", b"run.json", b"r run.json version 1 at 0 bytes 2", b"\\", b"\\x4", b"event=", b"\r",
         b"r run.json version 1 whole 2", b"\x1b[", b"\x1b]", b"\x80\xff", b"====", b" 18446744073709551616",
         LOG_BEGIN, LOG_END, block("r run.json version 1 at 0 bytes 2", b"{}"), end("r", "run.json", b"{}")]


CORPUS = ROOT / "tests/fuzz/corpus/serial_log"


def test_what_fuzzing_found():
    found = sorted(CORPUS.iterdir())
    assert len(found) > 40
    for path in found:
        check(SerialLog(path.read_bytes()))


# --- lines without blocks ---


def test_lines_without_blocks():
    long = b"event=" + b"x" * 72
    log = SerialLog(b"noise\n" + LOG_BEGIN + b"event=start\nfloor: saved\n" + long + b"\\\nand more\nevent=done\n"
                    + LOG_END + b"Verdicts\nthe end\nevent=late\n")
    assert files_of(log) == [("run-1", {("log.txt", 0): (b"event=start\n" + long + b"and more\nevent=done\n", "")})]


@pytest.mark.parametrize("data, wanted", [
    (LOG_BEGIN + b"event=1\n" + LOG_BEGIN + b"event=2\n" + LOG_END,
     [(b"event=1\n", "its beginning or its end is not in the log"), (b"event=2\n", "")]),
    (b"event=x\n" + LOG_END + LOG_BEGIN + b"event=\x80z\n" + LOG_END,
     [(b"", "its beginning or its end is not in the log"),
      (b"event=\x80z\n", "it holds characters that no console prints")]),
    (LOG_BEGIN + b"event=a\tb\n",
     [(b"event=a\tb\n", "its beginning or its end is not in the log; it holds characters that no console prints")])])
def test_lines_that_lack_something(data, wanted):
    assert [files["log.txt", 0] for _, files in files_of(SerialLog(data))] == wanted


@pytest.mark.parametrize("line", [*(b"event=".ljust(length - 1, b"x") + b"\\\n" for length in (77, 78, 80)),
                                  b"event=start label=" + LOG_END], ids=[77, 78, 80, "mark"])
def test_a_line_goes_on_from_column_79_alone_and_is_no_mark(line):
    assert one_run(LOG_BEGIN + line + b"event=done\n" + LOG_END) == {("log.txt", 0): (line + b"event=done\n", "")}


def test_blocks_of_another_run_end_a_log():
    runs = dict(files_of(SerialLog(LOG_BEGIN + b"event=1\n" + piece("a", "run.json", 0, b"1")
                                   + piece("b", "run.json", 0, b"2") + b"event=2\n" + LOG_END)))
    lacks = "its beginning or its end is not in the log"
    assert runs == {"a": {("log.txt", 0): (b"event=1\n", lacks), ("run.json", 1): (b"1", NO_END)},
                    "b": {("log.txt", 0): (b"", lacks), ("run.json", 1): (b"2", NO_END)}}


def test_a_block_whose_end_is_lost_costs_the_log_nothing():
    torn = piece(RUN, "results.csv", 0, b"a\n").replace(b"=== mlpboot end", b"=== mlpb")
    files = one_run(LOG_BEGIN + piece(RUN, "run.json", 0, b"{}") + torn + b"event=1\nevent=2\n"
                    + piece(RUN, "verdicts.csv", 0, b"experiment\n") + LOG_END)
    assert files["log.txt", 0] == (b"event=1\nevent=2\n", "")


# --- any files, any noise ---

SEQUENCES = [b"\r", b"\b", b"\0", b"\x1b[0m", b"\x1b[2J", b"\x1b[01;01H", b"\x1b]0;title\a", b"\x1b[?25h"]
# Other output is no mark, and does not look like a line of a block.
OTHERS = st.binary(max_size=100).filter(lambda line: not set(line) & set(b"|\n") and b"mlpboot" not in line)
CONTENTS = st.binary(max_size=3000) | st.text(alphabet="ab,1 \\\n|=\u00e4", max_size=600).map(str.encode) | \
    st.sampled_from([b"", b"\n", b" ", b"\\", b"|\n", LOG_BEGIN, SMALL, CONSOLE])
RUNS = ["r", "0007-3f2a91c4", "A_b.c-d"]
ANY_FILES = st.dictionaries(st.tuples(st.sampled_from(RUNS), st.sampled_from(sorted(FILES))), CONTENTS,
                            min_size=1, max_size=5)


def files_said(log):
    return {(run, file): there for run, files in files_of(log) for (file, version), there in files.items()}


@given(files=ANY_FILES, data=st.data())
def test_blocks_in_any_order_amid_anything_come_back_byte_for_byte(files, data):
    parts = [part for (run, file), content in files.items()
             for part in blocks(run, file, content, data.draw(st.integers(1, 2048)) if len(content) < 500 else 700)]
    parts = data.draw(st.permutations(parts))
    parts += data.draw(st.lists(st.sampled_from(parts), max_size=5))
    chance, others = data.draw(st.randoms(use_true_random=False)), data.draw(st.lists(OTHERS, max_size=8))
    time = data.draw(st.sampled_from([b"", b"[%08d.%03d] ", b"%02d:%02d "]))
    log = b""
    for number, line in enumerate(b"".join(parts).splitlines()):
        if others and chance.random() < 0.3:
            log += chance.choice(others) + b"\n"
        if chance.random() < 0.3:
            at = chance.randrange(len(line) + 1)
            line = line[:at] + chance.choice(SEQUENCES) + line[at:]
        log += (time % (number % 100, number % 60) if time else b"") + line + chance.choice([b"\n", b"\r\n"])
    found = SerialLog(log)
    assert (found.lost, found.strange) == (0, {})
    assert files_said(found) == {key: (content, "") for key, content in files.items()}


@given(files=ANY_FILES, data=st.data())
def test_a_file_with_a_damaged_block_is_never_whole(files, data):
    parts = [(key, part) for key, content in files.items() for part in blocks(*key, content, 700)]
    hit = data.draw(st.integers(0, len(parts) - 1))
    key, part = parts[hit]
    at = data.draw(st.integers(0, len(part) - 2))  # its last line's end costs the next block, not this one
    byte, instead = part[at:at + 1], data.draw(st.binary(max_size=3))
    parts[hit] = key, part[:at] + instead + part[at + 1:]
    found = SerialLog(b"".join(part for _, part in parts))
    for named, (there, reason) in files_said(found).items():
        # A byte that came in addition may stand behind a mark, where it harms nothing.
        assert reason != "" or (there == files[named] and (named != key or byte in instead))


@given(st.lists(st.sampled_from(WORDS) | st.binary(max_size=20), max_size=60))
def test_any_bytes_are_a_log(parts):
    check(SerialLog(b"".join(parts)))


@given(cuts=st.lists(st.tuples(st.integers(0, len(CONSOLE)), st.integers(0, 300), st.binary(max_size=10)), max_size=5))
def test_a_console_that_loses_bytes_gives_no_wrong_file(cuts):
    log = CONSOLE
    for at, count, instead in cuts:
        log = log[:at] + instead + log[at + count:]
    for _, files in files_of(SerialLog(log)):
        for (file, version), (there, reason) in files.items():
            if reason == "" and version > 0:
                assert there == (b"{" if (file, version) == ("run.json", 1) else FILES_OF_RUN[file])
