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
    int64_t low, high;            /* 95 % interval of first_high by likelihood */
    double before;                /* y where the first piece would be at first_high */
    struct interval beyond;       /* y just beyond the jump */
};

/*
 * Finds the jump of a curve whose x are whole numbers, by the likelihood of every split into two
 * straight pieces with two points at least. A point counts by its own error and by the scatter
 * around the best unweighted split, which also holds what its own error does not know of. The same
 * curve has the same answer.
 */
void cliff_find(const struct curve *curve, struct cliff *cliff);

/* Finds the first jump by `least` or more: the one that the fewest of the first points show. */
void cliff_find_first(const struct curve *curve, double least, struct cliff *cliff);

/* True if the interval of first_high is narrow enough for an answer. */
bool cliff_is_placed(const struct cliff *cliff);

/* Returns first_high with its interval, and `more` added. */
struct interval cliff_size(const struct cliff *cliff, int more);

/* Returns the y half way up the jump. */
double cliff_middle(const struct cliff *cliff);

#endif
