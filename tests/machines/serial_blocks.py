"""serial_blocks: blocks and lines of a serial console, as kernel/report/blocks.h and the manual say they are."""

import hashlib

COLUMNS = 79  # of a block's line, with its bar and the backslash that breaks it
LOG_COLUMNS = 78

LOG_BEGIN = b"=== mlpboot log.txt begin ===\n"
LOG_END = b"=== mlpboot log.txt end ===\n"


def _characters(line):
    for at, byte in enumerate(line):
        if byte == ord("\\"):
            yield b"\\\\"
        elif not 32 <= byte < 127 or (byte == 32 and at + 1 == len(line)):
            yield b"\\x%02x" % byte
        else:
            yield bytes([byte])


def _lines_of(line, end):
    text = b"|"
    for character in _characters(line):
        if len(text) + len(character) >= COLUMNS:
            yield text + b"\\\n"
            text = b"|"
        text += character
    if end or text != b"|":
        yield text + (b"\n" if end else b"\\\n")


def block(title, data):
    *lines, rest = data.split(b"\n")
    text = b"".join(part for line in lines for part in _lines_of(line, True)) + b"".join(_lines_of(rest, False))
    checksum = hashlib.sha256(data + title.encode()).hexdigest()[:16]
    return f"=== mlpboot {title} ===\n".encode() + text + f"=== mlpboot end sha256 {checksum} ===\n".encode()


def piece(run, file, at, data, version=1):
    return block(f"{run} {file} version {version} at {at} bytes {len(data)}", data)


def end(run, file, data, version=1):
    whole = hashlib.sha256(data).hexdigest() + "\n"
    return block(f"{run} {file} version {version} whole {len(data)}", whole.encode())


def blocks(run, file, data, size=1000, version=1):
    """All of a file."""
    return [*(piece(run, file, at, data[at:at + size], version) for at in range(0, len(data), size)),
            end(run, file, data, version)]


def log_lines(text):
    """Lines of log.txt, as the console has them between its marks."""
    lines = b""
    for line in text.splitlines():
        while len(line) > LOG_COLUMNS:
            lines, line = lines + line[:LOG_COLUMNS] + b"\\\n", line[LOG_COLUMNS:]
        lines += line + b"\n"
    return lines
