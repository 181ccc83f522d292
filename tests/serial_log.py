"""serial_log: a file of the results, as it is in what a serial port said; written to standard output.

usage: serial_log.py SERIAL_LOG FILE
"""

import re
import sys


def recover(said, file):
    """
    A file of the last run, which begins with its log. It was printed between markers, after each core
    that measured what that one added; of the log, lines stand among others.
    """
    text = re.sub(rb"\x1b\[[0-9;=?]*[A-Za-z]|\r", b"", said)
    start, marker = b"=== mlpboot log.txt begin ===\n", b"=== mlpboot " + file.encode() + b" "
    pieces = (start + text.rpartition(start)[2]).split(marker + b"begin ===\n")[1:]
    text = b"".join(piece.partition(marker + b"end ===\n")[0] for piece in pieces)
    text = re.sub(rb"(?m)^(.{78})\\\n", rb"\1", text)  # lines that went on in the next
    lines = text.splitlines(keepends=True)
    return b"".join(line for line in lines if file != "log.txt" or line.startswith(b"event="))


if __name__ == "__main__":
    sys.stdout.buffer.write(recover(open(sys.argv[1], "rb").read(), sys.argv[2]))
