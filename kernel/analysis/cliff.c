/* cliff: a fit of two straight pieces, and what has to hold before it is believed. */
#include "cliff.h"

#include "../lib/random.h"
#include "../lib/sort.h"
#include "step.h"

#define FEWEST_POINTS 2   /* on either side, enough to decide where to measure more */
#define LEAST_POINTS 3    /* on either side of the jump */
#define MUCH_BETTER 0.5   /* of the deviation from two pieces */
#define LEAST_JUMP 0.05   /* of y before it */
#define LEAST_CLARITY 5.0 /* the jump in standard deviations around the two pieces */
#define RESAMPLES 200
#define RESAMPLE_SEED 1
#define PRECISE_SHARE 50 /* an interval up to a fiftieth of the value is still an answer */
#define TAIL 5           /* of RESAMPLES: 2.5 % at either end */

/* A line that only becomes steeper between two points seems to jump by what the new slope adds on
 * the way: that much is no jump. */
static enum cliff_answer answer_of_step(const struct curve *curve, const struct step *step)
{
    size_t first = step->first_high;
    if (first == 0)
        return CLIFF_TOO_FEW;
    double before = line_at(step->low, curve->x[first]);
    double bend = (step->high.slope - step->low.slope) * (curve->x[first] - curve->x[first - 1]);
    double jump = step->jump - larger(bend, 0);
    if (!(before > 0) || jump < LEAST_JUMP * before)
        return CLIFF_NONE;
    return jump < LEAST_CLARITY * step->residual ? CLIFF_UNCLEAR : CLIFF_FOUND;
}

static struct step fit_cliff(const struct curve *curve, size_t side, struct cliff *cliff)
{
    struct step step = step_fit(curve->x, curve->y, curve->count, side);
    *cliff = (struct cliff){.answer = answer_of_step(curve, &step), .points = curve->count};
    if (cliff->answer != CLIFF_FOUND)
        return step;
    size_t first = step.first_high;
    double root = __builtin_sqrt((double)(curve->count - first));
    cliff->last_low = cliff->low = (int64_t)curve->x[first - 1];
    cliff->first_high = cliff->high = (int64_t)curve->x[first];
    cliff->before = line_at(step.low, curve->x[first]);
    cliff->beyond =
        interval_around(line_at(step.high, curve->x[first]), NORMAL_95 * step.residual / root);
    return step;
}

/* Returns a nearly normal number, mean 0, deviation 1: twelve uniform ones added (Hamming). */
static double draw_normal(struct random *random)
{
    double sum = 0;
    for (unsigned i = 0; i < 12; i++)
        sum += (double)(random_next(random) >> 11) * 0x1p-53;
    return sum - 6;
}

/* Draws every y anew, within the larger of its own error and the fit's residual. */
static void draw_curve(const struct curve *curve, const struct step *step, struct random *random,
                       double *drawn)
{
    for (size_t i = 0; i < curve->count; i++) {
        struct line piece = i < step->first_high ? step->low : step->high;
        double error = larger(curve->error[i], step->residual);
        drawn[i] = line_at(piece, curve->x[i]) + error * draw_normal(random);
    }
}

/* Fits again and again: the scatter of the jump's x (parametric bootstrap; Efron and Tibshirani
 * 1993). The jump may lie anywhere between two neighbours, so the interval holds both. */
static void resample_cliff(const struct curve *curve, const struct step *step, size_t side,
                           struct cliff *cliff)
{
    double first[RESAMPLES], drawn[CURVE_MAX];
    struct random random;
    random_seed(&random, RESAMPLE_SEED);
    for (unsigned i = 0; i < RESAMPLES; i++) {
        draw_curve(curve, step, &random, drawn);
        first[i] = curve->x[step_fit(curve->x, drawn, curve->count, side).first_high];
    }
    sort_doubles(first, RESAMPLES);
    cliff->low = (int64_t)smaller(first[TAIL], (double)(cliff->last_low + 1));
    cliff->high = (int64_t)larger(first[RESAMPLES - 1 - TAIL], (double)cliff->first_high);
}

void cliff_locate(const struct curve *curve, struct cliff *cliff)
{
    fit_cliff(curve, FEWEST_POINTS, cliff);
}

void cliff_find(const struct curve *curve, struct cliff *cliff)
{
    /* A jump at one of the first K has two points before it: a fit with two is then much better. */
    struct step few = step_fit(curve->x, curve->y, curve->count, FEWEST_POINTS);
    struct step usual = step_fit(curve->x, curve->y, curve->count, LEAST_POINTS);
    bool is_early = usual.first_high != 0 && few.residual < MUCH_BETTER * usual.residual;
    size_t side = is_early ? FEWEST_POINTS : LEAST_POINTS;
    struct step step = fit_cliff(curve, side, cliff);
    if (cliff->answer == CLIFF_FOUND)
        resample_cliff(curve, &step, side, cliff);
}

bool cliff_is_placed(const struct cliff *cliff)
{
    int64_t width = cliff->high - cliff->low, tolerated = cliff->first_high / PRECISE_SHARE;
    int64_t step = cliff->first_high - cliff->last_low;
    return width <= tolerated || width <= step;
}

struct interval cliff_size(const struct cliff *cliff, int more)
{
    return (struct interval){(double)(cliff->first_high + more), (double)(cliff->low + more),
                             (double)(cliff->high + more)};
}

double cliff_middle(const struct cliff *cliff)
{
    return (cliff->before + cliff->beyond.value) / 2;
}
