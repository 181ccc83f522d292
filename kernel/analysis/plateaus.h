/* plateaus: the levels of a curve that rises in steps over a logarithmic x. */
#ifndef MLPBOOT_ANALYSIS_PLATEAUS_H
#define MLPBOOT_ANALYSIS_PLATEAUS_H

#include <stdbool.h>

#include "curve.h"

#define PLATEAUS_MAX 6

struct plateau {
    size_t first, last; /* indices of the curve's points */
    size_t core;        /* the first point well past the border; `first` if there is none */
    /* The median from the core on, each point weighted by its share of log x. Its interval: the
     * deciles (of few points, the extremes) and the points' error; not empty, not below 0. */
    double level, low, high;
    bool uneven; /* many points are far from the median: hardly one level */
};

struct plateaus {
    size_t count; /* 0 without points */
    struct plateau at[PLATEAUS_MAX];
};

#define PLATEAUS_LEAST_RISE 1.7 /* from a level to the next */

/*
 * Finds the most levels that the curve supports. For each number of levels, fits them to log y by
 * least squares over every way to cut the curve (dynamic programming: Bellman, "On the
 * approximation of curves by line segments using dynamic programming", 1961). A number of levels is
 * supported if all but the last span a factor of two in x, each is PLATEAUS_LEAST_RISE times the
 * one before, and much of that rise is near the border: a slow slope is no level. Then moves each
 * border to where y leaves the lower level. x rises; y at or below 0 count as very small. Takes
 * time proportional to the square of the count, and 100 KB of stack.
 */
void plateaus_find(const struct curve *curve, struct plateaus *plateaus);

/* Returns how far y is on its way from one level to another, in logarithms: 0 to 1, and beyond. */
double plateaus_way(double y, double from, double to);

#endif
