"""points: reads a results.csv of any origin, and refuses all that `mlpboot-hosted analyze` refuses.

Columns are found by their names, in any order, and all of COLUMNS are required; further columns and blank lines
are ignored. A file is read twice as fast as row by row if its columns are read one after the other, by functions
that are written in C. That is the quick way. It gives up where a cell or a row is unusual: the careful way then
reads the rows one by one, and names line, column, value and what is accepted.
"""
import io
import re
from itertools import islice
from operator import le

from .csv_text import FIELD_MOST, CsvError, records
from .files import Trouble

NAME_MOST, UNIT_MOST = 95, 119  # characters
COLUMNS_MOST = 64  # in one file, the unknown ones included
WHOLE_MOST, COUNT_MOST = 2 ** 63 - 1, 2 ** 64 - 1
LARGEST = 2.0 ** 53  # a double holds every whole number up to here
ROUNDING, ULPS = 0.001, 4 * 2.0 ** -52  # a mean's largest error: numbers have three decimals
TIMES = {"tsc", "ns"}
ROWS_AT_ONCE = 512

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
UNPRINTABLE = re.compile(r"[^ -~]")
DECIMAL = re.compile(r"[-+.0-9eE]*")
PLAIN, PLAIN_MOST = re.compile(r"[.0-9]*"), 15  # a decimal of so many characters is below LARGEST
LONE_CR = re.compile(r"\r(?!\n|\Z)")  # no line's end
CR_CELL = "\u010d"  # takes its place: csv has none in a cell without quotes; the low byte is the same


# --- cells -------------------------------------------------------------------------------------

def _ascii(text):
    return UNPRINTABLE.sub("?", text)


def _short(text, most):
    if len(text) > most:
        raise ValueError(f'"{_ascii(text)}" is longer than {most} characters')


def _case(text):
    """Checks a name's bytes: names are compared, and replaced bytes could make two the same."""
    _short(text, NAME_MOST)
    wrong = UNPRINTABLE.search(text)
    if wrong:
        raise ValueError(f'"{_ascii(text)}" holds the byte 0x{ord(wrong.group()) & 0xff:02x}; '
                         "accepted: printable ASCII")
    return text or None


def _name(text):
    if not text:
        raise ValueError(f"is empty; accepted: 1 to {NAME_MOST} characters")
    return _case(text)


def _unit(text):
    """Replaces unprintable bytes: people read a unit."""
    _short(text, UNIT_MOST)
    return _ascii(text) or None


def _whole(text, most):
    digits = text[1:] if text.startswith("-") else text
    if not (digits.isascii() and digits.isdecimal()):
        raise ValueError(f'"{_ascii(text)}" is not a whole number; accepted: 0 and above')
    if digits != text:
        raise ValueError(f'"{text}" is negative; accepted: 0 and above')
    if int(text) > most:
        raise ValueError(f'"{text}" is too large; accepted: up to {most}')
    return int(text)


def _count(text):
    return _whole(text, COUNT_MOST)


def _coordinate(text):
    return _whole(text, WHOLE_MOST) if text else None


def _number(text):
    """Reads a decimal number: float alone would also take "nan", "inf" and "1_000"."""
    if not text:
        return None
    try:
        value = float(text if DECIMAL.fullmatch(text) else "")
    except ValueError:
        raise ValueError(f'"{_ascii(text)}" is not a number; accepted: a decimal one, as 120.5') from None
    if value < 0:
        raise ValueError(f'"{text}" is negative; accepted: 0 and above')
    if value > LARGEST:
        raise ValueError(f'"{text}" is too large; accepted: up to {LARGEST:.0f}')
    return value


COLUMNS = {  # in the order of the file as a run leaves it
    "experiment": _name, "case": _case, "n": _coordinate, "k": _coordinate, "bytes": _coordinate,
    "stage": _coordinate, "metric": _name, "unit": _unit, "samples": _count, "discarded": _count, "min": _number,
    "p10": _number, "median": _number, "p90": _number, "max": _number, "mean": _number, "p1": _number,
    "visits": _count, "center": _number, "center_error": _number, "mean_error": _number, "attempt": _count,
}
DISTRIBUTION = ["min", "p10", "median", "p90", "max", "mean", "p1"]  # of a row with samples
RISING = ["min", "p10", "median", "p90", "max"]


# --- the careful way ---------------------------------------------------------------------------

class _Wrong(Exception):
    def __init__(self, column, reason):
        super().__init__(f", column {column}: {reason}" if column else f": {reason}")


def _read_row(header, fields):
    """Returns a row's values in the order of COLUMNS; raises _Wrong.

    Fields are counted first: a missing one shifts the others, and a complaint about those would mislead.
    """
    if len(fields) != len(header):
        raise _Wrong(None, f"{len(fields)} fields; the header names {len(header)} columns")
    point = {}
    for name, text in zip(header, fields):
        if len(text) > FIELD_MOST:
            raise _Wrong(_ascii(name), "a field longer than any column has")
        if name in COLUMNS:
            try:
                point[name] = COLUMNS[name](text)
            except ValueError as error:
                raise _Wrong(name, error) from None
    _check_presence(point)
    if point["samples"]:
        _check_distribution(point)
        _check_rest(point)
    return tuple(None if isinstance(value, int) and value > WHOLE_MOST else value
                 for value in map(point.get, COLUMNS))


def _check_presence(point):
    """Checks that a point with samples has a whole distribution, and one without has none."""
    for name in DISTRIBUTION:
        if point[name] is None and point["samples"]:
            raise _Wrong(name, "is empty, and the row has samples; accepted: a number")
        if point[name] is not None and not point["samples"]:
            raise _Wrong(name, f"{point[name]:.15g}, and the row has no samples; accepted: empty")


