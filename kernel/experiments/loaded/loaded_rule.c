/* loaded_rule: one curve of latency over bandwidth; and what our own core moves alone. */
#include "loaded_rule.h"

#include "../../analysis/curve.h"
#include "../../analysis/drift.h"
#include "../../lib/string.h"
#include "../answer.h"
#include "../experiment.h"

#define RATES_MAX 128     /* of a curve, rest included; results.csv has them all */
#define PRECISE_SHARE 0.1 /* a number known to this share of itself is an answer */
#define SAME_SHARE 0.05   /* a smaller difference is hardly another machine's */
#define REST_SHARE 0.01   /* of the peak: cores that move more do not rest */
#define LEAST_RISE 1.2    /* of bandwidth, from the slowest rate to the peak */
#define OWN_PACE 1.3      /* times as slow: work that slows our core so much runs on it */
#define CACHED_SHARE 0.15 /* an array half as large may be so much faster, and no more */
#define START_SHARE 1.0   /* of a load: a chain may take so much besides its loads, or less */

const struct loaded_work loaded_works[] = {
    {"read", GENERATOR_READ},
    {"write", GENERATOR_WRITE},
    {"copy", GENERATOR_COPY},
    {NULL, GENERATOR_WORKS},
};

const struct loaded_stream loaded_streams[] = {
    {"stream_read", GENERATOR_READ, false},  {"stream_vector_read", GENERATOR_READ, true},
    {"stream_write", GENERATOR_WRITE, true}, {"stream_copy", GENERATOR_COPY, true},
    {NULL, GENERATOR_WORKS, false},
};

/* Verdicts in the order of enum loaded_answer; then those of streams. */
static const char *const verdict_names[] = {
    "idle_latency",    "peak_bandwidth", "latency_at_half",
    "latency_at_peak", "stream_read",    "stream_vector_read",
    "stream_write",    "stream_copy",    NULL};

enum loaded_answer { IDLE, PEAK, AT_HALF, AT_PEAK, ANSWERS };

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
    struct loaded_rate rate[RATES_MAX]; /* rest, if it was measured, and then rising */
    unsigned peak;                      /* the rate at which most is moved */
    const char *doubt;                  /* of all its answers; NULL: none */
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

/* True if `a` comes first: rest does, and the shorter the pause, the higher the rate. */
static bool is_lower_rate(const struct loaded_rate *a, const struct loaded_rate *b)
{
    return a->pause == ROW_NONE || (b->pause != ROW_NONE && a->pause > b->pause);
}

static void insert_rate(struct loaded_curve *c, const struct loaded_rate *rate)
{
    unsigned at = c->count;
    if (c->count == RATES_MAX)
        return;
    for (; at > 0 && is_lower_rate(rate, &c->rate[at - 1]); at--)
        c->rate[at] = c->rate[at - 1];
    c->rate[at] = *rate;
    c->count++;
}

