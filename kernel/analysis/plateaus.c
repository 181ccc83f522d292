/* plateaus: best cuts for each number of levels, then the largest number that makes sense. */
#include "plateaus.h"

#define OCTAVE 2        /* last x over first: of a level, a flat part, what a border is judged by */
#define HALF_OCTAVE 1.4 /* enough of one below a step, or if its values agree; rounded sizes */
#define PART_FLAT 1.06  /* most over least of a flat part: neighbours may disturb a size */
/*
 * y leaves a level at this share of the way to the next, in logarithms. With less, a cache that
 * misses before it is full seems smaller; with more, one that still hits beyond its size, larger.
 */
#define LEAVING 0.4
#define FLATTEST 0.02 /* of the flat part's least value, doubled until there is such a part */

struct cuts {
    /* Sums over the points before each one, of weight, and of weight * log y. */
    double weights[CURVE_MAX + 1], sums[CURVE_MAX + 1];
    double best[2][CURVE_MAX + 1];
    uint16_t cut[PLATEAUS_MAX][CURVE_MAX + 1]; /* [k][j]: where level k of 0..j starts */
};

/* Returns a point's share of log x: half the way to each neighbour. */
static double weight_of(const struct curve *c, size_t i)
{
    double left = c->x[i > 0 ? i - 1 : 0], right = c->x[i + 1 < c->count ? i + 1 : i];
    return c->count > 1 ? log2_of(right / left) / 2 : 1;
}

static double log_of(double y)
{
    return log2_of(smaller(larger(y, __DBL_MIN__), UINT32_MAX)); /* a sample has 32 bits */
}

double plateaus_way(double y, double from, double to)
{
    return (log_of(y) - log_of(from)) / (log_of(to) - log_of(from));
}

static void sum_weights(const struct curve *c, struct cuts *m)
{
    m->weights[0] = m->sums[0] = 0;
    for (size_t i = 0; i < c->count; i++) {
        double z = log_of(c->y[i]), w = weight_of(c, i);
        m->weights[i + 1] = m->weights[i] + w;
        m->sums[i + 1] = m->sums[i] + w * z;
    }
}

/* Returns the squared error of points first to end - 1 around their mean, less the sum of their
 * squares, which is the same for every way to cut. */
static double cut_error(const struct cuts *m, size_t first, size_t end)
{
    double sum = m->sums[end] - m->sums[first];
    return -(sum * sum / (m->weights[end] - m->weights[first]));
}

/* Finds the last cut of each first part of the curve, for every number of levels. */
static void find_cuts(struct cuts *m, size_t count)
{
    for (size_t j = 1; j <= count; j++)
        m->best[0][j] = cut_error(m, 0, j);
    for (size_t k = 1; k < PLATEAUS_MAX; k++)
        for (size_t j = k + 1; j <= count; j++) {
            double *now = &m->best[k % 2][j];
            *now = __builtin_inf();
            for (size_t i = k; i < j; i++) {
                double error = m->best[(k - 1) % 2][i] + cut_error(m, i, j);
                if (error < *now) {
                    *now = error;
                    m->cut[k][j] = (uint16_t)i;
                }
            }
        }
}

struct bounds {
    double least, most;
};

static struct bounds bounds_of(const struct curve *c, size_t first, size_t last)
{
    struct bounds bounds = {c->y[first], c->y[first]};
    for (size_t i = first + 1; i <= last; i++) {
        bounds.least = smaller(bounds.least, c->y[i]);
        bounds.most = larger(bounds.most, c->y[i]);
    }
    return bounds;
}

/* True if all points up to `low` are below all from `high` on, and flat next to the step: a soft
 * edge and noise are not. */
