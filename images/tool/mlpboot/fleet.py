"""fleet: finds the odd machines among many of one kind."""
import json
import math
from collections import Counter, namedtuple
from statistics import median

from .columns import lay_out
from .compare import median_verdicts
from .comparison import DIFFERENT, Comparison, Side
from .conditions import members_of
from .csv_text import csv_line, number_text
from .figures import CONDITIONS, FIGURES, figures_of, group_of, has_neighbours, modules_of
from .files import Trouble, shown, show_progress, warn, write_new
from .outliers import GROUP_LEAST, MAD_TO_DEVIATION, SHARE_LEAST, SPREADS_LEAST, Value, far_values, scaled_mad
from .page import pieces, pieces_of_fleet
from .runs import find_runs

DOES = "the odd machines among many of one kind, and what may explain them"
HELP = """\
A RUN is a folder that a run left, or one that holds such folders, as `results` of a stick does; a report.html;
a .zip of any of these; or what `collect` made: a file of SQLite, or postgresql://...

Machines are compared within groups of the same processor, product, core type and page sizes. A machine is odd if one of
its figures is more than 6 scaled median absolute deviations and more than 3 % from the median of the others, and its
interval lies beside the middle half of the others. In small groups the 6 become more, so that 19 of 20 fleets of equal
machines have no odd one. The longest gap and how far the core was shared tell of neighbours where the run is of a guest or
a Linux process: there they are in the table, and never odd. A condition is odd if it is not that of most machines of the
group. Groups of fewer than five machines are too small: their runs are compared with those of --against.

--html writes one page for the browser: a map of all figures, the odd machines first. It has the results of the odd
machines, as far as they fit into 4 MB, and of a typical one, to be seen side by side. Six runs or fewer, and groups
that are too small, are there in full.

Exit status: 0 nothing is odd, 1 something is, 2 wrong usage, or a run that cannot be read."""
EXIT_ALIKE, EXIT_ODD, EXIT_TROUBLE = 0, 1, 2

FIGURES_TOLD = 3  # of an odd machine, on its line
LABEL_MOST = 48  # characters: it names a row
PAGE_RUNS = 6  # that a page shows side by side


def add_arguments(parser):
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument("--against", metavar="RUN", help="stored runs of the same kinds, for groups that are too small")
    parser.add_argument("--json", action="store_true", help="says the same as JSON")
    parser.add_argument("--html", metavar="FILE", help="writes a page for the browser; there must be no such file yet")
    parser.add_argument("--csv", metavar="FILE", help="writes each machine's figures too; there must be no such file yet")


def run(given):
    runs = find_runs(given.runs)
    machines, is_whole = read_machines(runs)
    if not machines:
        raise Trouble("no run has a verdict")
    fleet = Fleet(machines, read_machines(find_runs([given.against]))[0] if given.against is not None else [])
    print(json.dumps(fleet.as_json(), indent=2) if given.json else "\n".join(fleet.lines()))
    if given.csv is not None:
        write_new(given.csv, (csv_line(cells).encode() for cells in fleet.csv()), "name another file with --csv")
    if given.html is not None:
        write_new(given.html, page_of(runs, fleet), "name another file with --html")
    if not is_whole:
        return EXIT_TROUBLE
    return EXIT_ODD if fleet.odd() else EXIT_ALIKE


def page_of(runs, fleet=None):
    """Yields the page of these runs: all of them side by side, or of more machines of one kind the fleet."""
    if len(runs) > PAGE_RUNS:
        fleet = fleet or Fleet(read_machines(runs)[0])
        if not all(group.is_small for group in fleet.groups):
            return pieces_of_fleet(fleet.as_json()["groups"], fleet.runs_of_page())
    return pieces(runs)


def read_machines(runs):
    """Returns the machines of all runs that can be read, and True if that is all of them; names the others."""
    machines, is_whole = [], True
    for done, one in enumerate(runs, 1):
        try:
            machines.append(Machine(one))
        except Trouble as trouble:
            warn(trouble)
            is_whole = False
        show_progress(done, len(runs), "run")
    labels = Counter(machine.label for machine in machines)
    for machine in machines:
        machine.name = machine.label if machine.label and labels[machine.label] == 1 else machine.run_name
    return machines, is_whole


