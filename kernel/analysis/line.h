/* line: the least-squares line through points, and its standard errors. */
#ifndef MLPBOOT_ANALYSIS_LINE_H
#define MLPBOOT_ANALYSIS_LINE_H

#include <stddef.h>

struct line {
    double offset, slope; /* y = offset + slope * x */
};

double line_at(struct line line, double x);

/* Returns the sum of the points' squared distances from a line. */
double line_squares(struct line line, const double *x, const double *y, size_t count);

/* Fits at least one point; where all x are the same, the line is level. */
struct line line_fit(const double *x, const double *y, size_t count);

/* Sums over points, relative to an origin among them to keep their digits. Starts as zeroes. */
struct line_sums {
    double n, x, y, xx, xy, yy; /* n: of the weights */
};

/* Adds a point of that weight; with the weight's negative, takes it out again. */
static inline void line_sums_add(struct line_sums *s, double x, double y, double weight)
{
    s->n += weight;
    s->x += weight * x;
    s->y += weight * y;
    s->xx += weight * x * x;
    s->xy += weight * x * y;
    s->yy += weight * y * y;
}

/* Returns the least-squares line's slope; at least one point. */
static inline double line_slope(const struct line_sums *s)
{
    double spread = s->xx - s->x * s->x / s->n;
    return spread > 1e-9 ? (s->xy - s->x * s->y / s->n) / spread : 0;
}

/* Returns the best line of that slope, (x0, y0) being the sums' origin, and the points' squared
 * distances from it by weight. */
struct line line_of_slope(const struct line_sums *sums, double slope, double x0, double y0);
double line_sums_squares(const struct line_sums *sums, double slope);

/* A line, the deviation around it, and its slope's and offset's 95 % half widths (Student's t). */
struct regression {
    struct line line;
    double residual, slope_half_width, offset_half_width;
};

/* Regresses FEWEST_POINTS or more, not all of the same x (Draper and Smith, Applied Regression
 * Analysis, 1.4). */
struct regression line_regress(const double *x, const double *y, size_t count);

#endif
