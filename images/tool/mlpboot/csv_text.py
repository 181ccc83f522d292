"""csv_text: CSV as RFC 4180 has it, read strictly and written as the image does."""
import csv
import math
import re
from decimal import ROUND_HALF_UP, Decimal

FIELD_MOST = 239  # characters: no verdict's method is longer


class CsvError(ValueError):
    def __init__(self, line, reason):
        super().__init__(reason)
        self.line = line


QUOTED = re.compile(r'(?<![^,])"[^"]*(?:""[^"]*)*"')  # a whole cell


def records(file):
    """Yields (line on which a record begins, fields); a blank line has no fields. Raises CsvError."""
    lines = []  # of the current record: csv lets quotes in a cell without quotes pass
    reader, line = csv.reader(_remembered(file, lines), strict=True), 1
    while True:
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise CsvError(line, error) from None
        text = "".join(lines)
        if "\0" in text:
            raise CsvError(line, "a NUL byte; this is not a text file")
        if '"' in text and '"' in QUOTED.sub("", text):
            raise CsvError(line, "a quote inside a field that does not start with one")
        yield line, fields
        lines.clear()
        line = reader.line_num + 1


def _remembered(file, lines):
    for line in file:
        lines.append(line)
        yield line


def number_text(value, decimals=3):
    """Returns a number with so many decimals at most and no trailing zeros: 412.5, 496; "" for nan."""
    if math.isnan(value):
        return ""
    if math.isinf(value) or abs(value) >= 2.0 ** 63:
        return "-inf" if value < 0 else "inf"
    text = str(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def csv_line(cells):
    """Returns a line; fields that hold a comma, a quote or a line's end are quoted."""
    return ",".join('"' + cell.replace('"', '""') + '"' if any(c in cell for c in ',"\n\r') else cell
                    for cell in cells) + "\n"
