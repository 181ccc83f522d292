/* overlap: the published rule, and jumps and bends of time over N. */
#include "overlap.h"

#include "step.h"

#define TOLERANCE 0.03       /* two sequential loads are reached at this share below their time */
#define JUMP_SHARE 0.25      /* of one load's time: a smaller rise is no jump */
#define JUMP_OVER_USUAL 4    /* times the usual rise from one N to the next */
#define WIDEST 2             /* N that an interval may span */
#define WIDEST_FAST 1        /* where loads scatter: chance alone then bends the curve */
#define LARGEST_SCATTER 0.12 /* standard deviation of a few loads' time, as a share of it */
#define FEW_LOADS 4          /* far fewer than any core has fill buffers */
#define SMOOTHING 2          /* neighbours on either side */
#define ERRORS 4             /* standard errors that a jump has to exceed */
#define BEND 2.0             /* the second piece's slope over the first's */
#define BEND_POINTS 3        /* on either side */

static struct curve curve; /* too large for a firmware's stack */

/* Median of the rises up to index `end`, index `except` left out. */
static double usual_rise(size_t end, size_t except)
{
    double rise[CURVE_MAX > 128 ? 128 : CURVE_MAX];
    size_t count = 0;
    for (size_t i = 0; i < end && count < sizeof rise / sizeof *rise; i++) {
        if (i == except)
            continue;
        double r = curve.y[i + 1] - curve.y[i];
        size_t j = count++;
        for (; j > 0 && rise[j - 1] > r; j--)
            rise[j] = rise[j - 1];
        rise[j] = r;
    }
    return count > 0 ? rise[count / 2] : 0;
}

/* Whether time jumps from point i to the next, seen against the points before. */
static bool jumps_after(size_t i)
{
    double rise = curve.y[i + 1] - curve.y[i];
    double error = curve.error[i] + curve.error[i + 1];
    double usual = usual_rise(i + 1, i);
    return curve.x[i + 1] == curve.x[i] + 1 && rise > JUMP_SHARE * curve.y[0] &&
           rise > ERRORS * error && (usual <= 0 || rise > JUMP_OVER_USUAL * usual);
}

/* The index of the first jump, at least one rise to compare it with before; count if none. */
static size_t first_jump(void)
{
    size_t i = 1;
    while (i + 1 < curve.count && !jumps_after(i))
        i++;
    return i + 1 < curve.count ? i : curve.count;
}

/*
 * Time at a point, smoothed over its neighbours: a timer that moves in steps of many ticks leaves
 * medians that coarse, while the curve rises by less from one N to the next. A straight piece stays
 * as it is. Only direct neighbours count, as many on either side.
 */
static double smoothed(size_t i)
{
    size_t reach = 0;
    while (reach < SMOOTHING && i > reach && i + reach + 1 < curve.count &&
           curve.x[i] - curve.x[i - reach - 1] == (double)(reach + 1) &&
           curve.x[i + reach + 1] - curve.x[i] == (double)(reach + 1))
        reach++;
    double sum = 0;
    for (size_t j = i - reach; j <= i + reach; j++)
        sum += curve.y[j];
    return sum / (double)(2 * reach + 1);
}

static size_t first_reaching(double level)
{
    size_t i = 0;
    while (i < curve.count && (curve.x[i] < 2 || smoothed(i) < level))
        i++;
    return i;
}

static void find_buffers(size_t jump, struct overlap *o)
{
    if (jump < curve.count) {
        o->buffers = (int64_t)curve.x[jump];
        o->buffers_jump = true;
        return;
    }
    struct step step = step_fit(curve.x, curve.y, curve.count, BEND_POINTS);
    if (step.first_high != 0 && step.low.slope > 0 && step.high.slope > BEND * step.low.slope &&
        step.jump > -step.residual)
        o->buffers = (int64_t)curve.x[step.first_high - 1];
}

static int64_t n_before(size_t index)
{
    return index < curve.count ? (int64_t)curve.x[index] - 1 : (int64_t)curve.x[curve.count - 1];
}

/*
 * Of N loads that scatter, the slowest counts, and the more there are, the slower it is: the median
 * over N then rises for another reason than a lack of buffers. In the fastest tenth of the samples
 * no load was slow, as long as that happens by chance to one sample in ten. A few loads show it
 * more surely than one: where one in twelve is slow, the last decile of single loads misses it.
 */