static bool is_step(const struct curve *c, const struct plateau *p, size_t low, size_t high)
{
    size_t first = low, last = high + 1;
    while (first > p->first && c->x[first] * HALF_OCTAVE > c->x[low])
        first--;
    while (last < p->last && c->x[last] < c->x[low] * OCTAVE)
        last++;
    if (last > p->last || c->x[last] < c->x[low] * OCTAVE || c->x[high] > c->x[low] * OCTAVE ||
        c->x[first] * HALF_OCTAVE > c->x[low])
        return false;
    double below = bounds_of(c, p->first, low).most, above = bounds_of(c, high, p->last).least;
    return above >= below * PLATEAUS_PART_RISE &&
           below <= bounds_of(c, first, low).least * PART_FLAT &&
           bounds_of(c, high, last).most <= above * PART_FLAT;
}

/* True if the level has a step between two flat parts, perhaps with one point on it. */
static bool is_stepped(const struct curve *c, const struct plateau *p)
{
    for (size_t low = p->first; low + 1 <= p->last; low++)
        if (is_step(c, p, low, low + 1) || (low + 2 <= p->last && is_step(c, p, low, low + 2)))
            return true;
    return false;
}

/* Returns the first point well past the level before, beyond which some lines still hit. */
static size_t core_of(const struct curve *c, const struct plateau *p)
{
    size_t i = p->first;
    while (p->first > 0 && i <= p->last && c->x[i] < c->x[p->first - 1] * PLATEAUS_PAST)
        i++;
    return i <= p->last ? i : p->first;
}

/* Returns the y that half of the weight of points `first` to `last` is below. */
static double median_between(const struct curve *c, size_t first, size_t last)
{
    uint16_t order[CURVE_MAX] = {(uint16_t)first}; /* of y */
    double all = 0, below = 0;
    size_t count = 1, at = 0;
    for (size_t i = first + 1; i <= last; i++) {
        size_t j = count++;
        for (; j > 0 && c->y[order[j - 1]] > c->y[i]; j--)
            order[j] = order[j - 1];
        order[j] = (uint16_t)i;
    }
    for (size_t j = 0; j < count; j++)
        all += weight_of(c, order[j]);
    while (at + 1 < count && below + weight_of(c, order[at]) < all / 2)
        below += weight_of(c, order[at++]);
    return c->y[order[at]];
}

static void describe_plateau(const struct curve *c, struct plateau *p)
{
    p->core = core_of(c, p);
    p->level = median_between(c, p->core, p->last);
    p->stepped = is_stepped(c, p);
}

static void trace_cuts(const struct curve *c, struct cuts *m, size_t levels,
                       struct plateaus *plateaus)
{
    size_t end = c->count;
    plateaus->count = levels;
    for (size_t k = levels; k-- > 0;) {
        struct plateau *p = &plateaus->at[k];
        p->first = k > 0 ? m->cut[k][end] : 0;
        p->last = end - 1;
        describe_plateau(c, p);
        end = p->first;
    }
}

/* True if the curve rises by much from the octave before a border to the one behind it: by medians,
 * as a neighbour may disturb any single size. */
static bool rises_at(const struct curve *c, size_t last_low)
{
    double border = __builtin_sqrt(c->x[last_low] * c->x[last_low + 1]);
    size_t first = last_low, last = last_low + 1;
    while (first > 0 && c->x[first - 1] > border / OCTAVE)
        first--;
    while (last + 1 < c->count && c->x[last + 1] < border * OCTAVE)
        last++;
    return median_between(c, last_low + 1, last) >
           median_between(c, first, last_low) * PLATEAUS_LEAST_RISE;
}

static bool makes_sense(const struct curve *c, double rise, const struct plateaus *plateaus)
{
    for (size_t k = 0; k + 1 < plateaus->count; k++) {
        const struct plateau *p = &plateaus->at[k], *next = p + 1;
        if (c->x[p->last] < c->x[p->first] * OCTAVE || next->level < p->level * rise ||
            !rises_at(c, p->last))
            return false;
    }
    return true;
}

/* Moves borders from the middle of the rise, where the fit put them, to where y leaves the level.
 */
