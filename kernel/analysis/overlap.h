/* overlap: how many loads run side by side, from time over N. */
#ifndef MLPBOOT_ANALYSIS_OVERLAP_H
#define MLPBOOT_ANALYSIS_OVERLAP_H

#include "cliff.h"

#define OVERLAP_OPEN INT64_MAX /* no N was large enough to close the interval */

struct overlap {
    size_t points; /* values of N */
    int64_t largest_n;
    bool reached; /* some N reaches the time of two sequential loads */
    bool jumped;  /* and time jumps at that N */
    bool gap;     /* N just below was not measured */
    bool fast;    /* loads scatter: all this is read off the fastest tenth, not the medians */
    bool sure;    /* a jump, or an interval of a few N */
    int64_t mlp, low, high;
    int64_t below_n;      /* the largest measured N that is still faster */
    struct interval time; /* of N = mlp + 1 */
    int64_t buffers; /* the last N before time jumps or bends upwards; 0 where it does neither */
    bool buffers_jump;
};

/*
 * C of the published rule is the time beyond the cliff; without one only `buffers` is looked for.
 * `rows` of one case.
 */
void overlap_find(const struct row *rows, size_t count, const struct cliff *cliff,
                  struct overlap *overlap);

#endif
