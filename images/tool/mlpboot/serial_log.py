"""serial_log: the files of runs that a serial port's log holds. It reads bytes and nothing else.

kernel/report/blocks.h has the form of blocks, kernel/report/record.h that of log.txt without blocks.
"""
import hashlib
import io
import re
from collections import namedtuple
from operator import itemgetter

from .files import Trouble

RUNS_MOST = 9999
FILES = {"run.json", "verdicts.csv", "results.csv", "log.txt"}  # report.html is a copy of them, and never printed
LOG = "log.txt"
VERSION_MOST = 2 ** 32 - 1
LOG_COLUMNS = 78  # characters of a line of log.txt; a backslash behind them says that the line goes on
TITLE_MOST = 71
WHOLE_BYTES = 65  # a block that marks a file's end: the checksum and a line's end
GAPS_TOLD = 6  # then how many more there are

MARK, MARK_END = b"=== mlpboot ", b" ==="
TITLE = re.compile(rb"(\w[\w.-]{0,16}) ([\w-][\w.-]{0,11}) version (\d{1,15}) "
                   rb"(?:at (\d{1,15}) bytes (\d{1,15})|whole (\d{1,15}))")
END = re.compile(rb"end sha256 ([\w-][\w.-]{15})")
Title = namedtuple("Title", "text run file version at bytes is_end")  # is_end: `bytes` is the whole file's size

# ECMA-48, 5.4 and 5.6; a title of a window (ESC ]) ends with BEL, or with the line.
SEQUENCE = re.compile(rb"\x1b+(?:\][^\a\x1b\n]*\a?|\[[ -?]*[@-~]?)?")
TELLING = re.compile(rb"[|=]")  # any line of a block, mark or event has one of them
ESCAPE = re.compile(rb"\\(?:x[0-9a-f]{2}|.)", re.DOTALL)
CHARACTERS = {**{b"\\%c" % code: b"%c" % code for code in range(256)},
              **{b"\\x%02x" % code: b"%c" % code for code in range(256)}, b"\\\n": b""}


def clean(line):
    """Returns a line without a terminal's control sequences and cursor movements, and without its end."""
    if b"\x1b" in line:
        line = SEQUENCE.sub(b"", line)
    return line.translate(None, b"\r\b\0\n")


def decode(lines):
    """Returns the bytes of a block. A wrong escape stands for its character: the checksum catches it."""
    return ESCAPE.sub(lambda found: CHARACTERS[found[0]], b"\n".join([*lines, b""]))


def read_title(text):
    """Returns the Title of a block's first line, or None."""
    match = TITLE.fullmatch(text) if len(text) <= TITLE_MOST else None
    if match is None or not 0 < int(match[3]) <= VERSION_MOST:
        return None
    return Title(text, match[1].decode(), match[2].decode(), int(match[3]), int(match[4] or 0),
                 int(match[5] or match[6]), match[6] is not None)


# --- files -------------------------------------------------------------------------------------

class Lines:
    """log.txt as lines without blocks or checksum."""

    def __init__(self):
        self.data = bytearray()
        self.has_end = self.is_noisy = False

    def add(self, text):
        """Adds a line of the console, without its end. Returns True if the log's line goes on in the next one."""
        goes_on = len(text) == LOG_COLUMNS + 1 and text.endswith(b"\\")
        text = text[:-1] if goes_on else text
        self.is_noisy |= not (text.isascii() and text.decode().isprintable())
        self.data += text if goes_on else text + b"\n"
        return goes_on

    def join(self):
        reasons = [] if self.has_end else ["its beginning or its end is not in the log"]
        if self.is_noisy:
            reasons.append("it holds characters that no console prints")
        return self.data, "; ".join(reasons)


class Blocks:
    """One writing of a file in blocks."""

    def __init__(self):
        self.parts = []  # (place, bytes), as they came
        self.damaged = []  # (first byte, byte after the last) by the titles of blocks that came damaged
        self.end = None  # (the file's length, its checksum)
        self.is_doubted = False  # blocks contradict each other

    def add(self, title, data):
        if not title.is_end:
            self.parts.append((title.at, data))
        elif self.end is None:
            self.end = title.bytes, data
        else:
            self.is_doubted |= self.end != (title.bytes, data)

    def join(self):
        """Returns the bytes there are, in order, and the reason why they are not the file; "" if they are."""
        data, end, gaps, is_doubted = self._put_together()
        reasons = []
        if self.end is not None and self.end[0] > end:
            gaps.append((end, self.end[0]))
        reasons += [self._tell(*gap) for gap in gaps[:GAPS_TOLD]]
        if self.end is None:
            reasons.append("its end is not in the log")
        if len(gaps) > GAPS_TOLD:
            reasons.append(f"and {len(gaps) - GAPS_TOLD} more such gaps")
        if is_doubted:
            reasons.append("blocks of the same place are not the same")
        elif not reasons and self.end != (len(data), hashlib.sha256(data).hexdigest().encode() + b"\n"):
            reasons.append("its checksum is another one")  # blocks that are all right may be those of two runs
        return data, "; ".join(reasons)

    def _put_together(self):
        data, end, gaps, is_doubted = bytearray(), 0, [], self.is_doubted
        for at, part in sorted(self.parts, key=itemgetter(0)):
            known = max(0, min(end - at, len(part)))
            if at > end:
                gaps.append((end, at))
            if not gaps:  # else the part's place in the data is another one
                is_doubted |= data[at:at + known] != part[:known]
            if known < len(part):
                data += part[known:]
                end = at + len(part)
        return data, end, gaps, is_doubted

    def _tell(self, start, end):
        is_damaged = any(first < end and last > start for first, last in self.damaged)
        return f"bytes {start} to {end - 1} {'came damaged' if is_damaged else 'are missing'}"


