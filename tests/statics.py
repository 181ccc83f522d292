"""statics: lists the writable variables in object files; exits 1 if there are any.

usage: statics.py OBJECT...

What measures and judges has no state of its own. Sections .data.rel.ro hold constants: only a loader writes them.
"""

import re
import subprocess
import sys

FILE = re.compile(r"File: (.*)")
SECTION = re.compile(r" *\[ *(\d+)\] (\S+) +\w+ +\w+ +\w+ +(\w+) +\w+ +(\w*)")
SYMBOL = re.compile(r" *\d+: \w+ +(\w+) (?:OBJECT|TLS) +\w+ +\w+ +(\w+) (.+)")


def variables(objects):
    """(file, section, bytes, symbol) of each; the symbol is "" where a section has none."""
    listing = subprocess.run(["readelf", "-WSs", *objects], env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
                             stdout=subprocess.PIPE, text=True, check=True).stdout
    # readelf names the file only when there are several.
    for part in re.split(r"(?m)^(?=File: )", listing if len(objects) > 1 else f"File: {objects[0]}\n{listing}")[1:]:
        file, writable, named = FILE.match(part)[1], {}, set()
        for index, name, size, flags in SECTION.findall(part):
            if "W" in flags and "A" in flags and int(size, 16) > 0 and not name.startswith(".data.rel.ro"):
                writable[index] = name, int(size, 16)
        for size, index, symbol in SYMBOL.findall(part):
            if index in writable or index == "COM":
                named.add(index)
                yield file, writable[index][0] if index in writable else "COMMON", int(size, 0), symbol
        for index, (name, size) in writable.items():
            if index not in named:
                yield file, name, size, ""


def main(objects):
    found = list(variables(objects))
    for file, section, size, symbol in found:
        print(f"{file}: {section}: {size} bytes, {symbol}")
    print(f"statics: {sum(size for _, _, size, _ in found)} writable bytes in {len(objects)} objects")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
