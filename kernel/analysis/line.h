/* line: the least-squares line through points, and how far it is to be trusted. */
#ifndef MLPBOOT_ANALYSIS_LINE_H
#define MLPBOOT_ANALYSIS_LINE_H

#include <stddef.h>

struct line {
    double offset, slope; /* y = offset + slope * x */
};

double line_at(struct line line, double x);

/* The sum of the squares by which points are off a line. */
double line_squares(struct line line, const double *x, const double *y, size_t count);

/* The least-squares line; through the mean, level, where all x are the same. `count` at least 1. */
struct line line_fit(const double *x, const double *y, size_t count);

/* Sums over some points, relative to one of them to keep their digits. Starts as zeroes. */
struct line_sums {
    double n, x, y, xx, xy, yy;
};

/* `sign` 1 adds a point, -1 takes it out again. */
static inline void line_sums_add(struct line_sums *s, double x, double y, double sign)
{
    s->n += sign;
    s->x += sign * x;
    s->y += sign * y;
    s->xx += sign * x * x;
    s->xy += sign * x * y;
    s->yy += sign * y * y;
}

/* The least-squares line's slope; at least one point. */
static inline double line_slope(const struct line_sums *s)
{
    double spread = s->xx - s->x * s->x / s->n;
    return spread > 1e-9 ? (s->xy - s->x * s->y / s->n) / spread : 0;
}

/* The line itself. */
struct line line_of_sums(const struct line_sums *sums);

/* A line around the origin (x0, y0) as one around (0, 0). */
struct line line_moved(struct line line, double x0, double y0);

/* A line, the points' standard deviation around it, and 95 % of slope and offset to either side. */
struct regression {
    struct line line;
    double residual, slope_reach, offset_reach;
};

/*
 * Standard errors of a regression line: Draper and Smith, Applied Regression Analysis, 1.4. At
 * least three points, not all with the same x.
 */
struct regression line_regress(const double *x, const double *y, size_t count);

#endif