def _check_distribution(point):
    for below, name in zip(RISING, RISING[1:]):
        if point[name] < point[below]:
            raise _Wrong(name, f"{point[name]:.15g} is below {below}, {point[below]:.15g}; "
                               f"accepted: {' <= '.join(RISING)}")
    least, most = point["min"], point["max"]
    if not least <= point["p1"] <= point["p10"]:
        raise _Wrong("p1", f"{point['p1']:.15g}; accepted: from min to p10, {least:.15g} to {point['p10']:.15g}")
    rounding = ROUNDING + most * ULPS
    if not least - rounding <= point["mean"] <= most + rounding:
        raise _Wrong("mean", f"{point['mean']:.15g}; accepted: from min to max, {least:.15g} to {most:.15g}")


def _check_rest(point):
    """Checks the other numbers. A clock that moves in steps shows 0 for short times, but not for all of them."""
    least, most, samples = point["min"], point["max"], point["samples"]
    if samples == 1 and most != least:
        raise _Wrong("max", f"{most:.15g}, and min is {least:.15g}; accepted: all the same, of one sample")
    if point["visits"] > samples:
        raise _Wrong("visits", f"{point['visits']}; accepted: no more than the {samples} samples")
    if point["center"] is not None and point["center"] > most + most * ULPS + ROUNDING:
        raise _Wrong("center", f"{point['center']:.15g}; accepted: no more than max, {most:.15g}")
    if point["metric"] in TIMES and most == 0:
        raise _Wrong("max", "0; accepted: times above 0")


# --- the quick way -----------------------------------------------------------------------------

QUICK_ORDER = [*zip(RISING, RISING[1:]), ("min", "p1"), ("p1", "p10"), ("min", "mean"), ("mean", "max"),
               ("visits", "samples")]  # the first of two is never above the second


def _read_quickly(header, rows):
    """Returns the result of _read_row for each row with samples, or None if a row has to be read carefully."""
    if len(header) != len(COLUMNS) or not rows:
        return None
    texts = dict(zip(header, zip(*rows)))
    try:
        point = {name: _quick_column(name, read, texts[name]) for name, read in COLUMNS.items()}
    except ValueError:
        return None
    return zip(*point.values()) if _is_right(point) else None


def _quick_column(name, read, texts):
    if read is not _number:
        value_of = {text: read(text) for text in set(texts)}
        if max(map(len, value_of)) > FIELD_MOST or read is _count and max(value_of.values()) > WHOLE_MOST:
            raise ValueError
        return list(map(value_of.__getitem__, texts))
    if not PLAIN.fullmatch("".join(texts)) or max(map(len, texts)) > PLAIN_MOST:
        raise ValueError
    if name in DISTRIBUTION:
        return list(map(float, texts))
    return [float(text) if text else None for text in texts]


def _is_right(point):
    """True if every row is right beyond doubt; _check_distribution and _check_rest leave rounding some room."""
    most = point["max"]
    return (all(point["samples"]) and all(all(map(le, point[low], point[high])) for low, high in QUICK_ORDER)
            and all(n > 1 or low == high for n, low, high in zip(point["samples"], point["min"], most))
            and all(center is None or center <= high for center, high in zip(point["center"], most))
            and all(high > 0 or metric not in TIMES for high, metric in zip(most, point["metric"])))


# --- a file ------------------------------------------------------------------------------------

def parse_points(where, data):
    """Returns the rows of a results.csv: the values of COLUMNS, None for an empty cell. Raises Trouble."""
    found = _records(where, data.removeprefix(BYTE_ORDER_MARK).decode("latin-1"))
    _, header = next(found, (1, None))
    if header is None:
        raise Trouble(f"{where}: is empty; its first line names the columns")
    _check_header(where, header)
    points = []
    while True:
        rows = list(islice(found, ROWS_AT_ONCE))
        if not rows:
            return points
        points += _read_rows(where, header, rows)


def _records(where, text):
    """Yields each record's line and fields, no blank lines but the first one.

    Most files have no quotes: each line is a record then, and each comma ends a field. So they are read twice as fast
    as by csv.
    """
    if not any(c in text for c in '"\r\0'):
        for i, line in enumerate(text.split("\n") if text else [], 1):
            if line or i == 1:
                yield i, line.split(",")
        return
    try:
        for line, fields in records(io.StringIO(LONE_CR.sub(CR_CELL, text), newline="\n")):
            if fields or line == 1:
                yield line, fields
    except CsvError as error:
        raise Trouble(f"{where}: line {error.line}: {error}") from None


def _check_header(where, header):
    for i, name in enumerate(header):
        if len(name) > FIELD_MOST:
            raise Trouble(f"{where}: line 1: a field longer than any column has")
        if name in COLUMNS and name in header[:i]:
            raise Trouble(f"{where}: line 1, column {name}: named twice in the header")
        if i == COLUMNS_MOST:
            raise Trouble(f"{where}: line 1: more than {COLUMNS_MOST} columns")
    for name in COLUMNS:
        if name not in header:
            raise Trouble(f"{where}: line 1, column {name}: missing from the header")


def _read_rows(where, header, rows):
    """Reads rows with samples quickly, if none of them is unusual, and the others one by one."""
    samples = header.index("samples")
    is_measured = [len(fields) == len(header) and fields[samples] != "0" for _, fields in rows]
    quick = _read_quickly(header, [fields for (_, fields), is_one in zip(rows, is_measured) if is_one])
    try:
        points = []
        for (line, fields), is_one in zip(rows, is_measured):
            points.append(next(quick) if quick and is_one else _read_row(header, fields))
        return points
    except _Wrong as wrong:
        raise Trouble(f"{where}: line {line}{wrong}") from None
