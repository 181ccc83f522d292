"""names: lists structs, enums and files of the program that share a name; exits 1 if there are any.

usage: names.py [ROOT]
"""

import os
import re
import sys
from collections import defaultdict

import walls

PROGRAM = ("kernel/", "efi/", "tests/hosted/", "tests/model/")

TYPE = re.compile(r"\b(?:struct|union|enum)\s+(?:__attribute__\s*\(\(.*?\)\)\s*)?(\w+)\s*\{")


def texts(root):
    """(path, text without comments) of each source of the program."""
    for path in sorted(walls.sources(root)):
        if path.startswith(PROGRAM):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                yield path, walls.without_comments(file.read())


def types(root):
    """name -> (path, line) of each place where a type of that name is defined."""
    found = defaultdict(list)
    for path, text in texts(root):
        for match in TYPE.finditer(text):
            found[match[1]].append((path, text.count("\n", 0, match.start(1)) + 1))
    return found


def files(root):
    """name -> (path, 1) of a file of each folder that has one of that name, whatever it ends in."""
    found = defaultdict(dict)
    for path, _ in texts(root):
        folder, name = os.path.split(path)
        found[os.path.splitext(name)[0]].setdefault(folder, (path, 1))
    return {name: list(folders.values()) for name, folders in found.items()}


def shared(found, what):
    """(path, line, what is wrong) for each place after the first of its name."""
    for name, (first, *others) in sorted(found.items()):
        for path, line in others:
            yield path, line, f"{what} {name} is also in {first[0]}:{first[1]}"


def complaints(root):
    yield from shared(types(root), "type")
    yield from shared(files(root), "file")


def main(root):
    found = list(complaints(root))
    for path, line, complaint in found:
        print(f"{path}:{line}: {complaint}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
