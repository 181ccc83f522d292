/* step: the best fit of two straight pieces to a curve, with a jump between them. */
#ifndef MLPBOOT_ANALYSIS_STEP_H
#define MLPBOOT_ANALYSIS_STEP_H

#include "line.h"

struct step {
    size_t first_high; /* index of the first point of the second piece; 0: no fit possible */
    struct line low, high;
    double residual; /* standard deviation of the points around their pieces */
    double jump;     /* from the first piece to the second, at the first point of the second */
};

/* Fits every split with at least `side` >= 1 points on either side (two-phase regression, Hinkley
 * 1971). x must rise. Fewer than 2 * side points: no fit. Takes time in proportion to the count. */
struct step step_fit(const double *x, const double *y, size_t count, size_t side);

#endif
