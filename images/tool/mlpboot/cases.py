"""cases: reads the names of cases, whose words and order the manual has; and orders them by which answers best."""
import re

PAGES = ("4k", "2m", "1g")
NUMBER = "(0|[1-9][0-9]*)"

# Words behind the page size: those before the user's label, then those behind it, the last one first.
TLB, PREFETCH_OFF, MEMORY, ACCESS = "warm|cold|walkmem", "nopf", f"node{NUMBER}|remote", "prefetch|store|nt"
DEPENDENT, ORDER = "dependent", "cpuid"

# Words at the end of any name, with or without a page size, the last one first.
SHARED, CORE, GENERATORS, SIBLING = "shared", f"core{NUMBER}", "cores[1-9][0-9]*", "idle|busy|loading"


def plain_name(case):
    """Returns a case's name without what the configuration alone adds: `nopf` and the user's label."""
    words, tail = case.split("-"), []
    for pattern in (SHARED, CORE, GENERATORS, SIBLING):
        if words[:-1] not in ([], [""]) and re.fullmatch(pattern, words[-1]):
            tail.insert(0, words.pop())
    page = next((i for i, word in enumerate(words) if word in PAGES), None)
    if page is None:
        return case
    pattern, label = words[:page], words[page + 1:]
    before = {way: label.pop(0) for way in (TLB, PREFETCH_OFF, MEMORY, ACCESS)
              if label and re.fullmatch(way, label[0])}
    before.pop(PREFETCH_OFF, None)
    behind = [label.pop() for way in (DEPENDENT, ORDER) if label and label[-1] == way][::-1]
    if [""] in (pattern, label):  # a dash too many: no name that a run gives
        return case
    return "-".join([*pattern, words[page], *before.values(), *behind, *tail])


CHEAPEST = ["2m", "1g", "4k"]  # the first costs a load least


def preference(verdict):
    """Returns a key, the least of which answers: ok comes first; then 9-byte NOPs, which never share an entry of the reorder
    buffer; then a value with an interval; then the cheapest pages."""
    pages = next((i for i, page in enumerate(CHEAPEST) if page in plain_name(verdict.case).split("-")), len(CHEAPEST))
    is_short = verdict.status != "ok" and verdict.name == "rob_entries" and not verdict.case.startswith("long-nop")
    return verdict.status != "ok", is_short, not verdict.low <= verdict.value <= verdict.high, pages
