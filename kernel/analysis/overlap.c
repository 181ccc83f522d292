/* overlap: the published rule, and the slope. */
#include "overlap.h"

#include "line.h"

#define WIDEST 2 /* N that a sure interval may span, or the share WIDEST_SHARE of N */

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
    struct interval level = interval_around(line_at(line, c->x[first]),
                                            NORMAL_95 * __builtin_sqrt(squares) / (double)beyond);
    /* More fillers take no less time: where the line falls, memory was slower for some of them.
     * (Tried: beside neighbours of an Intel family 6 model 207 guest, two loads just beyond the
     * jump took 850 ticks, and with more fillers, half a second before, 640.) */
    level.low = smaller(level.low, line_at(line, c->x[c->count - 1]));
    return level;
}

bool overlap_slope(const struct curve *c, struct interval *slope)
{
    if (c->count < 2)
        return false;
    size_t last = c->count - 1;
    double run = c->x[last] - c->x[0], value = (c->y[last] - c->y[0]) / run, bend = 0;
    for (size_t i = 1; i < last; i++) {
        double off = c->y[i] - c->y[0] - value * (c->x[i] - c->x[0]);
        bend = larger(bend, larger(off, -off));
    }
    double a = c->error[0], b = c->error[last];
    double half_width = (NORMAL_95 * __builtin_sqrt(a * a + b * b) + bend) / run;
    *slope = (struct interval){value, value - half_width, value + half_width};
    return true;
}

/* Returns the first index at which time, and `errors` standard errors, reach the level. */
static size_t first_reaching(const struct curve *c, double level, double errors)
{
    size_t i = 0;
    while (i < c->count && (c->x[i] < 2 || c->y[i] + errors * c->error[i] < level))
        i++;
    return i;
}

static void bracket_mlp(const struct curve *c, const struct interval *sequential, struct overlap *o)
{
    const double share = 1 - SAME_SHARE;
    size_t early = first_reaching(c, sequential->low * share, NORMAL_95);
    size_t late = first_reaching(c, sequential->high * share, -NORMAL_95);
    o->low = n_before(c, early);
    o->high = late < c->count ? n_before(c, late) : OVERLAP_OPEN;
    o->low = o->low < o->mlp ? o->low : o->mlp;
    o->high = o->high > o->mlp ? o->high : o->mlp;
}

void overlap_find(const struct curve *c, const struct interval *sequential, struct overlap *o)
{
    *o = (struct overlap){.mlp = 0};
    if (c->count == 0)
        return;
    o->largest_n = (int64_t)c->x[c->count - 1];
    size_t next = first_reaching(c, sequential->value * (1 - SAME_SHARE), 0);
    o->reached = next < c->count;
    o->low = n_before(c, next);
    if (!o->reached)
        return;
    o->mlp = (int64_t)c->x[next] - 1;
    o->below_n = next > 0 ? (int64_t)c->x[next - 1] : 0;
    o->gap = next == 0 || o->below_n != o->mlp;
    o->time = interval_around(c->y[next], NORMAL_95 * c->error[next]);
    bracket_mlp(c, sequential, o);
    if (o->gap && o->low > o->below_n)
        o->low = o->below_n;
    double widest = larger(WIDEST, WIDEST_SHARE * (double)o->mlp);
    o->sure = !o->gap && o->high != OVERLAP_OPEN && (double)(o->high - o->low) <= widest;
}