class Machine:
    """One run: its figures and conditions, and the group that it is compared in."""

    def __init__(self, one):
        said, verdicts = one.json(), one.verdicts()
        label = said.get("label")
        self.run, self.run_name = one, shown(one.name)
        self.label = shown(label.strip())[:LABEL_MOST] if isinstance(label, str) else ""
        self.group = group_of(said, verdicts)
        self.figures = figures_of(said, verdicts)
        self.conditions = {row.title: row.read(said) for row in CONDITIONS}
        self.slots = set(modules_of(said))
        self.has_neighbours = has_neighbours(said)
        self.status = said.get("status")
        self.odd = []  # Odd, the worst first
        self.unlike = {}  # by title: the condition of most others


# A figure that is far from the others': its row of FIGURES, the case, the verdict, how many others, their center and
# scaled MAD.
Odd = namedtuple("Odd", "figure case verdict others center spread")


class Column:
    """One figure of a group in one case, of the machines that have it."""

    def __init__(self, place, case, machines):
        self.figure, self.case = FIGURES[place], case
        self.found = {machine: machine.figures[place, case] for machine in machines if (place, case) in machine.figures}
        self.machines, self.verdicts = list(self.found), list(self.found.values())
        self.values = [verdict.value for verdict in self.verdicts]
        self.center = median(self.values)
        self.mad = median(abs(value - self.center) for value in self.values)
        self.spread = scaled_mad(self.values, self.center)
        # The unit of `spreads`, of which 6 may be odd: the scaled MAD, or more where 6 of it are too near to be odd.
        self.unit = max(self.spread, max(SHARE_LEAST * abs(self.center), self.figure.floor) / SPREADS_LEAST)

    def spreads(self, machine):
        """Returns how far a machine's figure is from the median, in units."""
        distance = self.found[machine].value - self.center
        return distance / (self.unit or abs(distance) / SPREADS_LEAST or 1)

    def is_odd(self, machine):
        return any(odd.figure is self.figure for odd in machine.odd)


class Group:
    def __init__(self, name, machines):
        self.name, self.machines = name, machines
        self.is_small, self.stored = len(machines) < GROUP_LEAST, 0
        self.columns = [] if self.is_small else self._columns()

    def _columns(self):
        """Returns a column for each figure that enough machines have in one case: in that of most machines."""
        cases = {}  # by the figure's place: how many machines have it in which case
        for machine in self.machines:
            for place, case in machine.figures:
                cases.setdefault(place, Counter())[case] += 1
        columns = [Column(place, usual_case(seen), self.machines) for place, seen in sorted(cases.items())]
        return [column for column in columns if len(column.machines) >= GROUP_LEAST]

    def judged(self):
        """Returns the columns of figures that are of the machines; others stand in the table alone."""
        has_neighbours = any(machine.has_neighbours for machine in self.machines)
        return [column for column in self.columns if not (column.figure.is_momentary and has_neighbours)]

    def tests(self):
        return sum(len(column.machines) for column in self.judged())

    def judge(self, tests):
        for column in self.judged():
            values = [Value(v.value, v.low, v.high) for v in column.verdicts]
            for far in far_values(values, tests, column.figure.floor):
                column.machines[far.index].odd.append(
                    Odd(column.figure, column.case, column.verdicts[far.index], len(values) - 1, far.center, far.spread))
        if not self.is_small:
            self._judge_conditions()

    def compare_with(self, stored):
        """Compares each machine of a small group with the median of stored runs, as `compare` does."""
        self.stored = len(stored)
        if not stored:
            return
        places = {(figure.experiment, figure.name): figure for figure in FIGURES}
        side = side_of(stored)
        for machine in self.machines:
            pairs = Comparison(side, side_of([machine])).pairs
            machine.odd = [Odd(places[pair.verdict[0], pair.verdict.name]._replace(unit=pair.unit), pair.case(), pair.b,
                               self.stored, pair.a.value, 0.0)
                           for pair in pairs if pair.outcome == DIFFERENT and (pair.verdict[0], pair.verdict.name) in places
                           and abs(pair.difference) > SHARE_LEAST * abs(pair.a.value)]

    def usual_conditions(self):
        """Returns by title the condition that most machines share, of those that enough machines tell."""
        usual = {}
        for title in (row.title for row in CONDITIONS):
            known = [machine.conditions[title] for machine in self.machines if machine.conditions[title]]
            text, count = Counter(known).most_common(1)[0] if known else ("", 0)
            if 2 * count > len(known) >= GROUP_LEAST:
                usual[title] = text
        return usual

    def typical(self):
        """Returns the machine nearest to the medians of all figures, of those that are not odd; None: all are odd."""
        def distance(machine):
            own = [column for column in self.columns if machine in column.found]
            return -len(own), sum(abs(column.spreads(machine)) for column in own)
        return min((m for m in self.machines if not (m.odd or m.unlike)), key=distance, default=None)

    def _judge_conditions(self):
        for title, text in self.usual_conditions().items():
            for machine in self.machines:
                if machine.conditions[title] not in ("", text):
                    machine.unlike[title] = text


