/* loaded_rule: how much longer does a load take while other cores move so many bytes?
 *
 * Expected: little more up to some share of the peak, and then a steep rise.
 * Seen: a Zen 4 guest, one other core that reads: 399 ticks at rest, 412 at half of the peak, 527
 * at the peak of 26.5 GB/s, which is one core's and not the memory's.
 * Not understood: in one guest the same traffic added 88 ticks to a load in one run and below ten
 * in another; its hypervisor may have moved the virtual processors. */
#include "loaded_rule.h"

#include "../../analysis/curve.h"
#include "../../analysis/drift.h"
#include "../../config/config.h"
#include "../../lib/string.h"
#include "../answer.h"
#include "../experiment.h"

#define OWN_PACE 1.3 /* times as slow: work that slows our core so much runs on it */

const struct loaded_work loaded_works[] = {
    {"read", GENERATOR_READ},
    {"write", GENERATOR_WRITE},
    {"copy", GENERATOR_COPY},
    {NULL, GENERATOR_WORKS},
};

/* One rate of the others. */
struct loaded_rate {
    int64_t pause;            /* ROW_NONE: they rest */
    struct interval latency;  /* ticks of a load of the chain */
    double start;             /* ticks of a chain besides its loads */
    struct interval moved;    /* GB/s */
    uint64_t samples, visits; /* of the long chain */
};

/* A case. */
struct loaded_curve {
    const struct table *table;
    unsigned count;
    struct loaded_rate rate[CONFIG_LIST_MAX + 1]; /* rest, if it was measured, and then rising */
    unsigned peak;                                /* the rate at which most is moved */
};

/* --- reading the rows ------------------------------------------------------------------------ */

static const struct row *find_at_pause(const struct table *table, const char *metric, int64_t n,
                                       int64_t pause)
{
    return table_find_at(table, metric, n, pause, ROW_ANY, ROW_ANY);
}

/* Reads a rate's rows. False: one is missing. The difference of both chains leaves overhead out. */
static bool read_rate(const struct table *table, const struct row *chain, struct loaded_rate *rate)
{
    const struct row *shorter = find_at_pause(table, LOADED_CHAIN, LOADED_SHORT, chain->k);
    const struct row *traffic = find_at_pause(table, LOADED_TRAFFIC, LOADED_LONG, chain->k);
    if (shorter == NULL || traffic == NULL)
        return false;
    struct interval few = curve_median(shorter);
    struct interval load = interval_scale(interval_subtract(curve_median(chain), few),
                                          1.0 / (LOADED_LONG - LOADED_SHORT));
    *rate = (struct loaded_rate){
        .pause = chain->k,
        .latency = interval_around(load.value, interval_half_width(load)),
        .start = few.value - LOADED_SHORT * load.value,
        .moved = curve_median(traffic),
        .samples = chain->samples,
        .visits = chain->visits,
    };
    return true;
}

/* Adds a rate in front of the others, whose pauses were shorter; rest stays first. */
static void insert_rate(struct loaded_curve *c, const struct loaded_rate *rate)
{
    unsigned at = c->count > 0 && c->rate[0].pause == ROW_NONE;
    if (c->count == CONFIG_LIST_MAX + 1)
        return;
    memmove(&c->rate[at + 1], &c->rate[at], (c->count++ - at) * sizeof *rate);
    c->rate[at] = *rate;
}

static void read_curve(const struct table *table, struct loaded_curve *c)
{
    struct loaded_rate rate;
    *c = (struct loaded_curve){.table = table};
    for (TABLE_ROWS(row, table))
        if (row->n == LOADED_LONG && row_is(row, LOADED_CHAIN) &&
            row->samples >= CURVE_LEAST_SAMPLES && read_rate(table, row, &rate))
            insert_rate(c, &rate);
    for (unsigned i = 1; i < c->count; i++)
        if (c->rate[i].moved.value > c->rate[c->peak].moved.value)
            c->peak = i;
}

/* --- doubts ---------------------------------------------------------------------------------- */

/* True if additions, which need no memory, take longer while the others work. */
static bool share_the_core(const struct loaded_curve *c)
{
    int64_t shortest = c->rate[c->count - 1].pause;
    const struct row *rest = find_at_pause(c->table, LOADED_PACE, LOADED_LONG, ROW_NONE);
    const struct row *work = find_at_pause(c->table, LOADED_PACE, LOADED_LONG, shortest);
    return rest != NULL && work != NULL &&
           curve_median(work).low > curve_median(rest).high * OWN_PACE;
}

