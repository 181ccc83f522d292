/* plateaus: the levels of a curve that rises in steps over a logarithmic x. */
#ifndef MLPBOOT_ANALYSIS_PLATEAUS_H
#define MLPBOOT_ANALYSIS_PLATEAUS_H

#include <stdbool.h>

#include "curve.h"

#define PLATEAUS_MAX 6

struct plateau {
    size_t first, last; /* indices of the curve's points */
    size_t core;        /* the first that is well past the border; `first` where none is */
    /*
     * Median from the core on, each point counting by its share of log x; and its interval: the
     * deciles, which of few points are the first and the last, farther apart by what the points do
     * not know of themselves. Never without width, nor below 0.
     */
    double level, low, high;
    bool uneven; /* too much of it is far from its median: hardly one level */
};

struct plateaus {
    size_t count; /* 0 without points */
    struct plateau at[PLATEAUS_MAX];
};

/* Some 100 KB of the caller's, which need not be set to anything. */
struct plateaus_workspace {
    /* Sums over the points before each one, of weight, and of weight * log y. */
    double weights[CURVE_MAX + 1], sums[CURVE_MAX + 1];
    double best[2][CURVE_MAX + 1];
    uint16_t cut[PLATEAUS_MAX][CURVE_MAX + 1]; /* [k][j]: where level k of 0..j starts */
    uint16_t order[CURVE_MAX];
};

#define PLATEAUS_LEAST_RISE 1.7 /* from a level to the next */

/*
 * The most levels that the curve supports. For each number of them, levels are fitted to log y by
 * least squares over every way to cut the curve (dynamic programming: Bellman, "On the
 * approximation of curves by line segments using dynamic programming", 1961). A number of levels is
 * supported where all but the last reach over a factor of two in x, each is PLATEAUS_LEAST_RISE
 * times the one before, and much of that rise happens around the border: a slow slope is no level.
 * Then each border is moved to where y leaves the lower level. x rises; y that are not above 0
 * count as very small. Takes time in proportion to the square of the count.
 */
void plateaus_find(const struct curve *curve, struct plateaus_workspace *memory,
                   struct plateaus *plateaus);

/* How far y is on its way from a level to another, in logarithms: 0 to 1, and beyond. */
double plateaus_way(double y, double from, double to);

#endif
