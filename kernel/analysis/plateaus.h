/* plateaus: the levels of a curve that rises in steps over a logarithmic x. */
#ifndef MLPBOOT_ANALYSIS_PLATEAUS_H
#define MLPBOOT_ANALYSIS_PLATEAUS_H

#include <stdbool.h>

#include "curve.h"

#define PLATEAUS_MAX 6

struct plateau {
    size_t first, last; /* indices of the curve's points */
    size_t core;        /* the first point well past the border; `first` if absent */
    double level;       /* the median from the core on, each point weighted by its share of log x */
    bool stepped;       /* two flat parts, one above the other: two levels close to each other */
};

/* The part of a level that varies least: points `first` to `last`. */
struct plateau_flat {
    size_t first, last;
};

struct plateaus {
    size_t count; /* 0 without points */
    struct plateau at[PLATEAUS_MAX];
};

#define PLATEAUS_LEAST_RISE 1.4 /* from the octave before a border to the one behind it */
#define PLATEAUS_PART_RISE 1.15 /* from a flat part of a level to a higher one */
#define PLATEAUS_PAST 2.5 /* times an x: well past it; random replacement hits below 1 in 10 */

/*
 * Finds the most levels that the curve supports. For each number of levels, fits them to log y by
 * least squares over every way to cut the curve (dynamic programming: Bellman, "On the
 * approximation of curves by line segments using dynamic programming", 1961). A number of levels is
 * supported if all but the last span a factor of two in x, each is `rise` times the one before
 * (less makes the lower one `stepped`), and PLATEAUS_LEAST_RISE of it is near the border: a slow
 * slope is no level. Then moves each border to where y leaves the lower level. x rises; y at or
 * below 0 count as very small. Takes time proportional to the square of the count, and 100 KB of
 * stack.
 */
void plateaus_find(const struct curve *curve, double rise, struct plateaus *plateaus);

/*
 * Returns the flat part of a level: the first piece of its core that spans a factor of two in x and
 * whose values agree within 2 % and are each known as well, or else 4, 8 and so on; all of the core
 * if none does. The curve may be another one with the same x.
 */
struct plateau_flat plateaus_flat(const struct curve *curve, const struct plateau *plateau);

/*
 * Returns whether that part shows a plateau, and no slope: it spans a factor of two, or is in a
 * piece of the level that spans 1.4 and whose values agree within 2 %; or begins or ends in one.
 */
bool plateaus_shows(const struct curve *curve, const struct plateau *plateau,
                    struct plateau_flat flat);

/* Returns the longest piece of a level's core, by the quotient of its ends in x, whose values agree
 * within `share`, 0.2 for a fifth; the first of several. One point at least. */
struct plateau_flat plateaus_longest(const struct curve *curve, const struct plateau *plateau,
                                     double share);

/* Returns the median of such points, weighted likewise, of two their mean, and as interval from the
 * least of them to the largest, and on either side their error, which counts as at least that share
 * of the median.
 */
struct interval plateaus_level(const struct curve *curve, struct plateau_flat flat,
                               double least_error);

/* Returns how far y is on its way from one level to another, in logarithms: 0 to 1, and beyond. */
double plateaus_way(double y, double from, double to);

#endif