/* True if a chain's time is that of its loads, but for one: they neither hit now and then nor
 * overlap. */
static bool adds_up(const struct loaded_rate *rate)
{
    double most =
        rate->latency.value +
        LOADED_LONG * interval_half_width(rate->latency); /* the short chain's, and more */
    return rate->latency.value > 0 && rate->start > -most && rate->start < most;
}

static enum reason doubt_of_rest(const struct loaded_curve *c)
{
    const struct loaded_rate *rest = &c->rate[0];
    if (share_the_core(c))
        return REASON_CONTROL_SHOWS_IT;
    if (rest->moved.value > SAME_SHARE * c->rate[c->peak].moved.value)
        return REASON_OTHERS_ACTIVE;
    return adds_up(rest) ? REASON_NONE : REASON_CONTRADICTS;
}

/* True if `x` is less than one of those before it, and not by chance. */
static bool falls_below(double *most, struct interval x)
{
    bool falls = x.high < *most * (1 - SAME_SHARE);
    *most = x.low > *most ? x.low : *most;
    return falls;
}

static enum reason doubt_of_bandwidth(const struct loaded_curve *c)
{
    double most = 0;
    if (c->rate[c->peak].moved.low <= c->rate[1].moved.high)
        return REASON_NO_RISE;
    for (unsigned i = 1; i < c->count; i++)
        if (falls_below(&most, c->rate[i].moved))
            return REASON_FALLS;
    return REASON_NONE;
}

static enum reason doubt_of_latency(const struct loaded_curve *c)
{
    double most = 0;
    for (unsigned i = 0; i <= c->peak; i++)
        if (falls_below(&most, c->rate[i].latency))
            return REASON_FALLS;
    if (c->rate[c->peak].latency.low <= c->rate[0].latency.high)
        return REASON_NOT_SATURATED;
    for (unsigned i = 0; i < c->count; i++)
        if (!adds_up(&c->rate[i]))
            return REASON_CONTRADICTS;
    return REASON_NONE;
}

/* --- verdicts -------------------------------------------------------------------------------- */

/* True if the others rested, too; if not, skips the verdict. */
static bool has_rest(const struct loaded_curve *c, struct verdict *v)
{
    if (c->count > 0 && c->rate[0].pause == ROW_NONE)
        return true;
    answer_skip(v, REASON_NOT_MEASURED, "chains of loads while the other cores rest");
    return false;
}

/* True if there is all that the other answers need. */
static bool has_rates(const struct loaded_curve *c, struct verdict *v)
{
    if (!has_rest(c, v))
        return false;
    if (c->count < 3)
        answer_skip(v, REASON_TOO_FEW_POINTS, "two rates of the other cores");
    else if (!(c->rate[c->peak].moved.value > 0))
        answer_skip(v, REASON_NO_RISE, "by the other cores");
    else
        return true;
    return false;
}

static void judge_idle(const void *reading, struct verdict *v)
{
    const struct loaded_curve *c = reading;
    const struct loaded_rate *rest = &c->rate[0];
    if (!has_rest(c, v))
        return;
    answer(v, drift_widen(rest->latency, c->table),
           doubt_of_rest(c) ?: answer_scatter(rest->latency),
           "per load in chains of %d, the other cores at rest; %lu samples, %lu visits",
           LOADED_LONG, (unsigned long)rest->samples, (unsigned long)rest->visits);
}

/* Judges the peak. Its rate may have won by chance: any rate's bandwidth may be the peak. */
static void judge_peak(const void *reading, struct verdict *v)
{
    const struct loaded_curve *c = reading;
    const struct loaded_rate *peak = &c->rate[c->peak];
    struct interval x = peak->moved;
    if (!has_rates(c, v))
        return;
    for (unsigned i = 1; i < c->count; i++)
        x.high = c->rate[i].moved.high > x.high ? c->rate[i].moved.high : x.high;
    answer(v, drift_widen(x, c->table),
           doubt_of_rest(c) ?: doubt_of_bandwidth(c) ?: doubt_of_latency(c) ?: answer_scatter(x),
           "the most of %u rates, at pause %ld; %lu visits", c->count - 1, (long)peak->pause,
           (unsigned long)peak->visits);
}

