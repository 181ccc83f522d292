/* cliff: where a curve jumps from one straight piece to another, and whether to believe it. */
#ifndef MLPBOOT_ANALYSIS_CLIFF_H
#define MLPBOOT_ANALYSIS_CLIFF_H

#include <stdbool.h>

#include "curve.h"

enum cliff_answer {
    CLIFF_TOO_FEW, /* points to look */
    CLIFF_NONE,    /* y does not rise by a twentieth at any x, or is not above 0 */
    CLIFF_UNCLEAR, /* the points scatter too much around any two straight pieces */
    CLIFF_FOUND
};

struct cliff {
    enum cliff_answer answer;
    size_t points;
    /* With CLIFF_FOUND: */
    int64_t last_low, first_high; /* neighbouring x around the jump */
    int64_t low, high;            /* 95 % interval of first_high by resampling */
    double before;                /* y where the first piece would be at first_high */
    struct interval beyond;       /* y just beyond the jump */
};

/* x is whole numbers. `drawn` is workspace for CURVE_MAX values. Pure: the same curve, the same
 * answer. */
void cliff_find(const struct curve *curve, double *drawn, struct cliff *cliff);

/* Whether the interval of a cliff that was found is narrow: a wide one is a doubt of its own. */
bool cliff_is_placed(const struct cliff *cliff);

/*
 * The same from fewer points and without the interval by resampling: for deciding what to measure
 * next.
 */
void cliff_locate(const struct curve *curve, struct cliff *cliff);

#endif
