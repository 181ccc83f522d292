/* chain: a straight line through times over n. */
#include "chain.h"

#include "../lib/string.h"
#include "curve.h"
#include "step.h"
#include "verdict.h"

#define LEAST_POINTS 3
#define LARGEST_RESIDUAL 0.1 /* of the slope: more is no straight line */

bool chain_is(const char *variant)
{
    size_t length = strlen(variant), suffix = sizeof CHAIN_SUFFIX - 1;
    return length >= suffix && strcmp(variant + length - suffix, CHAIN_SUFFIX) == 0;
}

struct fit {
    struct line line;
    double residual, slope_reach, offset_reach;
};

/* Standard errors of a regression line: Draper and Smith, Applied Regression Analysis, 1.4. */
static struct fit fit_line(const struct curve *curve)
{
    struct fit fit = {.line = line_fit(curve->x, curve->y, curve->count)};
    double n = (double)curve->count, squares = 0, mean = 0, spread = 0, square_x = 0;
    for (size_t i = 0; i < curve->count; i++) {
        double off = curve->y[i] - line_at(fit.line, curve->x[i]);
        squares += off * off;
        mean += curve->x[i] / n;
        square_x += curve->x[i] * curve->x[i];
    }
    for (size_t i = 0; i < curve->count; i++)
        spread += (curve->x[i] - mean) * (curve->x[i] - mean);
    fit.residual = __builtin_sqrt(squares / (n - 2));
    fit.slope_reach = 1.96 * fit.residual / __builtin_sqrt(spread);
    fit.offset_reach = fit.slope_reach * __builtin_sqrt(square_x / n);
    return fit;
}

void chain_judge(const struct row *rows, size_t count, struct verdict_list *verdicts)
{
    static struct curve curve; /* too large for a firmware's stack */
    const char *of = rows->experiment, *variant = rows->variant;
    struct verdict *slope = verdict_add(verdicts, of, variant, "sequential_slope", "ticks");
    struct verdict *constant = verdict_add(verdicts, of, variant, "sequential_constant", "ticks");
    curve_over_n(rows, count, CURVE_MEDIAN, &curve);
    if (curve.count < LEAST_POINTS) {
        verdict_conclude(slope, VERDICT_SKIP, "needs three lengths of chain or more");
        verdict_conclude(constant, VERDICT_SKIP, "needs three lengths of chain or more");
        return;
    }
    struct fit fit = fit_line(&curve);
    bool straight = fit.residual <= LARGEST_RESIDUAL * fit.line.slope;
    verdict_value(slope, fit.line.slope, fit.line.slope - fit.slope_reach,
                  fit.line.slope + fit.slope_reach);
    verdict_value(constant, fit.line.offset, fit.line.offset - fit.offset_reach,
                  fit.line.offset + fit.offset_reach);
    verdict_conclude(slope, straight ? VERDICT_OK : VERDICT_DOUBT,
                     "least squares over %lu lengths of chain, residual %.1f ticks",
                     (unsigned long)curve.count, fit.residual);
    verdict_conclude(constant, slope->status, "the same line at n = 0: timer and start-up");
}
