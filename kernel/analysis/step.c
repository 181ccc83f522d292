/* step: two straight pieces from running sums, for every split. */
#include "step.h"

/* Sums over some points, relative to the curve's first point to keep their digits. */
struct sums {
    double n, x, y, xx, xy, yy;
};

static void add(struct sums *s, double x, double y, double sign)
{
    s->n += sign;
    s->x += sign * x;
    s->y += sign * y;
    s->xx += sign * x * x;
    s->xy += sign * x * y;
    s->yy += sign * y * y;
}

static struct line line_of(const struct sums *s)
{
    double spread = s->xx - s->x * s->x / s->n;
    double slope = spread > 1e-9 ? (s->xy - s->x * s->y / s->n) / spread : 0;
    return (struct line){(s->y - slope * s->x) / s->n, slope};
}

static double squared_error(const struct sums *s)
{
    struct line l = line_of(s);
    double spread_x = s->xx - s->x * s->x / s->n, spread_y = s->yy - s->y * s->y / s->n;
    double error = spread_y - l.slope * l.slope * spread_x;
    return error > 0 ? error : 0;
}

double line_at(struct line line, double x)
{
    return line.offset + line.slope * x;
}

/* A line around the origin (x0, y0) as one around (0, 0). */
static struct line moved(struct line line, double x0, double y0)
{
    line.offset += y0 - line.slope * x0;
    return line;
}

struct line line_fit(const double *x, const double *y, size_t count)
{
    struct sums s = {0};
    for (size_t i = 0; i < count; i++)
        add(&s, x[i] - x[0], y[i] - y[0], 1);
    return moved(line_of(&s), x[0], y[0]);
}

struct step step_fit(const double *x, const double *y, size_t count, size_t side)
{
    struct step best = {0};
    struct sums left = {0}, right = {0};
    double least = 0;
    if (count < 2 * side)
        return best;
    for (size_t i = 0; i < count; i++)
        add(&right, x[i] - x[0], y[i] - y[0], 1);
    for (size_t split = 1; split + side <= count; split++) {
        add(&left, x[split - 1] - x[0], y[split - 1] - y[0], 1);
        add(&right, x[split - 1] - x[0], y[split - 1] - y[0], -1);
        double error = squared_error(&left) + squared_error(&right);
        if (split < side || (best.first_high != 0 && error >= least))
            continue;
        least = error;
        best.first_high = split;
        best.low = moved(line_of(&left), x[0], y[0]);
        best.high = moved(line_of(&right), x[0], y[0]);
    }
    best.residual = __builtin_sqrt(least / (double)count);
    best.jump = line_at(best.high, x[best.first_high]) - line_at(best.low, x[best.first_high]);
    return best;
}
