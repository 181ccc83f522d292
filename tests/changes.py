"""changes: what can be changed in a C source at a time: a token, a statement, two arguments."""

import collections
import itertools
import re

Change = collections.namedtuple("Change", "line start end new")  # text[start:end] becomes `new`

TOKEN = re.compile(r"""
    (?P<skip>\s+|/\*.*?\*/|//[^\n]*)
  | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<number>(?:0[xX][0-9a-fA-F]+(?:\.[0-9a-fA-F]*)?(?:[pP][+-]?\d+)?|\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)[uUlLfF]*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<mark><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
""", re.X | re.S)

Token = collections.namedtuple("Token", "kind text start end line")

# What an operator between two values, or a word, may become.
BECOMES = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"],
    "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["|"],
    "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="], "%=": ["*="], "&=": ["|="], "|=": ["&="],
    "^=": ["|="], "<<=": [">>="], ">>=": ["<<="], "++": ["--"], "--": ["++"],
    "true": ["false"], "false": ["true"],
}
# Those that are something else where no blank is on both sides, which the sources' layout has.
SPACED = set("+-*&")

OPENING, CLOSING = "([{", ")]}"
TYPES = re.compile(r"(struct|enum|union|static|const|extern|typedef|void|char|bool|unsigned|signed|int|long|short"
                   r"|float|double|size_t|\w+_t|[A-Z][A-Z0-9_]*)$")
