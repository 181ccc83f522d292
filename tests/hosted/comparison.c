/* comparison: two intervals become that of a difference, which is looked at from 0 and from 5 %. */
#include "comparison.h"

#include <math.h>

#include "../../kernel/analysis/equality.h"

const char *comparison_name(enum comparison_outcome outcome)
{
    static const char *const names[] = {"same", "different", "cannot be told apart"};

    return names[outcome];
}

/* A comparison with NAN is false. */
bool comparison_has_interval(const struct compared *compared)
{
    return compared->low <= compared->value && compared->value <= compared->high;
}

bool comparison_can(const struct compared *a, const struct compared *b)
{
    return a->status == VERDICT_OK && b->status == VERDICT_OK && comparison_has_interval(a) &&
           comparison_has_interval(b);
}

struct comparison compare_values(const struct compared *a, const struct compared *b,
                                 size_t comparisons)
{
    struct comparison c = {COMPARISON_OPEN, b->value - a->value, NAN, NAN};

    if (!comparison_can(a, b))
        return c;
    double wider = reach_of_all((unsigned)comparisons) / NORMAL_95;
    double margin = COMPARISON_MARGIN * fmin(fabs(a->value), fabs(b->value));
    c.low = c.difference - wider * hypot(b->value - b->low, a->high - a->value);
    c.high = c.difference + wider * hypot(b->high - b->value, a->value - a->low);
    if (c.low > COMPARISON_ROUNDING || c.high < -COMPARISON_ROUNDING)
        c.outcome = COMPARISON_DIFFERENT;
    else if (c.low >= -margin && c.high <= margin)
        c.outcome = COMPARISON_SAME;
    return c;
}
