"""conditions: the conditions of a run, by its run.json, and those that two runs do not share."""
import math
import pkgutil

from .files import shown

SAME_RATE = 1e-3  # two measured rates of one counter differ by less
SAME_UNCORE = 0.1  # the uncore's clock moves by a step or two from run to run
PATH_MOST, TEXT_MOST = 255, 255  # characters; a longer path is left out, a longer text is cut

# Members of run.json that describe a run's conditions, and those that do not affect measurements; a dot at the end
# means all that begin so. The page reads the same table.
_ROWS = [line.split(",") for line in pkgutil.get_data("mlpboot", "conditions.csv").decode().splitlines()]
CONDITIONS, OF_NO_MATTER = ([path for path, matters, _ in _ROWS if matters == word] for word in ("yes", "no"))


def members_of(said, above=""):
    """Yields (path, text) of each member that is a text, a number (read as it is written), true or false."""
    for name, value in said.items():
        path = f"{above}.{name}" if above else name
        if not 0 < len(path) <= PATH_MOST:
            continue
        if isinstance(value, dict):
            yield from members_of(value, path)
        elif isinstance(value, (str, bool)):
            yield path, shown(value.strip() if isinstance(value, str) else str(value).lower())[:TEXT_MOST]


def is_among(paths, path):
    return any(path.startswith(one) if one.endswith(".") else path == one for one in paths)


def rate_of(members, path="tsc_hz"):
    """Returns a rate, as a rule the TSC's; nan: unknown."""
    try:
        rate = float(members.get(path, "nan"))
    except ValueError:
        return math.nan
    return rate if rate > 0 else math.nan


def rates_differ(a, b, path="tsc_hz", same=SAME_RATE):
    """Returns True if both runs know this rate and it differs by more than the share `same`."""
    rate_a, rate_b = rate_of(a, path), rate_of(b, path)
    return abs(rate_a - rate_b) > same * min(rate_a, rate_b)


def conditions_apart(a, b):
    """Returns (path, text of a, text of b) of each condition that both runs report, and differently."""
    return [(path, text, b[path]) for path, text in a.items()
            if text and b.get(path) and b[path] != text
            and is_among(CONDITIONS, path) and not is_among(OF_NO_MATTER, path)
            and (path != "tsc_hz" or rates_differ(a, b))
            and (not path.startswith("uncore.most_mhz.") or rates_differ(a, b, path, SAME_UNCORE))]
