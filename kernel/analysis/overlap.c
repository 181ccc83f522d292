/* overlap: the published rule, and jumps and bends of time over N. */
#include "overlap.h"

#include "../lib/sort.h"
#include "step.h"

#define TOLERANCE 0.03    /* two sequential loads are reached at this share below their time */
#define JUMP_SHARE 0.25   /* of one load's time: a smaller rise is no jump */
#define JUMP_OVER_USUAL 4 /* times the usual rise from one N to the next */
#define WIDEST 2          /* N that an interval may span */
#define WIDEST_FAST 1     /* where loads scatter: chance alone then bends the curve */
#define SMOOTHING 2       /* neighbours on either side */
#define ERRORS 4          /* standard errors that a jump has to exceed */
#define BEND 2.0          /* the second piece's slope over the first's */
#define BEND_POINTS 3     /* on either side */
#define RISES_MAX 128     /* enough for their median */

/* Median of the rises up to index `end`, index `except` left out. */
static double usual_rise(const struct curve *c, size_t end, size_t except)
{
    double rise[RISES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < end && count < RISES_MAX; i++)
        if (i != except)
            rise[count++] = c->y[i + 1] - c->y[i];
    sort_doubles(rise, count);
    return count > 0 ? rise[count / 2] : 0;
}

/* Whether time jumps from point i to the next, seen against the points before. */
static bool jumps_after(const struct curve *c, size_t i)
{
    double rise = c->y[i + 1] - c->y[i];
    double error = c->error[i] + c->error[i + 1];
    double usual = usual_rise(c, i + 1, i);
    return c->x[i + 1] == c->x[i] + 1 && rise > JUMP_SHARE * c->y[0] && rise > ERRORS * error &&
           (usual <= 0 || rise > JUMP_OVER_USUAL * usual);
}

/* The index of the first jump, at least one rise to compare it with before; count if none. */
static size_t first_jump(const struct curve *c)
{
    size_t i = 1;
    while (i + 1 < c->count && !jumps_after(c, i))
        i++;
    return i + 1 < c->count ? i : c->count;
}

/*
 * Time at a point, smoothed over its neighbours: a timer that moves in steps of many ticks leaves
 * medians that coarse, while the curve rises by less from one N to the next. A straight piece stays
 * as it is. Only direct neighbours count, as many on either side.
 */
static double smoothed(const struct curve *c, size_t i)
{
    size_t reach = 0;
    while (reach < SMOOTHING && i > reach && i + reach + 1 < c->count &&
           c->x[i] - c->x[i - reach - 1] == (double)(reach + 1) &&
           c->x[i + reach + 1] - c->x[i] == (double)(reach + 1))
        reach++;
    double sum = 0;
    for (size_t j = i - reach; j <= i + reach; j++)
        sum += c->y[j];
    return sum / (double)(2 * reach + 1);
}

static size_t first_reaching(const struct curve *c, double level)
{
    size_t i = 0;
    while (i < c->count && (c->x[i] < 2 || smoothed(c, i) < level))
        i++;
    return i;
}

static void find_buffers(const struct curve *c, size_t jump, struct overlap *o)
{
    if (jump < c->count) {
        o->buffers = (int64_t)c->x[jump];
        o->buffers_jump = true;
        return;
    }
    struct step step = step_fit(c->x, c->y, c->count, BEND_POINTS);
    if (step.first_high != 0 && step.low.slope > 0 && step.high.slope > BEND * step.low.slope &&
        step.jump > -step.residual)
        o->buffers = (int64_t)c->x[step.first_high - 1];
}

static int64_t n_before(const struct curve *c, size_t index)
{
    return index < c->count ? (int64_t)c->x[index] - 1 : (int64_t)c->x[c->count - 1];
}

struct interval overlap_level_from(const struct curve *c, double first_x)
{
    size_t first = 0;
    while (c->x[first] < first_x)
        first++;
    size_t beyond = c->count - first;
    struct line line = line_fit(c->x + first, c->y + first, beyond);
    double squares = line_squares(line, c->x + first, c->y + first, beyond);
    double time = line_at(line, c->x[first]);
    double reach = REACH_95 * __builtin_sqrt(squares) / (double)beyond;
    return (struct interval){time, time - reach, time + reach};
}

/*
 * A jump from near one load's time to two. Where loads scatter, chance makes steps of a smooth rise
 * too: those that start beyond half the way widen the interval, no more.
 */
static bool jump_tells(const struct curve *c, size_t jump, size_t reaching,
                       const struct interval *sequential, bool fast)
{
    if (jump == c->count || jump + 1 > reaching)
        return false;
    return !fast || c->y[jump] < (c->y[0] + sequential->value) / 2;
}

static void find_mlp(const struct curve *c, size_t jump, const struct interval *sequential,
                     bool fast, struct overlap *o)
{
    size_t reaching = first_reaching(c, sequential->value * (1 - TOLERANCE));
    o->jumped = jump_tells(c, jump, reaching, sequential, fast);
    size_t next = o->jumped ? jump + 1 : reaching;
    o->reached = next < c->count;
    o->low = n_before(c, next);
    if (!o->reached)
        return;
    double error = REACH_95 * c->error[next];
    o->mlp = (int64_t)c->x[next] - 1;
    o->below_n = next > 0 ? (int64_t)c->x[next - 1] : 0;
    o->gap = next == 0 || o->below_n != o->mlp;
    o->time = (struct interval){c->y[next], c->y[next] - error, c->y[next] + error};
    o->high = o->mlp;
    if (o->gap) {
        o->low = o->below_n;
    } else if (!o->jumped) {
        /* What the interval of C, and the neighbours' own errors, leave open. */
        size_t early = first_reaching(c, sequential->low * (1 - TOLERANCE) - error);
        size_t late = first_reaching(c, sequential->high + error);
        o->low = n_before(c, early < next ? early : next);
        if (jump + 1 < next && o->low > (int64_t)c->x[jump])
            o->low = (int64_t)c->x[jump];
        o->high = late < c->count ? n_before(c, late > next ? late : next) : OVERLAP_OPEN;
    }
}

void overlap_find(const struct curve *c, const struct interval *sequential, bool fast,
                  struct overlap *o)
{
    *o = (struct overlap){.points = c->count};
    if (c->count == 0)
        return;
    o->largest_n = (int64_t)c->x[c->count - 1];
    size_t jump = first_jump(c);
    find_buffers(c, jump, o);
    if (sequential == NULL)
        return;
    find_mlp(c, jump, sequential, fast, o);
    o->sure = !o->gap && (o->jumped || (o->high != OVERLAP_OPEN &&
                                        o->high - o->low <= (fast ? WIDEST_FAST : WIDEST)));
}