/* Returns the part `t` of the way from one value to the next. */
static struct interval part_way(struct interval from, struct interval to, double t)
{
    return interval_add(interval_scale(from, 1 - t), interval_scale(to, t));
}

/* Returns the latency on the straight line from one rate to the next, where `half` is moved. A
 * curve that bends upwards, as queues' do, lies below the line, but not below its start. */
static struct interval latency_between(const struct loaded_rate *below,
                                       const struct loaded_rate *above, struct interval half)
{
    double span = above->moved.value - below->moved.value;
    double rise = above->latency.value - below->latency.value;
    if (!(span > 0)) /* both move as much: the latency may be either's */
        return (struct interval){above->latency.value,
                                 smaller(below->latency.low, above->latency.low),
                                 larger(below->latency.high, above->latency.high)};
    double t = (half.value - below->moved.value) / span, bend = rise > 0 ? t * rise : 0;
    struct interval x = part_way(below->latency, above->latency, t);
    struct interval moved =
        interval_widen(part_way(below->moved, above->moved, t), interval_half_width(half));
    x = interval_widen(x, rise / span * interval_half_width(moved));
    x.low -= bend < x.low ? bend : x.low;
    return x;
}

static void judge_half(const void *reading, struct verdict *v)
{
    const struct loaded_curve *c = reading;
    struct interval half = interval_scale(c->rate[c->peak].moved, 0.5);
    unsigned i = 1;
    if (!has_rates(c, v))
        return;
    while (i < c->peak && c->rate[i].moved.value < half.value)
        i++;
    const struct loaded_rate *below = &c->rate[i - 1], *above = &c->rate[i];
    struct interval x = latency_between(below, above, half);
    enum reason doubt = i == 1                             ? REASON_RANGE_ENDS
                        : answer_scatter(x) != REASON_NONE ? REASON_EDGE_NOT_PLACED
                                                           : REASON_NONE;
    answer(v, drift_widen(x, c->table), doubt,
           "interpolated at %.1f GB/s, between %.1f and %.1f; %lu and %lu samples", half.value,
           below->moved.value, above->moved.value, (unsigned long)below->samples,
           (unsigned long)above->samples);
}

/* Judges the time at the peak: any rate that moves as much, within errors, may be the peak. */
static void judge_at_peak(const void *reading, struct verdict *v)
{
    const struct loaded_curve *c = reading;
    const struct loaded_rate *peak = &c->rate[c->peak];
    struct interval x = peak->latency;
    if (!has_rates(c, v))
        return;
    for (unsigned i = 1; i < c->count; i++) {
        const struct loaded_rate *other = &c->rate[i];
        if (other->moved.high < peak->moved.low)
            continue;
        x.low = other->latency.low < x.low ? other->latency.low : x.low;
        x.high = other->latency.high > x.high ? other->latency.high : x.high;
    }
    answer(v, drift_widen(x, c->table), answer_scatter(x),
           "per load at %.1f GB/s, pause %ld; %lu samples, %lu visits", peak->moved.value,
           (long)peak->pause, (unsigned long)peak->samples, (unsigned long)peak->visits);
}

/* False of a stream of our own core, which older runs have. */
static bool is_of_work(const struct variant *variant)
{
    const struct loaded_work *work = loaded_works;
    while (work->pattern != NULL && strcmp(work->pattern, variant->pattern) != 0)
        work++;
    return work->pattern != NULL;
}

static const struct question loaded_questions[] = {
    QUESTION("idle_latency", "ticks", is_of_work, NEEDS_CLOCK, judge_idle,
             MEANS("ticks per load while the other cores rest")),
    QUESTION("peak_bandwidth", "GB/s", is_of_work, 0, judge_peak,
             MEANS("the most GB/s that the others move, over all rates")),
    QUESTION("latency_at_half", "ticks", is_of_work, NEEDS_CLOCK, judge_half,
             MEANS("ticks per load at half of that"), .leans_on = "peak_bandwidth"),
    QUESTION("latency_at_peak", "ticks", is_of_work, NEEDS_CLOCK, judge_at_peak,
             MEANS("ticks per load at the most"), .leans_on = "peak_bandwidth"),
    {.name = NULL},
};

static void judge_loaded(const struct evidence *e)
{
    struct loaded_curve c;
    read_curve(e->table, &c);
    answer_all(e, loaded_questions, &c);
}

const struct rule rule_loaded = {
    .questions = (const struct question *const[]){loaded_questions, NULL},
    .judge = judge_loaded,
};
