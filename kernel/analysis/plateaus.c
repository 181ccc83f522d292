/* plateaus: best cuts for each number of levels, then the largest number that makes sense. */
#include "plateaus.h"

#include "../lib/logarithm.h"

#define LEAST_Y 1e-3
#define MOST_Y 1e12
#define LEAST_SPAN 2.0       /* last x over first, of all levels but the last */
#define LEAST_LOCAL_RISE 1.4 /* within about an octave around a border */
#define HALF_OCTAVE 1.4
#define WELL_PAST 2.5 /* times the border's x: even random replacement hits 1 in 10 at most */
#define FAR 1.68      /* from the median; a smaller step of the TLB's may be inside a level */
#define MOST_FAR 0.25 /* share of a level that may be that far */
/*
 * Where y leaves a level, as a share of the way to the next in logarithms. Less, and a cache that
 * misses before it is full seems smaller; more, and one that still hits beyond its size, larger.
 */
#define LEAVING 0.4
#define LEAST_ERROR 0.015 /* of a level: so much a core's clock moves from moment to moment */

/* A point's share of log x: half the way to either neighbour. */
static double weight_of(const struct curve *c, size_t i)
{
    double left = c->x[i > 0 ? i - 1 : 0], right = c->x[i + 1 < c->count ? i + 1 : i];
    return c->count > 1 ? log2_of(right / left) / 2 : 1;
}

static double log_of(double y)
{
    return log2_of(!(y > LEAST_Y) ? LEAST_Y : y < MOST_Y ? y : MOST_Y);
}

double plateaus_way(double y, double from, double to)
{
    return (log_of(y) - log_of(from)) / (log_of(to) - log_of(from));
}

static void sum_up(const struct curve *c, struct plateaus_workspace *m)
{
    m->weights[0] = m->sums[0] = 0;
    for (size_t i = 0; i < c->count; i++) {
        double z = log_of(c->y[i]), w = weight_of(c, i);
        m->weights[i + 1] = m->weights[i] + w;
        m->sums[i + 1] = m->sums[i] + w * z;
    }
}

/*
 * Squared error of points first to end - 1 around their mean, without the sum of their squares,
 * which is the same for every way to cut.
 */
static double error_of(const struct plateaus_workspace *m, size_t first, size_t end)
{
    double sum = m->sums[end] - m->sums[first];
    return -(sum * sum / (m->weights[end] - m->weights[first]));
}

/* The best last cut of every beginning of the curve, into one level more than `before` has. */
static void find_cut(const struct plateaus_workspace *m, size_t levels, size_t count,
                     const double *before, double *now, uint16_t *cut)
{
    for (size_t j = levels + 1; j <= count; j++) {
        now[j] = __builtin_inf();
        for (size_t i = levels; i < j; i++) {
            double error = before[i] + error_of(m, i, j);
            if (error < now[j]) {
                now[j] = error;
                cut[j] = (uint16_t)i;
            }
        }
    }
}

/* For every number of levels. */
static void find_cuts(struct plateaus_workspace *m, size_t count)
{
    for (size_t j = 1; j <= count; j++)
        m->best[0][j] = error_of(m, 0, j);
    for (size_t k = 1; k < PLATEAUS_MAX; k++)
        find_cut(m, k, count, m->best[(k - 1) % 2], m->best[k % 2], m->cut[k]);
}

/* The y below which that share of the points' weight lies; `order` has them by rising y. */
static double quantile(const struct curve *c, const uint16_t *order, size_t count, double share)
{
    double all = 0, below = 0;
    size_t i = 0;
    for (size_t j = 0; j < count; j++)
        all += weight_of(c, order[j]);
    while (i + 1 < count && below + weight_of(c, order[i]) < share * all)
        below += weight_of(c, order[i++]);
    return c->y[order[i]];
}

static bool is_uneven(const struct curve *c, const struct plateau *p)
{
    double far = 0, all = 0;
    for (size_t i = p->core; i <= p->last; i++) {
        all += weight_of(c, i);
        if (c->y[i] > p->level * FAR || c->y[i] < p->level / FAR)
            far += weight_of(c, i);
    }
    return far > MOST_FAR * all;
}

