/* gaps: sorts each gap into its decade, and there by its three leading digits. */
#include "gaps.h"

#include "../lib/string.h"

#define LEAST_DIGITS 100 /* of the three */

/* A step's width in nanoseconds. */
static double step_of(unsigned exponent)
{
    double width = 10.0 / LEAST_DIGITS;
    for (unsigned i = GAPS_FIRST_DECADE; i < exponent; i++)
        width *= 10;
    return width;
}

void gaps_clear(struct gaps *gaps)
{
    memset(gaps, 0, sizeof *gaps);
}

void gaps_add(struct gaps *gaps, double ns)
{
    unsigned exponent = GAPS_FIRST_DECADE;
    double width = step_of(exponent);
    for (; exponent < GAPS_LAST_DECADE && ns >= 10 * LEAST_DIGITS * width; exponent++)
        width *= 10;
    struct gap_decade *decade = &gaps->decade[exponent - GAPS_FIRST_DECADE];
    double digits = ns / width - LEAST_DIGITS;
    unsigned step = digits <= 0 ? 0 : digits >= GAPS_STEPS ? GAPS_STEPS - 1 : (unsigned)digits;
    decade->step[step]++;
    decade->min = decade->count == 0 || ns < decade->min ? ns : decade->min;
    decade->max = decade->count == 0 || ns > decade->max ? ns : decade->max;
    decade->sum += ns;
    decade->count++;
}

double gaps_percentile(const struct gap_decade *decade, unsigned exponent, unsigned percent)
{
    uint64_t rank = (decade->count * percent + 99) / 100, passed = 0;
    unsigned step = 0;
    if (decade->count == 0)
        return __builtin_nan("");
    rank = rank > 0 ? rank : 1;
    while (step < GAPS_STEPS - 1 && (passed += decade->step[step]) < rank)
        step++;
    double ns = (LEAST_DIGITS + step + 0.5) * step_of(exponent);
    return ns < decade->min ? decade->min : ns > decade->max ? decade->max : ns;
}
