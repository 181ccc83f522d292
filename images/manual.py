"""manual: makes one HTML file of the manual's texts, for a double click without a network.

usage: manual.py OUT

markdown-it converts each text. Each heading gets the anchor that GitHub gives it, links between the texts become links
within the file, and the contents are made of all headings.
"""

import html
import re
import sys
from pathlib import Path

from markdown_it import MarkdownIt

FOLDER = Path(__file__).parent / "manual"
TEXTS = ["guide", "reference", "methods", "lab", "ci", "published"]

STYLE = """
body { max-width: 60rem; margin: auto; padding: 0 1rem 4rem; font: 1rem/1.5 sans-serif; color-scheme: light dark }
h1 { margin-top: 4rem; border-top: thin solid }
pre, table { display: block; overflow-x: auto; max-width: 100% }
pre, code { font-family: monospace; font-size: .9em }
pre { padding: .5rem 1rem; border-left: .2rem solid }
table { border-collapse: collapse }
th, td { padding: .2rem .6rem; border: thin solid gray; text-align: left; vertical-align: top }
nav { columns: 20rem }
nav a { display: block }
.level1 { font-weight: bold }
.level2 { padding-left: 1rem }
.level3 { padding-left: 2rem }
"""


def anchor(heading):
    """As GitHub makes it: small letters, dashes for blanks, no other signs."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def without_contents(text):
    return re.sub(r"(?ms)^## Contents\n.*?(?=^## )", "", text)


def converted(text):
    """The text as HTML; links to another text lead to its anchor, or to its first heading."""
    for name in TEXTS:
        title = re.match(r"# (.+)", (FOLDER / f"{name}.md").read_text(encoding="utf-8"))[1]
        text = re.sub(rf"\]\({name}\.md(#[^)]*)?\)", lambda link, first=anchor(title): f"]({link[1] or '#' + first})", text)
    return MarkdownIt("commonmark").enable("table").render(re.sub(r"(?s)<!-- .*? -->\n", "", text))


def plain(inside):
    return html.unescape(re.sub(r"<[^>]*>", "", inside))


def contents(body):
    """A line for each heading, indented by its level."""
    return "\n".join(f'<a class="level{level}" href="#{name}">{inside}</a>'
                     for level, name, inside in re.findall(r'<h([123]) id="([^"]*)">(.*?)</h', body))


def main(out):
    body = "\n".join(converted(without_contents((FOLDER / f"{name}.md").read_text(encoding="utf-8"))) for name in TEXTS)
    body = re.sub(r"<h(\d)>(.*?)</h", lambda found: f'<h{found[1]} id="{anchor(plain(found[2]))}">{found[2]}</h', body)
    Path(out).write_text(f"""<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The manual of mlpboot</title>
<style>{STYLE}</style>
<nav>
{contents(body)}
</nav>
{body}</html>
""", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