/* Beyond a cache's size some lines still hit in it, which is not the next level's time. */
static size_t core_of(const struct curve *c, const struct plateau *p)
{
    size_t i = p->first;
    while (p->first > 0 && i <= p->last && c->x[i] < c->x[p->first - 1] * WELL_PAST)
        i++;
    return i <= p->last ? i : p->first;
}

/*
 * What the points do not know of themselves, as one: not less for many of them, since a clock that
 * drifts moves all.
 */
static double own_reach(const struct curve *c, const struct plateau *p)
{
    double squares = 0, least = LEAST_ERROR * p->level;
    for (size_t i = p->core; i <= p->last; i++)
        squares += c->error[i] * c->error[i];
    double reach = NORMAL_95 * __builtin_sqrt(squares / (double)(p->last - p->core + 1));
    return reach > least ? reach : least;
}

static void describe(const struct curve *c, uint16_t *order, struct plateau *p)
{
    size_t count = 0;
    p->core = core_of(c, p);
    for (size_t i = p->core; i <= p->last; i++) {
        size_t j = count++;
        for (; j > 0 && c->y[order[j - 1]] > c->y[i]; j--)
            order[j] = order[j - 1];
        order[j] = (uint16_t)i;
    }
    p->level = quantile(c, order, count, 0.5);
    double reach = own_reach(c, p);
    p->low = quantile(c, order, count, 0.1) - reach;
    p->high = quantile(c, order, count, 0.9) + reach;
    if (!(p->low > 0))
        p->low = 0;
    p->uneven = is_uneven(c, p);
}

static void trace(const struct curve *c, struct plateaus_workspace *m, size_t levels,
                  struct plateaus *plateaus)
{
    size_t end = c->count;
    plateaus->count = levels;
    for (size_t k = levels; k-- > 0;) {
        struct plateau *p = &plateaus->at[k];
        p->first = k > 0 ? m->cut[k][end] : 0;
        p->last = end - 1;
        describe(c, m->order, p);
        end = p->first;
    }
}

/* Whether the curve rises by much between half an octave before a border and half of one after. */
static bool rises_at(const struct curve *c, size_t last_low)
{
    double border = __builtin_sqrt(c->x[last_low] * c->x[last_low + 1]);
    size_t before = last_low, after = last_low + 1;
    while (before > 0 && c->x[before] > border / HALF_OCTAVE)
        before--;
    while (after + 1 < c->count && c->x[after] < border * HALF_OCTAVE)
        after++;
    return c->y[after] > c->y[before] * LEAST_LOCAL_RISE;
}

static bool makes_sense(const struct curve *c, const struct plateaus *plateaus)
{
    for (size_t k = 0; k + 1 < plateaus->count; k++) {
        const struct plateau *p = &plateaus->at[k], *next = p + 1;
        if (c->x[p->last] < c->x[p->first] * LEAST_SPAN)
            return false;
        if (next->level < p->level * PLATEAUS_LEAST_RISE || !rises_at(c, p->last))
            return false;
    }
    return true;
}

/* Moves a border to where y leaves the lower level: the fit leaves it in the middle of the rise. */
static void settle_border(const struct curve *c, struct plateau *p, struct plateau *next)
{
    while (p->last > p->first && plateaus_way(c->y[p->last], p->level, next->level) > LEAVING)
        p->last--;
    while (p->last + 1 < next->last &&
           plateaus_way(c->y[p->last + 1], p->level, next->level) <= LEAVING)
        p->last++;
    next->first = p->last + 1;
}

static void settle(const struct curve *c, uint16_t *order, struct plateaus *plateaus)
{
    for (size_t k = 0; k + 1 < plateaus->count; k++)
        settle_border(c, &plateaus->at[k], &plateaus->at[k + 1]);
    for (size_t k = 0; k < plateaus->count; k++)
        describe(c, order, &plateaus->at[k]);
}

void plateaus_find(const struct curve *curve, struct plateaus_workspace *memory,
                   struct plateaus *plateaus)
{
    size_t levels = curve->count < PLATEAUS_MAX ? curve->count : PLATEAUS_MAX;
    plateaus->count = 0;
    if (levels == 0)
        return;
    sum_up(curve, memory);
    find_cuts(memory, curve->count);
    do
        trace(curve, memory, levels, plateaus);
    while (!makes_sense(curve, plateaus) && --levels > 0);
    settle(curve, memory->order, plateaus);
}
