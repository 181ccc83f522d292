/* cliff: a fit of two straight pieces, and what has to hold before it is believed. */
#include "cliff.h"

#include "../lib/random.h"
#include "step.h"

#define FEWEST_POINTS 2   /* on either side, enough to decide where to measure more */
#define LEAST_POINTS 3    /* on either side of the jump */
#define LEAST_JUMP 0.05   /* of the time before it */
#define LEAST_CLARITY 5.0 /* the jump in standard deviations around the two pieces */
#define RESAMPLES 200
#define RESAMPLE_SEED 1
#define PRECISE_SHARE 50 /* an interval up to a fiftieth of the value is still an answer */
#define TAIL 5           /* of RESAMPLES: 2.5 % at either end */

/* Too large for a firmware's stack. */
static struct curve curve, resampled;

/* NULL when the fit can be believed, else why not. */
static const char *doubt_of(const struct step *step)
{
    double before = line_at(step->low, curve.x[step->first_high]);
    if (step->jump < LEAST_JUMP * before)
        return "no jump: time does not rise by a twentieth at any K";
    if (step->jump < LEAST_CLARITY * step->residual)
        return "no clear jump: the points scatter too much around any two straight pieces";
    return NULL;
}

static void fill(struct cliff *cliff, const struct step *step)
{
    size_t first = step->first_high;
    double reach = 1.96 * step->residual / __builtin_sqrt((double)(curve.count - first));
    double time = line_at(step->high, curve.x[first]);
    cliff->found = true;
    cliff->last_low_k = cliff->low_k = (int64_t)curve.x[first - 1];
    cliff->first_high_k = cliff->high_k = (int64_t)curve.x[first];
    cliff->sequential = (struct interval){time, time - reach, time + reach};
}

static struct step fit(const struct row *rows, size_t count, size_t side,
                       struct cliff *cliff)
{
    *cliff = (struct cliff){0};
    curve_over_k(rows, count, 2, CURVE_MEDIAN, &curve);
    cliff->points = curve.count;
    struct step step = step_fit(curve.x, curve.y, curve.count, side);
    cliff->measured = step.first_high != 0;
    if (!cliff->measured)
        return step;
    cliff->doubt = doubt_of(&step);
    if (cliff->doubt == NULL)
        fill(cliff, &step);
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

static void sort(double *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && values[j] < values[j - 1]; j--) {
            double kept = values[j];
            values[j] = values[j - 1];
            values[j - 1] = kept;
        }
}

/*
 * Draws every median anew within its own error and the fit's residual, and fits again: the spread
 * of the jump's place (parametric bootstrap; Efron and Tibshirani 1993).
 */
static void resample(struct cliff *cliff, const struct step *step)
{
    static double place[RESAMPLES];
    struct random random;
    random_seed(&random, RESAMPLE_SEED);
    resampled = curve;
    for (unsigned i = 0; i < RESAMPLES; i++) {
        for (size_t j = 0; j < curve.count; j++) {
            struct line piece = j < step->first_high ? step->low : step->high;
            double error = curve.error[j] > step->residual ? curve.error[j] : step->residual;
            resampled.y[j] = line_at(piece, curve.x[j]) + error * draw_normal(&random);
        }
        struct step again = step_fit(resampled.x, resampled.y, resampled.count, LEAST_POINTS);
        place[i] = curve.x[again.first_high];
    }
    sort(place, RESAMPLES);
    cliff->low_k = (int64_t)place[TAIL];
    cliff->high_k = (int64_t)place[RESAMPLES - 1 - TAIL];
    /* The jump lies anywhere between two neighbours. */
    if (cliff->low_k > cliff->last_low_k + 1)
        cliff->low_k = cliff->last_low_k + 1;
    if (cliff->high_k < cliff->first_high_k)
        cliff->high_k = cliff->first_high_k;
}

void cliff_locate(const struct row *rows, size_t count, struct cliff *cliff)
{
    fit(rows, count, FEWEST_POINTS, cliff);
}

void cliff_find(const struct row *rows, size_t count, struct cliff *cliff)
{
    struct step step = fit(rows, count, LEAST_POINTS, cliff);
    if (cliff->found)
        resample(cliff, &step);
}

bool cliff_is_placed(const struct cliff *cliff)
{
    int64_t width = cliff->high_k - cliff->low_k, tolerated = cliff->first_high_k / PRECISE_SHARE;
    int64_t step = cliff->first_high_k - cliff->last_low_k;
    return width <= tolerated || width <= step;
}
