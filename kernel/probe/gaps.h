/* gaps: a histogram of interruptions by decade of nanoseconds. */
#ifndef MLPBOOT_PROBE_GAPS_H
#define MLPBOOT_PROBE_GAPS_H

#include <stdint.h>

#define GAPS_FIRST_DECADE 1 /* 10 ns up to 100 ns; it takes what is shorter, too */
#define GAPS_LAST_DECADE 9  /* 1 s and longer */
#define GAPS_DECADES (GAPS_LAST_DECADE - GAPS_FIRST_DECADE + 1)
#define GAPS_STEPS 900 /* in a decade: three leading digits, 100 to 999 */

/* The gaps of one decade; all but `step` is exact. Times in nanoseconds. */
struct gap_decade {
    uint64_t count;
    double sum, min, max;      /* of no meaning while count is 0 */
    uint32_t step[GAPS_STEPS]; /* gaps by their three leading digits */
};

/* Some 33 KB, however many gaps there are: a workspace, not for a stack. */
struct gaps {
    struct gap_decade decade[GAPS_DECADES];
};

void gaps_clear(struct gaps *gaps);

/* Adds a gap of more than 0 ns. */
void gaps_add(struct gaps *gaps, double ns);

/*
 * The gap of rank ceil(percent * count / 100), at least the first, to three digits and within min
 * and max; percent is 0 to 100. NAN if absent.
 */
double gaps_percentile(const struct gap_decade *decade, unsigned exponent, unsigned percent);

/* Gaps from 10^exponent ns up, exponent GAPS_FIRST_DECADE to GAPS_LAST_DECADE. */
static inline const struct gap_decade *gaps_decade(const struct gaps *gaps, unsigned exponent)
{
    return &gaps->decade[exponent - GAPS_FIRST_DECADE];
}

#endif
