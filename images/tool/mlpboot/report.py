"""report: makes one page of several runs."""
import json
import pkgutil

from .files import Trouble, show_progress, warn, write_new
from .points import parse_points
from .runs import find_runs, parse_json, parse_verdicts

DOES = "one page for the browser over several runs, side by side"
HELP = """\
A RUN is a folder that a run left, with run.json, verdicts.csv and results.csv, or one that holds such
folders, as `results` of a stick does; a report.html; or a .zip of any of these. The page is one file that
needs nothing else, no network either. Runs are called by the names of their folders, with as many of those
above as tell them apart. A file that is missing or damaged is named, and the page shows the rest. No file is ever
overwritten."""
EXIT_TROUBLE = 1

TABLES = [("verdicts.csv", parse_verdicts), ("results.csv", parse_points)]


def add_arguments(parser):
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument("--out", default="report.html", metavar="FILE",
                        help="the page; there must be no such file yet (default: %(default)s)")


def run(given):
    runs = find_runs(given.runs)
    write_new(given.out, pieces(runs))
    print(f"{given.out}: {len(runs)} {'run' if len(runs) == 1 else 'runs'}; any browser shows it")
    return 0


def pieces(runs):
    """Yields the page: the template with the script, then the files of the runs."""
    yield pkgutil.get_data("mlpboot", "page.html")
    for done, run_ in enumerate(runs, 1):
        conditions, where = run_.json_bytes()
        files = [("run.json", where, parse_json, conditions),
                 *((file, run_.where(file), parse, run_.read(file)) for file, parse in TABLES)]
        for file, where, parse, data in files:
            warn_of_damage(where, parse, data)
            if data is not None:
                yield element(run_.name, file, without_padding(data) if file == "run.json" else data)
        if (log := run_.read("log.txt")) is not None:
            yield element(run_.name, "log.txt", log)
        show_progress(done, len(runs), "run")


def warn_of_damage(where, parse, data):
    """Names a file that other commands refuse; the page takes it all the same."""
    try:
        if data is None:
            raise Trouble(f"{where}: No such file or directory")
        parse(where, data)
    except Trouble as trouble:
        warn(f"mlpboot report: {trouble}")


def without_padding(data):
    """Returns the text without the blanks that leave the image room to rewrite it in place."""
    kept = data.rstrip(b" \n")
    return kept + b"\n" if len(kept) < len(data) else data


def element(name, file, data):
    """Returns a file as an element of the page; kernel/report/elements.h has its form."""
    part = {"run": name, "file": file, "how": "replace", "text": data.decode("utf-8", "replace")}
    text = json.dumps(part, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c").encode("utf-8", "replace")
    return b'\n<script type="application/json" class="file">' + text + b"</script>"
