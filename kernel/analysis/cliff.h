/* cliff: where the time of N = 2 jumps, since the second load no longer fits beside the first. */
#ifndef MLPBOOT_ANALYSIS_CLIFF_H
#define MLPBOOT_ANALYSIS_CLIFF_H

#include <stdbool.h>

#include "curve.h"

struct cliff {
    bool found;
    const char *doubt; /* why not, where `measured` and not found */
    bool measured;     /* there are points enough to look */
    size_t points;
    int64_t last_low_k; /* neighbouring measured values of K around the jump */
    int64_t first_high_k;
    int64_t low_k, high_k;      /* 95 % interval of first_high_k by resampling */
    struct interval sequential; /* the time just beyond the jump: two loads, one after the other */
};

/* Fits the curve of N = 2 of one case; `rows` in any order. Pure: the same rows, the same answer.
 */
void cliff_find(const struct row *rows, size_t count, struct cliff *cliff);

/* Whether the interval of a cliff that was found is narrow: a wide one is a doubt of its own. */
bool cliff_is_placed(const struct cliff *cliff);

/*
 * The same from fewer points and without the interval by resampling: for deciding what to measure
 * next.
 */
void cliff_locate(const struct row *rows, size_t count, struct cliff *cliff);

#endif
