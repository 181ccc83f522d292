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

static enum cliff_answer answer_of(const struct curve *curve, const struct step *step)
{
    if (step->first_high == 0)
        return CLIFF_TOO_FEW;
    double before = line_at(step->low, curve->x[step->first_high]);
    if (!(before > 0) || step->jump < LEAST_JUMP * before)
        return CLIFF_NONE;
    return step->jump < LEAST_CLARITY * step->residual ? CLIFF_UNCLEAR : CLIFF_FOUND;
}

static void fill(const struct curve *curve, const struct step *step, struct cliff *cliff)
{
    size_t first = step->first_high;
    double reach = NORMAL_95 * step->residual / __builtin_sqrt((double)(curve->count - first));
    double y = line_at(step->high, curve->x[first]);
    cliff->last_low = cliff->low = (int64_t)curve->x[first - 1];
    cliff->first_high = cliff->high = (int64_t)curve->x[first];
    cliff->before = line_at(step->low, curve->x[first]);
    cliff->beyond = (struct interval){y, y - reach, y + reach};
}

static struct step fit(const struct curve *curve, size_t side, struct cliff *cliff)
{
    struct step step = step_fit(curve->x, curve->y, curve->count, side);
    *cliff = (struct cliff){.answer = answer_of(curve, &step), .points = curve->count};
    if (cliff->answer == CLIFF_FOUND)
        fill(curve, &step, cliff);
    return step;
}

/* About normal with mean 0 and deviation 1: the sum of twelve uniform numbers (Hamming). */
static double draw_normal(struct random *random)
{
    double sum = 0;
    for (unsigned i = 0; i < 12; i++)
        sum += (double)(random_next(random) >> 11) * 0x1p-53;
    return sum - 6;
}

/* Every y anew, within its own error and the fit's residual. */
static void draw(const struct curve *curve, const struct step *step, struct random *random,
                 double *drawn)
{
    for (size_t i = 0; i < curve->count; i++) {
        struct line piece = i < step->first_high ? step->low : step->high;
        double error = curve->error[i] > step->residual ? curve->error[i] : step->residual;
        drawn[i] = line_at(piece, curve->x[i]) + error * draw_normal(random);
    }
}

/* Fits again and again: the spread of the jump's place (parametric bootstrap; Efron and Tibshirani
 * 1993). */
static void resample(const struct curve *curve, const struct step *step, size_t side, double *drawn,
                     struct cliff *cliff)
{
    double place[RESAMPLES];
    struct random random;
    random_seed(&random, RESAMPLE_SEED);
    for (unsigned i = 0; i < RESAMPLES; i++) {
        draw(curve, step, &random, drawn);
        place[i] = curve->x[step_fit(curve->x, drawn, curve->count, side).first_high];
    }
    sort_doubles(place, RESAMPLES);
    cliff->low = (int64_t)place[TAIL];
    cliff->high = (int64_t)place[RESAMPLES - 1 - TAIL];
}

/* The jump lies anywhere between two neighbours. */
static void span_neighbours(struct cliff *cliff)
{
    if (cliff->low > cliff->last_low + 1)
        cliff->low = cliff->last_low + 1;
    if (cliff->high < cliff->first_high)
        cliff->high = cliff->first_high;
}

void cliff_locate(const struct curve *curve, struct cliff *cliff)
{
    fit(curve, FEWEST_POINTS, cliff);
}

/* A jump at one of the first K has only two points before it: then those fit much better. */
static size_t side_of(const struct curve *curve)
{
    struct step few = step_fit(curve->x, curve->y, curve->count, FEWEST_POINTS);
    struct step usual = step_fit(curve->x, curve->y, curve->count, LEAST_POINTS);
    bool is_early = few.residual < MUCH_BETTER * usual.residual;
    return usual.first_high != 0 && is_early ? FEWEST_POINTS : LEAST_POINTS;
}

void cliff_find(const struct curve *curve, double *drawn, struct cliff *cliff)
{
    size_t side = side_of(curve);
    struct step step = fit(curve, side, cliff);
    if (cliff->answer != CLIFF_FOUND)
        return;
    resample(curve, &step, side, drawn, cliff);
    span_neighbours(cliff);
}

bool cliff_is_placed(const struct cliff *cliff)
{
    int64_t width = cliff->high - cliff->low, tolerated = cliff->first_high / PRECISE_SHARE;
    int64_t step = cliff->first_high - cliff->last_low;
    return width <= tolerated || width <= step;
}
