/* overlap: how many loads run side by side, from time over N. */
#ifndef MLPBOOT_ANALYSIS_OVERLAP_H
#define MLPBOOT_ANALYSIS_OVERLAP_H

#include <stdbool.h>

#include "curve.h"

#define OVERLAP_OPEN INT64_MAX /* no N was large enough to close the interval */

struct overlap {
    size_t points; /* values of N */
    int64_t largest_n;
    bool reached; /* some N reaches the time of two sequential loads */
    bool gap;     /* N just below was not measured */
    bool sure;    /* the interval spans a few N */
    int64_t mlp, low, high;
    int64_t below_n;      /* the largest measured N that is still faster */
    struct interval time; /* of N = mlp + 1 */
};

/*
 * `curve` is time over N, and `sequential` the time of two loads one after the other, the C of the
 * published rule, of the same statistic. What the errors of both leave open is the interval.
 */
void overlap_find(const struct curve *curve, const struct interval *sequential,
                  struct overlap *overlap);

/*
 * The last N before time jumps by a quarter of one load's, much more than it rises from one N to
 * the next before; 0: it does not. `fastest` is a low quantile over N: of many loads the slowest
 * counts, so that centres rise with N though nothing is full, but those samples had no slow load.
 */
int64_t overlap_jump(const struct curve *fastest);

/* The level of a curve from `first_x` on, by a line through it; some point is as far as that. */
struct interval overlap_level_from(const struct curve *curve, double first_x);

/*
 * By how much time rises with each load, from the first N to the last, and its 95 % interval: by
 * the errors of those, and by how far the others are off. False: there are not even two.
 */
bool overlap_slope(const struct curve *curve, struct interval *slope);

#endif
