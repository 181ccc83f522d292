"""report: what a page holds, by a parser that knows nothing of this project."""

import html.parser
import json
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "build" / "page.html"
MANUAL = PAGE.with_name("manual.html")
COPIED = ("run.json", "verdicts.csv", "results.csv", "log.txt")


class Elements(html.parser.HTMLParser):
    """What a browser finds behind the page itself: elements that hold files, and nothing else."""

    def __init__(self):
        super().__init__()
        self.pieces, self.open = [], False

    def handle_starttag(self, tag, attributes):
        assert (tag, dict(attributes)) == ("script", {"type": "application/json", "class": "file"})
        assert not self.open
        self.open = True
        self.text = ""

    def handle_endtag(self, tag):
        assert tag == "script" and self.open
        self.open = False
        self.pieces.append(json.loads(self.text))

    def handle_data(self, data):
        if self.open:
            self.text += data
        else:
            assert data == "\n"

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")


def runs_of(report):
    """{run: {file: bytes}} of a page's bytes, as its script joins them."""
    page = PAGE.read_bytes()
    assert report.startswith(page)
    elements = Elements()
    elements.feed(report[len(page):].decode())
    elements.close()
    assert not elements.open
    runs = {}
    for piece in elements.pieces:
        files = runs.setdefault(piece["run"], {})
        before = files.get(piece["file"], b"") if piece["how"] == "append" else b""
        assert piece["how"] in ("append", "replace")
        files[piece["file"]] = before + piece["text"].encode()
    return runs


def without_padding(files):
    """The files that a page holds, as it holds them."""
    return {name: files[name].rstrip(b" \n") + b"\n" if name == "run.json" else files[name]
            for name in COPIED if name in files}
