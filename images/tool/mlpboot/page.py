"""page: report.html as it is written for several runs: the template with the script, then elements that hold files."""
import json
import pkgutil

from .files import Trouble, show_progress, warn
from .points import parse_points
from .runs import parse_json, parse_verdicts

MOST = 4 << 20  # bytes of the page of many machines, without their figures
TABLES = [("verdicts.csv", parse_verdicts), ("results.csv", parse_points)]


def pieces(runs):
    """Yields the page of these runs, side by side."""
    yield template()
    for done, one in enumerate(runs, 1):
        yield from files_of(one)
        show_progress(done, len(runs), "run")


def pieces_of_fleet(groups, runs):
    """Yields the page of many machines, by groups of `fleet --json`. It has those runs that fit, the first ones first."""
    kept, left = {}, MOST - len(template())
    for one in runs:
        files = b"".join(files_of(one))
        if len(files) <= left:
            kept[one.name] = files
            left -= len(files)
    for row in (row for group in groups for row in group["rows"]):
        row["is_stored"] = row["name"] in kept
    yield from [template(), element("fleet", {"groups": groups}), *kept.values()]


def template():
    return pkgutil.get_data("mlpboot", "page.html")


def files_of(one):
    """Yields an element for each file of a run."""
    conditions, where = one.json_bytes()
    files = [("run.json", where, parse_json, conditions),
             *((file, one.where(file), parse, one.read(file)) for file, parse in TABLES)]
    for file, where, parse, data in files:
        warn_of_damage(where, parse, data)
        if data is not None:
            yield file_element(one.name, file, without_padding(data) if file == "run.json" else data)
    if (log := one.read("log.txt")) is not None:
        yield file_element(one.name, "log.txt", log)


def warn_of_damage(where, parse, data):
    """Names a file that other commands refuse; the page takes it all the same."""
    try:
        if data is None:
            raise Trouble(f"{where}: No such file or directory")
        parse(where, data)
    except Trouble as trouble:
        warn(trouble)


def without_padding(data):
    """Returns the text without the blanks that leave the image room to rewrite it in place."""
    kept = data.rstrip(b" \n")
    return kept + b"\n" if len(kept) < len(data) else data


def file_element(name, file, data):
    """Returns a file as an element of the page; kernel/report/elements.h has its form."""
    return element("file", {"run": name, "file": file, "how": "replace", "text": data.decode("utf-8", "replace")})


def element(kind, content):
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c").encode("utf-8", "replace")
    return b'\n<script type="application/json" class="%s">' % kind.encode() + text + b"</script>"