class LoggedRun:
    def __init__(self):
        self.name = None  # as its blocks have it
        self.files = {}  # name -> version -> Blocks; version 0 is Lines. In the order in which they were begun

    def writing(self, file, version):
        versions = self.files.setdefault(file, {})
        if version not in versions:
            versions[version] = Blocks() if version > 0 else Lines()
        return versions[version]


# --- the log -----------------------------------------------------------------------------------

class SerialLog:
    """The runs of a log, in its order; `lost` counts the damaged blocks that are of none of them.

    `strange` counts the blocks of files that no run prints: (run, file) -> blocks. Raises Trouble for too many runs.

    A log may hold a terminal's control sequences, carriage returns, other output between the lines, a time before
    each, and noise; its blocks may come in any order, twice, cut off or damaged.
    """

    def __init__(self, data):
        self.runs, self.lost, self.strange = [], 0, {}
        self._names = {}  # of runs
        self._damaged = []  # titles
        self._run = None  # the run that lines without a name belong to
        self._margin = 0  # characters before the last mark: a time, perhaps
        self._title, self._lines = None, []  # of the block that is open
        self._in_log = self._goes_on = False  # between the marks of log.txt; the log's last line goes on in the next
        self._take_lines(data)
        self._end_damaged()
        self._place_damaged()
        for number, run in enumerate(self.runs, 1):
            run.name = run.name or f"run-{number}"

    def _take_lines(self, data):
        """Takes each line that can mean something: a log may hold millions of others."""
        file = io.BytesIO(data)
        for line in file:
            if self._goes_on or b"|" in line or b"=" in line:
                self._take_line(clean(line))
                continue
            telling = TELLING.search(data, file.tell())
            if telling is None:
                return
            file.seek(data.rfind(b"\n", 0, telling.start()) + 1)

    def _take_line(self, line):
        if self._title is not None:
            start = self._margin if line.startswith(b"|", self._margin) else 0
            if line.startswith(b"|", start):
                self._lines.append(line[start + 1:])
                return
        if self._goes_on or (self._in_log and line.startswith(b"event=", self._margin)):
            self._goes_on = self._log_lines().add(line[self._margin:])
            return
        mark = line.find(MARK)
        end = line.find(MARK_END, mark + len(MARK)) if mark >= 0 else -1
        if end >= 0:
            self._margin = mark
            self._take_mark(line[mark + len(MARK):end])

    def _take_mark(self, text):
        match = END.fullmatch(text)
        if match is not None:
            self._end_block(match[1].decode())
            return
        self._end_damaged()  # the end of the open block is missing
        self._title, self._lines = read_title(text), []
        if text == b"log.txt begin":
            self._add_run()
            self._log_lines()
            self._in_log = True
        elif text == b"log.txt end":
            self._log_lines().has_end = self._in_log
            self._in_log = False

    def _end_block(self, checksum):
        title = self._title
        if title is None:
            self.lost += 1
            return
        data = decode(self._lines)
        is_right = hashlib.sha256(data + title.text).hexdigest().startswith(checksum)
        if not is_right or len(data) != (WHOLE_BYTES if title.is_end else title.bytes):
            self._end_damaged()
            return
        self._title = None
        if title.file in FILES:
            self._choose_run(title.run)
            self._run.writing(title.file, title.version).add(title, data)
        else:
            key = title.run, title.file
            self.strange[key] = self.strange.get(key, 0) + 1

    def _end_damaged(self):
        if self._title is not None:
            self._damaged.append(self._title)
        self._title = None

    def _place_damaged(self):
        """Tells the files that damaged blocks name, as far as a block that is right names the run."""
        for title in self._damaged:
            run = self._names.get(title.run)
            if run is None or title.file not in FILES:
                self.lost += 1
                continue
            writing = run.writing(title.file, title.version)
            if not title.is_end:
                writing.damaged.append((title.at, title.at + title.bytes))

    def _add_run(self):
        if len(self.runs) == RUNS_MOST:
            raise Trouble(f"has more than {RUNS_MOST} runs; cut out the runs that are wanted")
        self._run = LoggedRun()
        self.runs.append(self._run)

    def _choose_run(self, name):
        """Chooses the run of a block. Lines that it printed without a name since the log began are in it, too."""
        if name in self._names:
            self._run = self._names[name]
            return
        if not self._in_log or self._run.name is not None:
            self._add_run()
            self._in_log = False
        self._run.name = name
        self._names[name] = self._run

    def _log_lines(self):
        if self._run is None:
            self._add_run()
        return self._run.writing(LOG, 0)