static bool scatters(const struct row *rows, size_t count)
{
    int64_t k = INT64_MAX;
    for (size_t i = 0; i < count; i++)
        if (curve_has(&rows[i]) && rows[i].k < k)
            k = rows[i].k;
    for (size_t i = 0; i < count; i++)
        if (curve_has(&rows[i]) && rows[i].k == k && rows[i].n <= FEW_LOADS &&
            curve_deviation(&rows[i]) > LARGEST_SCATTER * rows[i].median)
            return true;
    return false;
}

/* The same level beyond the cliff, by a line through it: C where loads scatter. */
static struct interval fast_sequential(const struct row *rows, size_t count,
                                       const struct cliff *cliff)
{
    size_t first = 0;
    double squares = 0;
    curve_over_k(rows, count, 2, CURVE_FAST, &curve);
    while (curve.x[first] < (double)cliff->first_high_k)
        first++;
    size_t beyond = curve.count - first;
    struct line line = line_fit(curve.x + first, curve.y + first, beyond);
    for (size_t i = first; i < curve.count; i++) {
        double off = curve.y[i] - line_at(line, curve.x[i]);
        squares += off * off;
    }
    double time = line_at(line, curve.x[first]);
    double reach = 1.96 * __builtin_sqrt(squares) / (double)beyond;
    return (struct interval){time, time - reach, time + reach};
}

/*
 * A jump from near one load's time to two. Where loads scatter, chance makes steps of a smooth rise
 * too: those that start beyond half the way widen the interval, no more.
 */
static bool jump_tells(size_t jump, size_t reaching, const struct interval *sequential, bool fast)
{
    if (jump == curve.count || jump + 1 > reaching)
        return false;
    return !fast || curve.y[jump] < (curve.y[0] + sequential->value) / 2;
}

static void find_mlp(size_t jump, const struct interval *sequential, struct overlap *o)
{
    size_t reaching = first_reaching(sequential->value * (1 - TOLERANCE));
    o->jumped = jump_tells(jump, reaching, sequential, o->fast);
    size_t next = o->jumped ? jump + 1 : reaching;
    o->reached = next < curve.count;
    o->low = n_before(next);
    if (!o->reached)
        return;
    double error = 1.96 * curve.error[next];
    o->mlp = (int64_t)curve.x[next] - 1;
    o->below_n = next > 0 ? (int64_t)curve.x[next - 1] : 0;
    o->gap = next == 0 || o->below_n != o->mlp;
    o->time = (struct interval){curve.y[next], curve.y[next] - error, curve.y[next] + error};
    o->high = o->mlp;
    if (o->gap) {
        o->low = o->below_n;
    } else if (!o->jumped) {
        /* What the interval of C, and the neighbours' own errors, leave open. */
        size_t early = first_reaching(sequential->low * (1 - TOLERANCE) - error);
        size_t late = first_reaching(sequential->high + error);
        o->low = n_before(early < next ? early : next);
        if (jump + 1 < next && o->low > (int64_t)curve.x[jump])
            o->low = (int64_t)curve.x[jump];
        o->high = late < curve.count ? n_before(late > next ? late : next) : OVERLAP_OPEN;
    }
}

void overlap_find(const struct row *rows, size_t count, const struct cliff *cliff,
                  struct overlap *o)
{
    struct interval sequential = cliff->sequential;
    *o = (struct overlap){.fast = scatters(rows, count)};
    if (cliff->found && o->fast)
        sequential = fast_sequential(rows, count, cliff);
    curve_over_n(rows, count, o->fast ? CURVE_FAST : CURVE_MEDIAN, &curve);
    o->points = curve.count;
    if (curve.count == 0)
        return;
    o->largest_n = (int64_t)curve.x[curve.count - 1];
    size_t jump = first_jump();
    find_buffers(jump, o);
    if (!cliff->found)
        return;
    find_mlp(jump, &sequential, o);
    o->sure = !o->gap && (o->jumped || (o->high != OVERLAP_OPEN &&
                                        o->high - o->low <= (o->fast ? WIDEST_FAST : WIDEST)));
}