static void read_curve(const struct table *table, struct loaded_curve *c)
{
    struct loaded_rate rate;
    c->table = table;
    c->count = c->peak = 0;
    c->doubt = NULL;
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

/* True if a chain's time is that of its loads: they neither hit now and then nor overlap. */
static bool adds_up(const struct loaded_rate *rate)
{
    double most =
        START_SHARE * rate->latency.value +
        LOADED_LONG * interval_half_width(rate->latency); /* the short chain's, and more */
    return rate->latency.value > 0 && rate->start > -most && rate->start < most;
}

static const char *doubt_of_rest(const struct loaded_curve *c)
{
    const struct loaded_rate *rest = &c->rate[0];
    if (rest->moved.value > REST_SHARE * c->rate[c->peak].moved.value)
        return "the other cores move data while they should rest";
    return adds_up(rest) ? NULL : "a long chain and a short one give different latencies";
}

/* True if `x` is less than one of those before it, and not by chance. */
static bool falls_below(double *most, struct interval x)
{
    bool falls = x.high < *most * (1 - SAME_SHARE);
    *most = x.low > *most ? x.low : *most;
    return falls;
}

static const char *doubt_of_bandwidth(const struct loaded_curve *c)
{
    double most = 0;
    if (c->rate[c->peak].moved.low <= c->rate[1].moved.high * LEAST_RISE)
        return "the bandwidth does not rise with the rate";
    for (unsigned i = 1; i < c->count; i++)
        if (falls_below(&most, c->rate[i].moved))
            return "the bandwidth falls as the rate rises";
    return NULL;
}

static const char *doubt_of_latency(const struct loaded_curve *c)
{
    double most = 0;
    for (unsigned i = 0; i <= c->peak; i++)
        if (falls_below(&most, c->rate[i].latency))
            return "the latency falls as the bandwidth rises";
    if (c->rate[c->peak].latency.low <= c->rate[0].latency.high)
        return "the latency does not rise: these cores cannot saturate memory";
    for (unsigned i = 0; i < c->count; i++)
        if (!adds_up(&c->rate[i]))
            return "under load, a long chain and a short one give different latencies";
    return NULL;
}

static const char *doubt_of_scatter(struct interval x)
{
    return interval_half_width(x) > PRECISE_SHARE * x.value ? "the visits scatter by more than 10 %"
                                                            : NULL;
}

/* --- verdicts -------------------------------------------------------------------------------- */

static void judge_idle(const struct loaded_curve *c, struct verdict *v)
{
    const struct loaded_rate *rest = &c->rate[0];
    answer(v, drift_widen(rest->latency, c->table),
           c->doubt ?: doubt_of_rest(c) ?: doubt_of_scatter(rest->latency),
           "per load in chains of %d, the other cores at rest; %lu samples, %lu visits", LOADED_LONG,
           (unsigned long)rest->samples, (unsigned long)rest->visits);
}

/* Judges the peak. Its rate may have won by chance: any rate's bandwidth may be the peak. */
static void judge_peak(const struct loaded_curve *c, struct verdict *v)
{
    const struct loaded_rate *peak = &c->rate[c->peak];
    struct interval x = peak->moved;
    for (unsigned i = 1; i < c->count; i++)
        x.high = c->rate[i].moved.high > x.high ? c->rate[i].moved.high : x.high;
    answer(v, drift_widen(x, c->table),
           c->doubt ?: doubt_of_rest(c)
               ?: doubt_of_bandwidth(c) ?: doubt_of_latency(c) ?: doubt_of_scatter(x),
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
    double t = (half.value - below->moved.value) / span, bend = rise > 0 ? t * rise : 0;
    struct interval x = part_way(below->latency, above->latency, t);
    struct interval moved =
        interval_widen(part_way(below->moved, above->moved, t), interval_half_width(half));
    x = interval_widen(x, rise / span * interval_half_width(moved));
    x.low -= bend < x.low ? bend : x.low;
    return x;
}

static void judge_half(const struct loaded_curve *c, const char *doubt, struct verdict *v)
{
    struct interval half = interval_scale(c->rate[c->peak].moved, 0.5);
    unsigned i = 1;
    while (c->rate[i].moved.value < half.value) /* the peak ends it at the latest */
        i++;
    const struct loaded_rate *below = &c->rate[i - 1], *above = &c->rate[i];
    struct interval x = latency_between(below, above, half);
    if (doubt == NULL && i == 1)
        doubt = "even the slowest rate moves more than half: add longer loaded.pauses";
    if (doubt == NULL && doubt_of_scatter(x) != NULL)
        doubt =
            "the rates around half are too far apart, or scatter: add loaded.pauses between them";
    answer(v, drift_widen(x, c->table), doubt,
           "interpolated at %.1f GB/s, between %.1f and %.1f; %lu and %lu samples", half.value,
           below->moved.value, above->moved.value, (unsigned long)below->samples,
           (unsigned long)above->samples);
}

/* Judges the time at the peak: any rate that moves as much, within errors, may be the peak. */
static void judge_at_peak(const struct loaded_curve *c, const char *doubt, struct verdict *v)
{
    const struct loaded_rate *peak = &c->rate[c->peak];
    struct interval x = peak->latency;
    for (unsigned i = 1; i < c->count; i++) {
        const struct loaded_rate *other = &c->rate[i];
        if (other->moved.high < peak->moved.low)
            continue;
        x.low = other->latency.low < x.low ? other->latency.low : x.low;
        x.high = other->latency.high > x.high ? other->latency.high : x.high;
    }
    answer(v, drift_widen(x, c->table), doubt ?: doubt_of_scatter(x),
           "per load at %.1f GB/s, pause %ld; %lu samples, %lu visits", peak->moved.value,
           (long)peak->pause, (unsigned long)peak->samples, (unsigned long)peak->visits);
}

static void judge_curve(const struct table *table, struct verdict_list *verdicts)
{
    struct loaded_curve c;
    struct verdict *v[ANSWERS];
    const char *missing = NULL;
    unsigned first_missing = PEAK;
    read_curve(table, &c);
    if (c.count == 0 || c.rate[0].pause != ROW_NONE) {
        missing = "needs chains of loads while the other cores rest";
        first_missing = IDLE;
    } else if (c.count < 3) {
        missing = "needs two rates of the other cores or more";
    } else if (!(c.rate[c.peak].moved.value > 0)) {
        missing = "the other cores moved nothing";
    }
    for (unsigned i = 0; i < ANSWERS; i++) {
        v[i] =
            verdict_add(verdicts, table->variant, verdict_names[i], i == PEAK ? "GB/s" : "ticks");
        if (missing != NULL && i >= first_missing)
            answer_skip(v[i], "%s", missing);
    }
    if (first_missing == IDLE)
        return;
    if (share_the_core(&c))
        c.doubt = "additions slow down while the others work, so these run on this core";
    judge_idle(&c, v[IDLE]);
    if (missing != NULL)
        return;
    judge_peak(&c, v[PEAK]);
    const char *doubt = v[PEAK]->status == VERDICT_OK ? NULL : v[PEAK]->method;
    judge_half(&c, doubt, v[AT_HALF]);
    judge_at_peak(&c, doubt, v[AT_PEAK]);
}

/* --- streams --------------------------------------------------------------------------------- */

/* Finds the rows of the largest and of the smallest array with samples; NULL: no such array. */
static void find_streams(const struct table *table, const char *name, const struct row **largest,
                         const struct row **smallest)
{
    *largest = *smallest = NULL;
    for (TABLE_ROWS(row, table)) {
        if (!row_is(row, name) || row->samples < CURVE_LEAST_SAMPLES || row->center <= 0)
            continue;
        *largest = *largest == NULL || row->bytes > (*largest)->bytes ? row : *largest;
        *smallest = *smallest == NULL || row->bytes < (*smallest)->bytes ? row : *smallest;
    }
}

/* Returns GB/s: bytes in a tick, a thousand of which in a microsecond are 1 GB/s. */
static struct interval stream_rate(const struct row *row, double mhz)
{
    return interval_divide(interval_around((double)row->k * mhz / 1000, 0), curve_median(row));
}

static void judge_stream(const struct table *table, const char *name, struct verdict *v)
{
    char size[SIZE_TEXT_MAX];
    const struct row *largest, *smallest, *clock = table_find(table, LOADED_CLOCK);
    find_streams(table, name, &largest, &smallest);
    if (largest == NULL || clock == NULL || !(clock->median > 0)) {
        answer_skip(v, "was not measured");
        return;
    }
    struct interval x = stream_rate(largest, clock->median), drifting = drift_widen(x, table);
    const char *doubt = NULL;
    if (smallest == largest)
        doubt = "an array half as large was not measured, so caches may hold a part of this one";
    else if (stream_rate(smallest, clock->median).low > drifting.high * (1 + CACHED_SHARE))
        doubt = "an array half as large is faster: caches hold a part of it";
    answer(v, drifting, doubt ?: doubt_of_scatter(x),
           "%s by %ld-byte accesses; %lu samples, %lu visits",
           size_text(size, (uint64_t)largest->bytes), (long)largest->n,
           (unsigned long)largest->samples, (unsigned long)largest->visits);
}

static bool is_stream(const struct variant *variant)
{
    return strcmp(variant->pattern, LOADED_STREAM) == 0;
}

/*
 * Adds for each case of other cores at work: idle_latency, of a load of a chain in memory while
 * they rest; peak_bandwidth, the most that they move together; latency_at_half and latency_at_peak,
 * of a load while they move half of that, and that. For our own core alone, what its streams move.
 */
static void judge_loaded(const struct table *table, struct verdict_list *verdicts)
{
    if (!is_stream(table->variant)) {
        judge_curve(table, verdicts);
        return;
    }
    for (const struct loaded_stream *s = loaded_streams; s->name != NULL; s++)
        judge_stream(table, s->name, verdict_add(verdicts, table->variant, s->name, "GB/s"));
}

static bool loaded_gives(const struct variant *variant, const char *name)
{
    bool is_of_stream = false;
    for (const struct loaded_stream *s = loaded_streams; s->name != NULL; s++)
        is_of_stream |= strcmp(s->name, name) == 0;
    return is_of_stream == is_stream(variant);
}

const struct rule rule_loaded = {
    .judge = judge_loaded,
    .verdicts = verdict_names,
    .gives = loaded_gives,
};