class Fleet:
    def __init__(self, machines, stored=()):
        """Takes the machines, and those of stored runs, with which small groups are compared."""
        self.machines = machines
        self.groups = [Group(name, [m for m in machines if m.group == name])
                       for name in dict.fromkeys(machine.group for machine in machines)]
        tests = sum(group.tests() for group in self.groups)
        for group in self.groups:
            group.judge(tests)
            if group.is_small:
                group.compare_with([one for one in stored if one.group == group.name])
        for machine in machines:
            machine.odd.sort(key=distance_of, reverse=True)

    def odd(self):
        """Returns the odd machines, the worst first; those of which only a condition is odd come last."""
        odd = [machine for machine in self.machines if machine.odd or machine.unlike]
        return sorted(odd, key=lambda m: (distance_of(m.odd[0]) if m.odd else -1, len(m.unlike)), reverse=True)

    def lines(self):
        """Yields the text: a line for each odd machine, then each group with a table of its figures."""
        odd = self.odd()
        for machine in odd:
            yield f"{machine.name}: {'; '.join(reasons_of(machine, self.group_of(machine)))}"
        for group in self.groups:
            yield from ([""] if odd or group is not self.groups[0] else []) + list(group_lines(group))

    def runs_of_page(self):
        """Returns the runs that a page has in full: a typical one of each group, the odd, and those of small groups."""
        typical = [group.typical() for group in self.groups if not group.is_small]
        small = [machine for group in self.groups if group.is_small for machine in group.machines]
        return [machine.run for machine in dict.fromkeys([*filter(None, typical), *self.odd(), *small])]

    def as_json(self):
        return {
            "groups": [self._group_json(group) for group in self.groups],
            "odd": [self._machine_json(machine) for machine in self.odd()],
        }

    def _group_json(self, group):
        typical = None if group.is_small else group.typical()
        odd = [machine for machine in self.odd() if machine.group == group.name]
        ordered = dict.fromkeys([*odd, *([typical] if typical else []), *group.machines])
        return {"name": group.name, "machines": len(group.machines), "too_small": group.is_small,
                "typical": typical and typical.run.name, "conditions": group.usual_conditions(),
                "figures": [self._figure_json(column) for column in group.columns],
                "rows": [self._row_json(machine, group) for machine in ordered]}

    def _row_json(self, machine, group):
        """Returns a machine's figures, in the order of the group's."""
        cells = [column.found.get(machine) and {
            "value": column.found[machine].value, "low": column.found[machine].low, "high": column.found[machine].high,
            "spreads": round(column.spreads(machine), 2), "odd": column.is_odd(machine)} for column in group.columns]
        return {"machine": machine.name, "name": machine.run.name, "cells": cells, "unlike": list(machine.unlike),
                "words": reasons_of(machine, group) if machine.odd or machine.unlike else []}

    def _figure_json(self, column):
        return {"figure": column.figure.title, "case": column.case, "unit": column.figure.unit,
                "machines": len(column.machines), "median": column.center,
                "spread": column.spread, "least": min(column.values), "most": max(column.values)}

    def _machine_json(self, machine):
        return {"machine": machine.name, "run": machine.run.path, "group": machine.group,
                "figures": [{"figure": odd.figure.title, "case": odd.case, "unit": odd.figure.unit, "value": odd.verdict.value,
                             "low": odd.verdict.low, "high": odd.verdict.high, "others": odd.others,
                             "median": odd.center, "spread": odd.spread} for odd in machine.odd],
                "conditions": {title: {"here": machine.conditions[title], "most": text}
                               for title, text in machine.unlike.items()},
                "words": reasons_of(machine, self.group_of(machine))}

    def group_of(self, machine):
        return next(group for group in self.groups if group.name == machine.group)

    def csv(self):
        yield ["machine", "run", "group", "figure", "case", "unit", "value", "low", "high", "others", "median", "spread", "odd"]
        for group in self.groups:
            for column in group.columns:
                shared = [str(len(column.machines) - 1), number_text(column.center), number_text(column.spread)]
                for machine, one in zip(column.machines, column.verdicts):
                    yield [machine.name, machine.run.path, group.name, column.figure.title, column.case,
                           column.figure.unit, *map(number_text, (one.value, one.low, one.high)), *shared,
                           "yes" if column.is_odd(machine) else "no"]


