"""outliers: tells which values of a group are far from the others; no input, no output.

The spread of a group is its median absolute deviation (MAD), which half of the group may spoil (Hampel, "The influence
curve and its role in robust estimation", Journal of the American Statistical Association 69, 1974), scaled to the
standard deviation of a normal distribution. The factors for few values are those of Croux and Rousseeuw, "Time-efficient
algorithms for two highly robust estimators of scale", Computational Statistics 1, 1992.
"""
import math
from collections import namedtuple
from functools import lru_cache
from statistics import median

GROUP_LEAST = 5  # the middle half of fewer values is next to nothing
SPREADS_LEAST = 6  # that a far value is from the others' median
SHARE_LEAST = 0.03  # of that median, by which a far value is off
FALSE_FLEETS = 0.05  # the share of fleets of equal machines in which any value may be called far

MAD_TO_DEVIATION = 1.4826
OF_FEW = [math.nan, math.nan, 1.196, 1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107]  # by the number of values
# The distance of one value from the median of `count` others, in scaled MADs, exceeds Student's t with count / 2
# degrees of freedom by this factor at most: simulated for 4 to 39 others and probabilities from 1e-2 to 1e-5.
MAD_OVER_T = 1.3

# A measured value with its interval. Center, spread: the median and the scaled MAD of all other values of its group.
Value = namedtuple("Value", "value low high")
Far = namedtuple("Far", "index center spread")


def far_values(values, tests, floor=0):
    """Returns a Far for each of the group's values that is far from the others.

    `values`: five at least. `tests`: how many values of the fleet are tested. `floor`: no smaller distance is far.
    A value is far if it is more than 6 scaled MADs and more than 3 % from the median of the others, and its interval
    ends before the middle half of the others begins, or begins behind it. In a small group, or a large fleet, the
    6 become as many as keep the chance of any false one in the fleet below one in twenty (Boole's inequality).
    """
    whole = median(one.value for one in values)
    found = []
    for index, one in enumerate(values):
        if abs(one.value - whole) <= SHARE_LEAST / 2 * abs(whole):  # most are: this saves the others' order
            continue
        others = sorted(other.value for place, other in enumerate(values) if place != index)
        center = median(others)
        spread = scaled_mad(others, center)
        low, high = middle_half(others)
        distance = abs(one.value - center)
        if (distance > max(SHARE_LEAST * abs(center), spreads_by_chance(len(others), tests) * spread, floor)
                and (one.low > high or one.high < low)):
            found.append(Far(index, center, spread))
    return found


def scaled_mad(values, center):
    count = len(values)
    factor = OF_FEW[count] if count < len(OF_FEW) else count / (count - 0.8)
    return MAD_TO_DEVIATION * factor * median(abs(value - center) for value in values)


def middle_half(ordered):
    """Returns the quartiles of values in their order, each one of the values."""
    cut = len(ordered) // 4
    return ordered[cut], ordered[-1 - cut]


@lru_cache(maxsize=None)
def spreads_by_chance(others, tests):
    """Returns how many scaled MADs one of `tests` values of equal machines may be off, in 19 of 20 fleets."""
    low, high = 0.0, 1e6
    while high - low > 1e-3 * low:
        middle = (low + high) / 2
        low, high = (middle, high) if tests * t_tail(middle, others // 2) > FALSE_FLEETS else (low, middle)
    return max(SPREADS_LEAST, MAD_OVER_T * high)


def t_tail(t, degrees):
    """Returns the probability that Student's t with so many degrees of freedom is not within -t to t.

    Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4.
    """
    angle, is_odd = math.atan(t / math.sqrt(degrees)), degrees % 2
    term, total = math.cos(angle) if is_odd else 1.0, 0.0
    for step in range(2 + is_odd, degrees + 1, 2):
        total += term
        term *= math.cos(angle) ** 2 * (step - 1) / step
    inside = math.sin(angle) * total
    return 1 - (2 / math.pi * (angle + inside) if is_odd else inside)
