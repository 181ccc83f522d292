"""test_plain: every idiom that plain.py knows is found in a document, a comment of each language and a message, and
plain sentences pass."""

import os
import sys
import tempfile

import plain

# A sentence with each idiom, for each of the two tables, in their order.
SUBJECTS = ["What is measured comes first.", "Whatever is there stays.", "Where it jumps, points are added.",
            "Whether it is there is unknown.", "Who asks is answered.", "Whoever asks is answered.", "Whose it is, is known.",
            "Of each point the median is kept.", "None of them counts."]
IDIOMS = ["The reason is told on the console.", "The pages are large, or there is none.", "It is a core that nobody knows.",
          "The mean reaches that of two in turn.", "Both are printed, and neither is claimed.",
          "It measures, and what it cannot do is a skip."]
PLAIN = ["Returns the last N, or 0 if no load misses.", "If the curve jumps, points are added.", "What is the ROB?",
         "The console reports it.", "`Of` is code.", "Officers and nonesuch whereabouts."]


def wrap(sentence):
    """(file, its text, its line) of a sentence, in the middle of each kind of text."""
    yield "README.md", f"# Title\n\nIt works. {sentence}\n", 3
    yield "images/manual/guide.md", f"# Title\n\n| a | b |\n|---|---|\n| c | {sentence} |\n", 5
    yield "kernel/lib/text.h", f"/* text: words. */\n\n/*\n * Returns it.\n * {sentence}\n */\nint text(void);\n", 3
    yield "efi/disk.c", f'static const char *why(void)\n{{\n    return "{sentence}";\n}}\n', 3
    yield "tests/model/core.c", f"int a;\n\n/*\n * Adds it.\n * {sentence}\n */\nint b;\n", 3
    yield "images/page/main.js", f"const a = 1;\n/** Draws it. {sentence} */\n", 2
    yield "images/page/style.css", f"/* Colours. {sentence} */\n", 1
    yield "images/run.sh", f"#!/bin/sh\nset -e\n# Runs it.\n# {sentence}\ntrue\n", 3
    yield "images/release.mk", f"a:\n\ttrue\n\n# {sentence}\nb:\n", 4
    yield "images/tool/mlpboot/a.py", f'def a():\n    """Adds it. {sentence}"""\n', 2
    yield "images/tool/mlpboot/b.py", f"a = 1\n# Adds it.\n# {sentence}\nb = 2\n", 2
    words = sentence.split()
    yield "images/tool/mlpboot/c.py", f'a = ("{words[0]} "\n     "{" ".join(words[1:])}")\n', 1
    yield "tests/hosted/run.c", f'static const char *why(void)\n{{\n    return "{words[0]} "\n           "{" ".join(words[1:])}";\n}}\n', 3


def found(path, text):
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(text)
        return [(place, line) for place, line, *_ in plain.complaints(root)]


def main():
    assert len(SUBJECTS) == len(plain.SUBJECTS) and len(IDIOMS) == len(plain.IDIOMS), "a sentence for each idiom"
    wrong = checked = 0
    for sentence in SUBJECTS + IDIOMS + PLAIN:
        for path, text, line in wrap(sentence):
            checked += 1
            wanted = [] if sentence in PLAIN else [(path, line)]
            if (said := found(path, text)) != wanted:
                wrong += 1
                print(f"{path}: {text}: found {said}, not {wanted}")
    # A message begins with a small letter; code is not read.
    for text, count in (('char *a = "what was asked for is not there";', 1), ('/* Of it. */ char *a = "all is well";', 1),
                        ('#include "what.h"\nchar a = \'"\';', 0)):
        checked += 1
        if len(found("kernel/a.c", text + "\n")) != count:
            wrong += 1
            print(f"{text}: not {count}")
    print(f"plain: {checked - wrong} passed, {wrong} failed")
    return bool(wrong)


sys.exit(main())