def usual_case(seen):
    """Returns the case that most machines have; of several that of reading, or else the first by name."""
    return min(seen, key=lambda case: (-seen[case], not case.startswith("read"), case))


def side_of(machines):
    """Returns the side of a comparison that runs of one group stand for."""
    runs = [machine.run for machine in machines]
    return Side(runs[0].path, len(runs), dict(members_of(runs[0].json(parse_int=str, parse_float=str))),
                median_verdicts([one.verdicts() for one in runs]))


def distance_of(odd):
    """Returns how far an odd figure is from the others', as a share of theirs; of shares, in their unit."""
    center = abs(odd.center)
    return abs(odd.verdict.value - odd.center) / (center if center else 1)


def reasons_of(machine, group):
    """Returns what is odd of a machine, the worst first, and the conditions that may explain it."""
    others = "stored runs" if group.is_small else "others"
    told = [f"{odd.figure.title} {amount(odd.verdict.value, odd.figure.unit)}{apart_words(odd)}, median of {odd.others} {others} "
            f"{amount(odd.center, odd.figure.unit).removesuffix(f' {odd.figure.unit}')}{spread_words(odd)}"
            for odd in machine.odd[:FIGURES_TOLD]]
    more = len(machine.odd) - len(told)
    told += [f"{more} more {'figure is' if more == 1 else 'figures are'} odd"] if more else []
    causes = [title for odd in machine.odd for title in odd.figure.causes]
    titles = sorted(machine.unlike, key=lambda title: causes.index(title) if title in causes else len(causes))
    told += [condition_words(machine, title, group) for title in titles]
    return told if machine.unlike or group.is_small else [*told, "none of the conditions differs"]


def apart_words(odd):
    return f" ({100 * (odd.verdict.value / odd.center - 1):+.0f} %)" if odd.center else ""


def spread_words(odd):
    within = 100 * odd.spread / MAD_TO_DEVIATION / abs(odd.center) if odd.center else 0
    return "" if within == 0 else f", half of them within {rounded(max(within, 0.1), 1)} %"


def condition_words(machine, title, group):
    """Returns a condition that is not that of the others; of memory, the slots that are empty here alone."""
    text, usual = machine.conditions[title], machine.unlike[title]
    if title == "DIMMs":
        others = [other for other in group.machines if other is not machine]
        seen = Counter(slot for other in others for slot in other.slots)
        empty = [slot for slot, count in seen.items() if 2 * count > len(others) and slot not in machine.slots]
        return f"{text} DIMMs" + (f": {', '.join(sorted(empty))} {'is' if len(empty) == 1 else 'are'} empty" if empty
                                  else f", most others {usual}")
    return f'{title} "{text}", most others "{usual}"'


def group_lines(group):
    count = len(group.machines)
    if group.is_small:
        how = (f"compared with {group.stored} stored runs of their kind" if group.stored
               else "--against compares them with stored runs of their kind, and the page with published figures")
        yield (f"{count} {'machine' if count == 1 else 'machines'} of {group.name}: fewer than {GROUP_LEAST} are too few "
               f"to compare with each other; {how}")
        return
    odd = sum(bool(machine.odd or machine.unlike) for machine in group.machines)
    yield f"{count - odd} of {count} machines are alike: {group.name}"
    rows = []
    for column in group.columns:
        within = f"{rounded(100 * column.mad / abs(column.center), 2)} %" if column.center else "-"
        rows.append([column.figure.title, column.case, column.figure.unit, str(len(column.machines)),
                     rounded(column.center), within, rounded(min(column.values)), rounded(max(column.values)),
                     str(sum(map(column.is_odd, column.machines)) or "-")])
    yield from lay_out(["figure", "case", "unit", "machines", "median", "half within", "least", "most", "odd"], rows,
                       {0, 1, 2}, "  ", last_unpadded=False)
    alike = group.usual_conditions()
    if alike:
        yield "  conditions of most: " + "; ".join(f"{title} {text}" for title, text in alike.items())


def amount(value, unit):
    """Returns a number with its unit, bytes in binary ones."""
    power = min(int(math.log2(value)) // 10, 4) if unit == "bytes" and value >= 1 else 0
    return f"{rounded(value / 1024 ** power)} {['B', 'KB', 'MB', 'GB', 'TB'][power] if unit == 'bytes' else unit}"


def rounded(value, digits=3):
    """Returns a number with three digits, or as many as a whole number has."""
    if value == 0:
        return "0"
    places = max(digits - 1 - math.floor(math.log10(abs(value))), 0)
    return number_text(value, places)