ENDS_LEFT = {"return", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
NOT_CALLED = {"if", "while", "for", "switch", "return", "sizeof", "__attribute__", "defined"}
# Functions whose first two arguments may change places: of the latter, where only equality is asked.
SYMMETRIC, EQUAL = {"larger", "smaller", "case_same"}, {"strcmp", "strncmp", "memcmp"}


def tokens_of(text):
    """The tokens that may be changed: not those of directives, but of what a macro stands for."""
    found, line, at = [], 1, 0
    while at < len(text):
        match = TOKEN.match(text, at)
        kind = match.lastgroup
        end = match.end()
        if match.group() == "#" and not text[text.rfind("\n", 0, at) + 1:at].strip():
            macro = re.compile(r"#\s*define\s+\w+(\([^)]*\))?").match(text, at)
            end = macro.end() if macro else re.compile(r"(\\\n|[^\n])*").match(text, at).end()
        elif kind != "skip":
            found.append(Token(kind, match.group(), at, end, line))
        line += text.count("\n", at, end)
        at = end
    return without(found, "__attribute__", "_Static_assert", "__asm__")


def without(tokens, *words):
    """Less what those words have in their parentheses."""
    left, depth, inside = [], 0, False
    for token in tokens:
        inside = inside or token.text in words
        if not inside:
            left.append(token)
        elif token.text in ("(", ")"):
            depth += 1 if token.text == "(" else -1
            inside = depth > 0
    return left


def partners(tokens):
    """The index of the closing bracket for that of each opening one, and the other way."""
    other, open_ones = {}, []
    for i, token in enumerate(tokens):
        if token.text in OPENING:
            open_ones.append(i)
        elif token.text in CLOSING and open_ones:
            other[i] = open_ones.pop()
            other[other[i]] = i
    return other


def numbers_near(token):
    """One more and one less; of what is no whole number, twice and half."""
    whole = re.fullmatch(r"(0[xX])?([0-9a-fA-F]+)([uUlL]*)", token.text)
    if whole and (whole[1] or whole[2].isdigit()):
        value = int(whole[2], 16 if whole[1] else 10)
        for near in sorted({value + 1, max(value - 1, 0)} - {value}):
            yield (hex(near) if whole[1] else str(near)) + whole[3]
    else:
        yield f"({token.text} * 2)"
        yield f"({token.text} / 2)"


def arguments(tokens, other, opening):
    """(first, last) index of each argument of a call, by the index of its parenthesis."""
    start = i = opening + 1
    while i < other[opening]:
        if tokens[i].text in OPENING and i in other:
            i = other[i]
        elif tokens[i].text == ",":
            yield start, i - 1
            start = i + 1
        i += 1
    if start < other[opening]:
        yield start, other[opening] - 1


class Changes:
    """All changes of one source, in `found`."""

    def __init__(self, text):
        self.text = text
        self.tokens = tokens_of(text)
        self.other = partners(self.tokens)
        self.found = []
        for i, token in enumerate(self.tokens):
            self.token(i, token)
            self.statement(i, token)
            self.call(i, token)

    def add(self, first, last, new):
        """The tokens from one index to another become something else, which may use the old as {}."""
        start, end = self.tokens[first].start, self.tokens[last].end
        new = new.replace("{}", self.text[start:end])
        line = self.tokens[first].line
        self.found.append(Change(line, start, end, new))

    def token(self, i, token):
        if token.kind == "number":
            for near in numbers_near(token):
                self.add(i, i, near)
        elif token.text in BECOMES and (token.text not in SPACED or self.is_spaced(token)):
            for new in BECOMES[token.text]:
                self.add(i, i, new)
        elif token.text == "!":
            self.add(i, i, "!!")
        elif token.text in ("-", "~") and i > 0 and not self.is_spaced(token):
            self.add(i, i, "+")
        elif token.text == "?":
            self.choice(i)

    def is_spaced(self, token):
        return self.text[token.start - 1].isspace() and self.text[token.end].isspace()

    def choice(self, i):
        """The condition before a question mark, turned round."""
        first = i
        while first > 0:
            before = self.tokens[first - 1]
            if before.text in CLOSING and first - 1 in self.other:
                first = self.other[first - 1]
            elif before.text in "([{,;:?}" or before.text in ENDS_LEFT:
                break
            else:
                first -= 1
        if first < i:
            self.add(first, i - 1, "!({})")

    def statement(self, i, token):
        if token.text in ("if", "while") and i + 1 in self.other:
            first, last = i + 2, self.other[i + 1] - 1
            self.add(first, last, "!({})")
            self.add(first, last, "({}) && false")
            if token.text == "if":
                self.add(first, last, "({}) || true")
        elif token.text == "return" and self.tokens[i + 1].text != ";":
            last = self.end_of(i) - 1
            if last > i and self.tokens[i + 1].text not in ("0", "NULL", "true", "false"):
                self.add(i + 1, last, "0")
                self.add(i + 1, last, "!({})")
        if self.starts_statement(i):
            self.dropped(i, token)

    def dropped(self, i, token):
        """A statement that is never done; what it names is still used."""
        follows = self.tokens[min(i + 1, len(self.tokens) - 1)].text
        if token.text in ("break", "continue", "return"):
            self.add(i, self.end_of(i), "while (false) {}" if token.text == "return" else "(void)0;")
        elif token.kind == "word" and (follows in ("(", "=", "[", "->", ".", "++", "--") or follows[-1] == "=") \
                and token.text not in NOT_CALLED and token.text not in ("do", "else"):
            self.add(i, i, "while (false) {}")
        elif token.text in ("*", "(", "++", "--"):
            self.add(i, i, "while (false) {}")

    def starts_statement(self, i):
        """In a function's body; there, declarations apart, which have a type in front."""
        if i == 0:
            return False
        before = self.tokens[i - 1]
        if before.text == ")" and i - 1 in self.other:
            return self.tokens[self.other[i - 1] - 1].text in ("if", "while", "for", "switch")
        is_label = before.text == ":" and self.text[before.end] == "\n"
        return (is_label or before.text in (";", "{", "}", "else")) and not self.in_parentheses(i)

    def in_parentheses(self, i):
        """Such as the semicolons of `for`; and values in braces are not statements."""
        while i > 0:
            i -= 1
            if self.tokens[i].text in CLOSING and i in self.other:
                i = self.other[i]
            elif self.tokens[i].text in "([":
                return True
            elif self.tokens[i].text == "{":
                return self.tokens[i - 1].text in ("=", ",", "(", "{")
        return True

    def end_of(self, i):
        """The index of the semicolon that ends the statement; what a macro stands for may have none."""
        start = i
        while i < len(self.tokens) and self.tokens[i].text != ";":
            i = self.other[i] + 1 if self.tokens[i].text in OPENING else i + 1
        return i if i < len(self.tokens) else start

    def call(self, i, token):
        """Two arguments side by side that change places; the compiler refuses other types."""
        if token.kind != "word" or token.text in NOT_CALLED or i + 1 not in self.other \
                or self.tokens[i + 1].text != "(":
            return
        given = list(arguments(self.tokens, self.other, i + 1))
        if any(len([t for t in self.tokens[first:last + 1] if t.kind in ("word", "mark")]) > 1
               and TYPES.match(self.tokens[first].text) for first, last in given):
            return  # a declaration
        after = [t.text for t in self.tokens[self.other[i + 1] + 1:][:2]]
        is_symmetric = token.text in SYMMETRIC or (token.text in EQUAL and after in (["==", "0"], ["!=", "0"]))
        for (a, b), (c, d) in list(itertools.pairwise(given))[1 if is_symmetric else 0:]:
            left, right = (self.text[self.tokens[x].start:self.tokens[y].end] for x, y in ((a, b), (c, d)))
            if left != right and self.tokens[a].line == self.tokens[d].line:
                self.add(a, d, f"{right}, {left}".replace("{}", "{ }"))


def changes_of(text):
    """All changes of a source."""
    return Changes(text).found


def apply(text, change):
    return text[:change.start] + change.new + text[change.end:]


def plain(text):
    return " ".join(text.split())


def changed_line(text, change):
    """(the line as it is, as it is then); all that the change is on, as one, if there are several, and as
    many before them as it takes to tell it from the others."""
    first = text.rfind("\n", 0, change.start) + 1
    last = text.find("\n", change.end)
    whole = plain(text)
    while first > 0 and whole.count(plain(text[first:last])) > 1:
        first = text.rfind("\n", 0, first - 1) + 1
    return plain(text[first:last]), plain(text[first:change.start] + change.new + text[change.end:last])
