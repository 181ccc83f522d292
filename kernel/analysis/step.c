/* step: two straight pieces from running sums, for every split. */
#include "step.h"

static double squared_error(const struct line_sums *s)
{
    double slope = line_slope(s);
    double spread_x = s->xx - s->x * s->x / s->n, spread_y = s->yy - s->y * s->y / s->n;
    double error = spread_y - slope * slope * spread_x;
    return error > 0 ? error : 0;
}

struct step step_fit(const double *x, const double *y, size_t count, size_t side)
{
    struct step best = {0};
    struct line_sums left = {0}, right = {0};
    double least = 0;
    if (count < 2 * side)
        return best;
    for (size_t i = 0; i < count; i++)
        line_sums_add(&right, x[i] - x[0], y[i] - y[0], 1);
    for (size_t split = 1; split + side <= count; split++) {
        line_sums_add(&left, x[split - 1] - x[0], y[split - 1] - y[0], 1);
        line_sums_add(&right, x[split - 1] - x[0], y[split - 1] - y[0], -1);
        double error = squared_error(&left) + squared_error(&right);
        if (split < side || (best.first_high != 0 && error >= least))
            continue;
        least = error;
        best.first_high = split;
        best.low = line_moved(line_of_sums(&left), x[0], y[0]);
        best.high = line_moved(line_of_sums(&right), x[0], y[0]);
    }
    best.residual = __builtin_sqrt(least / (double)count);
    best.jump = line_at(best.high, x[best.first_high]) - line_at(best.low, x[best.first_high]);
    return best;
}
