"""report: makes one page of several runs."""
from .files import write_new
from .fleet import page_of
from .runs import find_runs

DOES = "one page for the browser over several runs, side by side"
HELP = """\
A RUN is a folder that a run left, with run.json, verdicts.csv and results.csv, or one that holds such
folders, as `results` of a stick does; a report.html; or a .zip of any of these. The page is one file that
needs nothing else, no network either. Runs are called by the names of their folders, with as many of those
above as tell them apart. A file that is missing or damaged is named, and the page shows the rest. More than six
runs of one kind of machine are shown as a fleet, as `fleet --html` does. No file is ever overwritten."""
EXIT_TROUBLE = 1


def add_arguments(parser):
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument("--out", default="report.html", metavar="FILE",
                        help="the page; there must be no such file yet (default: %(default)s)")


def run(given):
    runs = find_runs(given.runs)
    write_new(given.out, page_of(runs))
    print(f"{given.out}: {len(runs)} {'run' if len(runs) == 1 else 'runs'}; any browser shows it")
    return 0
