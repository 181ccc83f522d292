/* overlap: how many loads run in parallel, from time over N. */
#ifndef MLPBOOT_ANALYSIS_OVERLAP_H
#define MLPBOOT_ANALYSIS_OVERLAP_H

#include <stdbool.h>

#include "curve.h"

#define OVERLAP_OPEN INT64_MAX /* no N was large enough to close the interval */

struct overlap {
    int64_t largest_n;
    bool reached; /* some N reaches the time of two serialized loads */
    bool gap;     /* the N just below was not measured */
    bool sure;    /* the interval spans only a few N */
    int64_t mlp, low, high;
    int64_t below_n;      /* the largest measured N that is still faster */
    struct interval time; /* of N = mlp + 1 */
};

/*
 * Finds the first N of `curve`, time over N, that reaches `sequential`, the time of two serialized
 * loads, the C of the published rule, by the same statistic. The errors of both make the interval.
 */
void overlap_find(const struct curve *curve, const struct interval *sequential,
                  struct overlap *overlap);

/* Returns the level of a curve from `first_x` on, by a line; some point is as far as that. The
 * interval of a line that falls reaches down to its end. */
struct interval overlap_level_from(const struct curve *curve, double first_x);

/*
 * Tells by how much time rises with each load, from the first N to the last. The 95 % interval is
 * of the errors of those two, and as much as the other points are off the line: a bend is no random
 * error, and adds in full. False: there are not two points.
 */
bool overlap_slope(const struct curve *curve, struct interval *slope);

#endif
