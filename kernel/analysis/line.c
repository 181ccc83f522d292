/* line: by running sums. */
#include "line.h"

#include "moments.h"
#include "statistics.h"

struct line line_of_slope(const struct line_sums *s, double slope, double x0, double y0)
{
    return (struct line){(s->y - slope * s->x) / s->n + (y0 - slope * x0), slope};
}

double line_sums_squares(const struct line_sums *s, double slope)
{
    double xx = s->xx - s->x * s->x / s->n, xy = s->xy - s->x * s->y / s->n;
    double squares = s->yy - s->y * s->y / s->n + slope * (slope * xx - 2 * xy);
    return squares > 0 ? squares : 0;
}

double line_at(struct line line, double x)
{
    return line.offset + line.slope * x;
}

double line_squares(struct line line, const double *x, const double *y, size_t count)
{
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        double off = y[i] - line_at(line, x[i]);
        squares += off * off;
    }
    return squares;
}

struct line line_fit(const double *x, const double *y, size_t count)
{
    struct line_sums s = {0};
    for (size_t i = 0; i < count; i++)
        line_sums_add(&s, x[i] - x[0], y[i] - y[0], 1);
    return line_of_slope(&s, line_slope(&s), x[0], y[0]);
}

struct regression line_regress(const double *x, const double *y, size_t count)
{
    struct regression fit = {.line = line_fit(x, y, count)};
    struct moments all = {.count = 0};
    double n = (double)count, square_x = 0;
    for (size_t i = 0; i < count; i++) {
        moments_add(&all, x[i]);
        square_x += x[i] * x[i];
    }
    fit.residual = __builtin_sqrt(line_squares(fit.line, x, y, count) / (n - 2));
    fit.slope_half_width = student_95(n - 2) * fit.residual / __builtin_sqrt(all.squares);
    fit.offset_half_width = fit.slope_half_width * __builtin_sqrt(square_x / n);
    return fit;
}
