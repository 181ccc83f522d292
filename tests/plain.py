"""plain: lists sentences that a reader has to read twice, by idioms to avoid; exits 1 if there are any.

usage: plain.py [ROOT]

It reads README, the house, the manual, and of the program, the model, the page, the data tool and the scripts every
comment; of what is in C or Python every string as well. EXCEPTIONS are sentences that may stay.
"""

import io
import itertools
import os
import re
import sys
import tokenize

DOCUMENTS = ["README.md", "kernel/README.md", *(f"images/manual/{name}.md" for name in ("guide", "reference", "methods", "lab"))]
PROGRAM = ("kernel", "efi", "images", "tests/hosted", "tests/model")

# Which sentences have it, and what to write instead. A subject counts where a sentence begins with a capital, and where
# a whole text of the program does not: "what was built" says no more than "the build".
SUBJECTS = [
    ("What", "name the thing"),
    ("Whatever", "name the thing"),
    ("Where", "begin with the actor, or with: If"),
    ("Whether", "begin with the actor, or with: True if"),
    ("Who", "name the person or thing"),
    ("Whoever", "name the person or thing"),
    ("Whose", "name the person or thing"),
    ("Of", "begin with the thing itself"),
    ("None", "write: no, and the thing"),
]
IDIOMS = [
    (r"\b(?:is|are|was|were|be|been|being) (?:told|said)\b", "name who reports it, or write: reported"),
    (r"\bthere (?:is|was|are|were) none\b", "name the thing that is missing"),
    (r"\bnobody (?:knows|looks|gets|asks)\b", "write: unknown, or name the actor"),
    (r"\btwo in turn\b", "write: two serialized loads"),
    (r"\bneither is claimed\b", "write: both are uncertain"),
    (r"\bwhat it cannot\b", "write: the limit of this"),
]

# Whole sentence, and the reason why it may stay.
EXCEPTIONS = {
    "of several types at once": "goes on in a sentence: memory at ... is of several types at once",
    "of a reserved type": "goes on in a sentence: memory at ... is of a reserved type",
    "of another kind": "goes on in a sentence: machine check of another kind",
    "there are none": "a value of run.json that the page knows",
    "cannot be told apart": "an outcome of compare, and a member of its JSON: programs read it",
    "cannot be told apart:": "the same outcome, where compare --help explains it",
    "Cannot be told apart, though both are ok": "a heading of compare, by the name of that outcome",
    "Cannot be told apart, since one is not ok or has no interval": "a heading of compare, by the name of that outcome",
    "of the shared core": "goes on in a line of the last page: its value is of the shared core",
}

COMMENT = re.compile(r"/\*(.*?)\*/|//([^\n]*)", re.S)
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
CODE_OR_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|\'(?:[^\'\\]|\\.)\'|^[ \t]*#[ \t]*include[^\n]*|(?:"(?:[^"\\\n]|\\.)*"\s*)+', re.S | re.M)


def sentences(text):
    """Each sentence of a text, its blanks made one each."""
    flat = re.sub(r"\s+", " ", text).strip()
    return re.split(r"(?<=[.!?:])\s+", flat)


def markdown(text):
    """(line, text) of each paragraph, cell and entry, without code."""
    text = re.sub(r"(?ms)^```.*?^```$|<!--.*?-->", lambda gone: "\n" * gone[0].count("\n"), text)
    paragraph, first = [], 0
    for number, line in enumerate(text.split("\n") + [""], 1):
        if re.match(r" {4}(?! *[-\[\d])", line) or not line.strip() or re.match(r"\s*([-*|#]|\d+\.)", line):
            if paragraph:
                yield first, " ".join(paragraph)
            paragraph = []
        if re.match(r" {4}(?! *[-\[\d])", line) or not line.strip():
            continue
        line = re.sub(r"`[^`]*`", "`code`", line)
        if line.lstrip().startswith("|"):
            yield from ((number, cell.strip()) for cell in line.strip().strip("|").split("|"))
        else:
            first = first if paragraph else number
            paragraph.append(re.sub(r"^\s*(?:[-*#]+|\d+\.)\s+", "", line).strip())


