/* interval: errors of both sides, added by squares. */
#include "interval.h"

#include "statistics.h"

static double root_of_squares(double a, double b)
{
    return __builtin_sqrt(a * a + b * b);
}

static struct interval not_below_zero(struct interval a)
{
    if (a.value > 0 && a.low < 0)
        a.low = 0;
    return a;
}

struct interval interval_around(double value, double half_width)
{
    return not_below_zero((struct interval){value, value - half_width, value + half_width});
}

struct interval interval_add(struct interval a, struct interval b)
{
    double value = a.value + b.value;
    return (struct interval){value, value - root_of_squares(a.value - a.low, b.value - b.low),
                             value + root_of_squares(a.high - a.value, b.high - b.value)};
}

struct interval interval_subtract(struct interval a, struct interval b)
{
    return interval_add(a, interval_scale(b, -1));
}

struct interval interval_scale(struct interval a, double factor)
{
    double low = a.low * factor, high = a.high * factor;
    return factor < 0 ? (struct interval){a.value * factor, high, low}
                      : (struct interval){a.value * factor, low, high};
}

struct interval interval_divide(struct interval a, struct interval b)
{
    double value = a.value / b.value;
    struct interval share = interval_scale(b, 1 / b.value); /* of b, around 1 */
    struct interval by_a = interval_scale(a, 1 / b.value);
    struct interval inverse = share.low > 0 ? (struct interval){1, 1 / share.high, 1 / share.low}
                                            : (struct interval){1, 2 - share.high, 2 - share.low};
    struct interval by_b = interval_scale(inverse, value);
    struct interval quotient = {value, value - root_of_squares(value - by_a.low, value - by_b.low),
                                value + root_of_squares(by_a.high - value, by_b.high - value)};
    return a.low < 0 ? quotient : not_below_zero(quotient);
}

struct interval interval_widen(struct interval a, double half_width)
{
    a.low = a.value - root_of_squares(a.value - a.low, half_width);
    a.high = a.value + root_of_squares(a.high - a.value, half_width);
    return not_below_zero(a);
}

struct interval interval_at_least(struct interval a, double half_width)
{
    a.low = smaller(a.value - half_width, a.low); /* which may be NAN, and is so then */
    a.high = larger(a.value + half_width, a.high);
    return a;
}

double interval_half_width(struct interval a)
{
    return (a.high - a.low) / 2;
}
