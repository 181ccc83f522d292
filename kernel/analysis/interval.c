/* interval: errors of both sides, added by squares. */
#include "interval.h"

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
    struct interval above = interval_scale(a, 1 / a.value), below = interval_scale(b, 1 / b.value);
    double less = root_of_squares(1 - above.low, below.high - 1);
    double more = root_of_squares(above.high - 1, 1 - below.low);
    struct interval quotient = interval_scale((struct interval){1, 1 - less, 1 + more}, value);
    return a.low < 0 ? quotient : not_below_zero(quotient);
}

struct interval interval_widen(struct interval a, double half_width)
{
    a.low = a.value - root_of_squares(a.value - a.low, half_width);
    a.high = a.value + root_of_squares(a.high - a.value, half_width);
    return not_below_zero(a);
}

double interval_half_width(struct interval a)
{
    return (a.high - a.low) / 2;
}
