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
    bool jumped;  /* and time jumps at that N */
    bool gap;     /* N just below was not measured */
    bool sure;    /* a jump, or an interval of a few N */
    int64_t mlp, low, high;
    int64_t below_n;      /* the largest measured N that is still faster */
    struct interval time; /* of N = mlp + 1 */
    int64_t buffers;      /* the last N before time jumps or bends upwards; 0: it does neither */
    bool buffers_jump;
};

/*
 * `curve` is time over N, and `sequential` the time of two loads one after the other, the C of the
 * published rule; without one, NULL, only `buffers` is looked for. `fast`: loads scatter, and both
 * are of the fastest tenth, not of medians; chance makes steps there too.
 */
void overlap_find(const struct curve *curve, const struct interval *sequential, bool fast,
                  struct overlap *overlap);

/* The level of a curve from `first_x` on, by a line through it; some point is as far as that. */
struct interval overlap_level_from(const struct curve *curve, double first_x);

#endif
