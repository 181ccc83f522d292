/* cliff: the likelihood of each split into two straight pieces, and what has to hold before one is
 * believed. */
#include "cliff.h"

#include "line.h"

#define SIDE 2            /* points before a split, at least */
#define LEAST_JUMP 0.05   /* of y before it */
#define LEAST_CLARITY 5.0 /* the jump in standard deviations around the two pieces */
#define PRECISE_SHARE 50  /* an interval up to a fiftieth of the value is still an answer */
#define TAIL 0.025        /* of the likelihood, at either end of the interval */
#define PARAMETERS 4      /* of two lines */

/* Two pieces, split before point `first`. */
struct pieces {
    size_t first;
    struct line low, high;
    double squares; /* of the points' distances from them, by weight */
    double error;   /* standard error of the jump */
};

/* Fits two lines to running sums. Two points say nothing of a line's slope beside their errors:
 * they have the other piece's. */
static struct pieces fit_split(const struct curve *c, size_t count, size_t first,
                               const struct line_sums *left, const struct line_sums *right)
{
    double before = line_slope(left), beyond = line_slope(right);
    if (count - first <= SIDE)
        beyond = before;
    else if (first == SIDE)
        before = beyond;
    return (struct pieces){first, line_of_slope(left, before, c->x[0], c->y[0]),
                           line_of_slope(right, beyond, c->x[0], c->y[0]),
                           line_sums_squares(left, before) + line_sums_squares(right, beyond),
                           __builtin_sqrt(1 / left->n + 1 / right->n)};
}

/* Fits every split of the first points, keeps the squares of each, and returns the best. There are
 * points for one. */
static struct pieces fit_all(const struct curve *c, size_t count, size_t behind,
                             const double *weight, double *squares)
{
    struct line_sums left = {0}, right = {0};
    struct pieces best = {.first = 0};
    for (size_t i = 0; i < count; i++)
        line_sums_add(&right, c->x[i] - c->x[0], c->y[i] - c->y[0], weight[i]);
    for (size_t i = 1; i + behind <= count; i++) {
        double x = c->x[i - 1] - c->x[0], y = c->y[i - 1] - c->y[0];
        line_sums_add(&left, x, y, weight[i - 1]);
        line_sums_add(&right, x, y, -weight[i - 1]);
        if (i < SIDE)
            continue;
        struct pieces split = fit_split(c, count, i, &left, &right);
        squares[i] = split.squares;
        if (best.first == 0 || split.squares < best.squares)
            best = split;
    }
    return best;
}

/* A line that only becomes steeper between two points seems to jump by what the new slope adds on
 * the way: that much is no jump. */
static enum cliff_answer answer_of_split(const struct curve *c, const struct pieces *split,
                                         double residual)
{
    double x = c->x[split->first], before = line_at(split->low, x),
           jump = line_at(split->high, x) - before;
    jump -= larger((split->high.slope - split->low.slope) * (x - c->x[split->first - 1]), 0);
    if (!(before > 0) || jump < LEAST_JUMP * before)
        return CLIFF_NONE;
    return jump < LEAST_CLARITY * larger(residual, split->error) ? CLIFF_UNCLEAR : CLIFF_FOUND;
}

/* Returns how likely a split is whose squares, in errors, exceed the best one's by `more`; the best
 * one's likelihood is 1. Errors that are themselves estimated make it Student's (Smith, "A Bayesian
 * approach to inference about a change-point", 1975). */
static double likelihood_of(double more, size_t count)
{
    double quotient = (double)count / ((double)count + more), power = 1;
    for (size_t n = count - PARAMETERS; n > 0; n /= 2, quotient *= quotient)
        power *= n % 2 ? quotient : 1;
    return __builtin_sqrt(power);
}

/* Sets the interval that holds 95 % of the likelihood of all splits. The jump may lie anywhere
 * between two neighbours, so the interval holds both. */
static void find_interval(const struct curve *c, size_t count, size_t behind, const double *squares,
                          double least, struct cliff *cliff)
{
    double likelihood[CURVE_MAX], all = 0, below = 0;
    for (size_t i = SIDE; i + behind <= count; i++)
        all += likelihood[i] = likelihood_of(squares[i] - least, count);
    size_t low = SIDE, high = count - behind;
    for (; below + likelihood[low] < TAIL * all; low++)
        below += likelihood[low];
    for (below = 0; below + likelihood[high] < TAIL * all; high--)
        below += likelihood[high];
    cliff->low = (int64_t)smaller(c->x[low], (double)(cliff->last_low + 1));
    cliff->high = (int64_t)larger(c->x[high], (double)cliff->first_high);
}

/* Finds the jump in a curve's first points. */
static void find_within(const struct curve *c, size_t count, size_t behind, struct cliff *cliff)
{
    double weight[CURVE_MAX], squares[CURVE_MAX], weights = 0;
    *cliff = (struct cliff){.answer = CLIFF_TOO_FEW, .points = count};
    if (count < SIDE + behind || count < PARAMETERS)
        return;
    for (size_t i = 0; i < count; i++)
        weight[i] = 1;
    double scatter = fit_all(c, count, behind, weight, squares).squares / (double)count;
    for (size_t i = 0; i < count; i++) {
        double variance = scatter + c->error[i] * c->error[i];
        weights += weight[i] = variance > 0 ? 1 / variance : 1;
    }
    struct pieces split = fit_all(c, count, behind, weight, squares);
    double x = c->x[split.first], residual = __builtin_sqrt(split.squares / weights);
    cliff->answer = answer_of_split(c, &split, residual);
    if (cliff->answer != CLIFF_FOUND)
        return;
    double half_width = NORMAL_95 * residual / __builtin_sqrt((double)(count - split.first));
    cliff->last_low = (int64_t)c->x[split.first - 1];
    cliff->first_high = (int64_t)x;
    cliff->before = line_at(split.low, x);
    cliff->beyond = interval_around(line_at(split.high, x), half_width);
    find_interval(c, count, behind, squares, split.squares, cliff);
}

void cliff_find(const struct curve *c, struct cliff *cliff)
{
    find_within(c, c->count, SIDE, cliff);
}

void cliff_find_first(const struct curve *c, double least, struct cliff *cliff)
{
    for (size_t count = 0; count <= c->count; count++) {
        find_within(c, count, 1, cliff);
        if (cliff->answer == CLIFF_FOUND && cliff->beyond.value - cliff->before >= least)
            return;
    }
    cliff->answer = CLIFF_NONE;
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