def comments(text):
    """(line, text) of each comment in C, JavaScript or CSS."""
    for found in COMMENT.finditer(text):
        inside = found[1] if found[1] is not None else found[2]
        yield text.count("\n", 0, found.start()) + 1, re.sub(r"(?m)^\s*\*", "", inside)


def strings(text):
    """(line, text) of each string, as the compiler joins them. A text that begins with a blank goes on in another."""
    for found in CODE_OR_TEXT.finditer(text):
        if found[0].startswith('"'):
            inside = "".join(STRING.findall(found[0])).replace("\\n", " ").replace('\\"', '"')
            if not inside.startswith(" ") and len(inside.split()) > 2:
                yield text.count("\n", 0, found.start()) + 1, inside


def python_comments(text):
    """(line, text) of each comment and docstring."""
    lines = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            lines.append((token.start[0], token.string.lstrip("# ")))
        elif token.type == tokenize.STRING and token.string.startswith('"""'):
            lines.append((token.start[0], token.string.strip('"')))
    yield from joined(lines)


def python_strings(text):
    """(line, text) of each string, as the interpreter joins them."""
    whole, first = "", 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING and not token.string.startswith('"""'):
            first = first if whole else token.start[0]
            whole += token.string.lstrip("bfru")[1:-1]
        elif token.type not in (tokenize.NL, tokenize.COMMENT):
            if len(whole.split()) > 2 and not whole.startswith(" "):
                yield first, whole
            whole = ""


def script_comments(text):
    """(line, text) of each comment of a script, or of a table of rules for make."""
    yield from joined((number, line.strip().lstrip("# ")) for number, line in enumerate(text.split("\n"), 1)
                      if line.strip().startswith("#"))


def joined(lines):
    """Lines that follow each other are one text."""
    first, texts = 0, []
    for number, line in lines:
        if texts and number != first + len(texts):
            yield first, " ".join(texts)
            texts = []
        first = first if texts else number
        texts.append(line)
    if texts:
        yield first, " ".join(texts)


READERS = {".c": [strings, comments], ".h": [strings, comments], ".js": [comments], ".mjs": [comments], ".css": [comments],
           ".py": [python_strings, python_comments], ".sh": [script_comments], ".mk": [script_comments]}


def sources(root):
    """(path, its readers) of each source."""
    for folder, _, files in itertools.chain.from_iterable(os.walk(os.path.join(root, name)) for name in PROGRAM):
        for file in sorted(files):
            if readers := READERS.get(os.path.splitext(file)[1]):
                yield os.path.relpath(os.path.join(folder, file), root), readers


def texts(root):
    """(path, line, text, whether it is a message) of everything that people read."""
    for path, readers in itertools.chain(((path, [markdown]) for path in DOCUMENTS), sources(root)):
        if os.path.exists(os.path.join(root, path)):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                text = file.read()
            for reader in readers:
                is_message = reader in (strings, python_strings)
                yield from ((path, line, words, is_message) for line, words in reader(text))


def faults(text, is_message):
    """(sentence, what to write) for each idiom in a text."""
    for number, sentence in enumerate(sentences(text)):
        found = [instead for pattern, instead in IDIOMS if re.search(pattern, sentence, re.IGNORECASE)]
        found += [instead for word, instead in SUBJECTS if re.match(rf"{word}\b", sentence) and not sentence.endswith("?")]
        if is_message and number == 0:
            found += [instead for word, instead in SUBJECTS if re.match(rf"{word.lower()}\b", sentence)]
        yield from ((sentence, instead) for instead in found if sentence not in EXCEPTIONS)


def complaints(root):
    """(path, line, sentence, what to write) for each idiom that there is."""
    for path, line, text, is_message in texts(root):
        yield from ((path, line, *fault) for fault in faults(text, is_message))


def main(root):
    found = list(complaints(root))
    for path, line, sentence, instead in found:
        print(f'{path}:{line}: "{sentence[:90]}": {instead}')
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