static void settle_borders(const struct curve *c, struct plateaus *plateaus)
{
    for (size_t k = 0; k + 1 < plateaus->count; k++) {
        struct plateau *p = &plateaus->at[k], *next = p + 1;
        while (p->last > p->first && plateaus_way(c->y[p->last], p->level, next->level) > LEAVING)
            p->last--;
        while (p->last + 1 < next->last &&
               plateaus_way(c->y[p->last + 1], p->level, next->level) <= LEAVING)
            p->last++;
        next->first = p->last + 1;
    }
    for (size_t k = 0; k < plateaus->count; k++)
        describe_plateau(c, &plateaus->at[k]);
}

void plateaus_find(const struct curve *curve, double rise, struct plateaus *plateaus)
{
    struct cuts cuts;
    size_t levels = curve->count < PLATEAUS_MAX ? curve->count : PLATEAUS_MAX;
    plateaus->count = 0;
    if (levels == 0)
        return;
    sum_weights(curve, &cuts);
    find_cuts(&cuts, curve->count);
    do
        trace_cuts(curve, &cuts, levels, plateaus);
    while (!makes_sense(curve, rise, plateaus) && --levels > 0);
    settle_borders(curve, plateaus);
}

/* --- the flat part of a level ---------------------------------------------------------------- */

static bool is_known(const struct curve *c, size_t i, double share)
{
    return NORMAL_95 * c->error[i] <= share * c->y[i];
}

/* Returns the last of the points from `first` to `last` whose values agree within that share. */
static size_t end_of_piece(const struct curve *c, size_t first, size_t last, double share)
{
    double least = c->y[first], most = least;
    size_t end = first;
    for (; is_known(c, first, share) && end < last && is_known(c, end + 1, share); end++) {
        least = smaller(least, c->y[end + 1]);
        most = larger(most, c->y[end + 1]);
        if (!(most <= least * (1 + share)))
            break;
    }
    return end;
}

/* Takes the first piece, not the longest: beyond it some lines miss already. */
struct plateau_flat plateaus_flat(const struct curve *c, const struct plateau *plateau)
{
    for (double share = FLATTEST; share < 1; share *= 2)
        for (size_t i = plateau->core; i <= plateau->last; i++) {
            size_t end = end_of_piece(c, i, plateau->last, share);
            if (c->x[end] >= OCTAVE * c->x[i])
                return (struct plateau_flat){.first = i, .last = end};
        }
    return (struct plateau_flat){.first = plateau->core, .last = plateau->last};
}

bool plateaus_shows(const struct curve *c, const struct plateau *plateau, struct plateau_flat flat)
{
    if (c->x[flat.last] >= OCTAVE * c->x[flat.first])
        return true;
    for (size_t i = plateau->first; i <= flat.last; i++) {
        size_t end = end_of_piece(c, i, plateau->last, FLATTEST);
        if (end >= flat.first && c->x[end] >= HALF_OCTAVE * c->x[i])
            return true;
    }
    return false;
}

struct plateau_flat plateaus_longest(const struct curve *c, const struct plateau *plateau,
                                     double share)
{
    struct plateau_flat longest = {.first = plateau->core, .last = plateau->core};
    for (size_t i = plateau->core; i <= plateau->last; i++) {
        size_t end = end_of_piece(c, i, plateau->last, share);
        if (c->x[end] / c->x[i] > c->x[longest.last] / c->x[longest.first])
            longest = (struct plateau_flat){.first = i, .last = end};
    }
    return longest;
}

struct interval plateaus_level(const struct curve *c, struct plateau_flat flat, double least_error)
{
    double level = median_between(c, flat.first, flat.last), squares = 0;
    struct bounds bounds = bounds_of(c, flat.first, flat.last);
    if (flat.last == flat.first + 1) /* of two, neither is the middle */
        level = (bounds.least + bounds.most) / 2;
    for (size_t i = flat.first; i <= flat.last; i++)
        squares += c->error[i] * c->error[i];
    /* Many points do not reduce the error: drift moves all. */
    double root = __builtin_sqrt(squares / (double)(flat.last - flat.first + 1));
    double error = larger(NORMAL_95 * root, least_error * level);
    return (struct interval){level, larger(bounds.least - error, 0), bounds.most + error};
}
