/* step: the best fit of two constant levels to a curve. */
#ifndef MLPBOOT_ANALYSIS_STEP_H
#define MLPBOOT_ANALYSIS_STEP_H

#include <stddef.h>

struct step {
    size_t first_high;      /* index of the first point of the second level; 0: no fit possible */
    double low, high;       /* the two levels */
    double low_sd, high_sd; /* standard deviation of the points around them */
    double explained;       /* share of the curve's variance that the step explains, 0 to 1 */
};

/*
 * Least squares over every split that leaves at least one point on either side (the change-point of
 * Hinkley 1970, for known order). `y` is in the order of the curve; fewer than two points: no fit.
 */
struct step step_fit(const double *y, size_t count);

#endif
