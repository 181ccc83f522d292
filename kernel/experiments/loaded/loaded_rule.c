/* loaded_rule: one curve of latency over bandwidth; and what our own core moves alone. */
#include "loaded_rule.h"

#include "../../analysis/curve.h"
#include "../../analysis/drift.h"
#include "../../lib/string.h"
#include "../experiment.h"

#define RATES_MAX 128     /* of a curve, rest included; results.csv has them all */
#define PRECISE_SHARE 0.1 /* a number known to this share of itself is an answer */
#define SAME_SHARE 0.05   /* what differs less is hardly another machine */
#define REST_SHARE 0.01   /* of the peak: who moves more does not rest */
#define LEAST_RISE 1.2    /* of bandwidth, from the slowest rate to the peak */
#define OWN_PACE 1.3      /* times as slow: what slows our core so much runs on it */
#define CACHED_SHARE 0.15 /* an array half as large may be so much faster, and no more */
#define START_SHARE 1.0   /* of a load: what a chain may take besides its loads, or less */

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

/* In the order of enum answer; then those of streams. */
static const char *const verdict_names[] = {
    "idle_latency",    "peak_bandwidth", "latency_at_half",
    "latency_at_peak", "stream_read",    "stream_vector_read",
    "stream_write",    "stream_copy",    NULL};

enum answer { IDLE, PEAK, AT_HALF, AT_PEAK, ANSWERS };

/* One rate of the others. */
struct rate {
    int64_t pause;            /* ROW_NONE: they rest */
    struct interval latency;  /* ticks of a load of the chain */
    double start;             /* ticks of a chain besides its loads */
    struct interval moved;    /* GB/s */
    uint64_t samples, visits; /* of the long chain */
};

/* A case. */
struct finding {
    const struct table *table;
    unsigned count;
    struct rate rate[RATES_MAX]; /* rest, if it was measured, and then rising */
    unsigned peak;               /* the one at which most is moved */
    const char *doubt;           /* of all it says; NULL */
};

static struct finding found; /* too large for a firmware's stack */

/* --- reading the rows ------------------------------------------------------------------------ */

static const struct row *find_row(const struct table *table, const char *metric, int64_t n,
                                  int64_t k)
{
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->n == n && row->k == k && row_is(row, metric) && row->samples > 0)
            return row;
    return NULL;
}

/* Half the width of an interval. */
static double reach_of(struct interval x)
{
    return (x.high - x.low) / 2;
}

static double root_of_squares(double a, double b)
{
    return __builtin_sqrt(a * a + b * b);
}

static struct interval around(double value, double reach)
{
    double low = value - reach;
    return (struct interval){value, low > 0 ? low : 0, value + reach};
}

/* False: not all of its rows are there. What both chains take alike is in neither's difference. */
static bool read_rate(const struct table *table, const struct row *chain, struct rate *rate)
{
    const struct row *shorter = find_row(table, LOADED_CHAIN, LOADED_SHORT, chain->k);
    const struct row *traffic = find_row(table, LOADED_TRAFFIC, LOADED_LONG, chain->k);
    if (shorter == NULL || traffic == NULL)
        return false;
    struct interval all = curve_median(chain), few = curve_median(shorter);
    const double loads = LOADED_LONG - LOADED_SHORT;
    double reach = root_of_squares(all.high - all.value, few.high - few.value) / loads;
    *rate = (struct rate){
        .pause = chain->k,
        .latency = around((all.value - few.value) / loads, reach),
        .moved = curve_median(traffic),
        .samples = chain->samples,
        .visits = chain->visits,
    };
    rate->start = few.value - LOADED_SHORT * rate->latency.value;
    return true;
}

/* Rest comes first; the shorter the pause, the higher the rate. */
static bool is_before(const struct rate *a, const struct rate *b)
{
    return a->pause == ROW_NONE || (b->pause != ROW_NONE && a->pause > b->pause);
}

static void add_rate(struct finding *f, const struct rate *rate)
{
    unsigned at = f->count;
    if (f->count == RATES_MAX)
        return;
    for (; at > 0 && is_before(rate, &f->rate[at - 1]); at--)
        f->rate[at] = f->rate[at - 1];
    f->rate[at] = *rate;
    f->count++;
}

static void find(const struct table *table, struct finding *f)
{
    struct rate rate;
    f->table = table;
    f->count = f->peak = 0;
    f->doubt = NULL;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->n == LOADED_LONG && row_is(row, LOADED_CHAIN) &&
            row->samples >= CURVE_LEAST_SAMPLES && read_rate(table, row, &rate))
            add_rate(f, &rate);
    for (unsigned i = 1; i < f->count; i++)
        if (f->rate[i].moved.value > f->rate[f->peak].moved.value)
            f->peak = i;
}

static bool has_rest(const struct finding *f)
{
    return f->count > 0 && f->rate[0].pause == ROW_NONE;
}

/* --- doubts ---------------------------------------------------------------------------------- */

/* Additions, which need no memory, take longer while the others work. */
static bool share_the_core(const struct finding *f)
{
    const struct row *rest = find_row(f->table, LOADED_PACE, LOADED_LONG, ROW_NONE);
    const struct row *work =
        find_row(f->table, LOADED_PACE, LOADED_LONG, f->rate[f->count - 1].pause);
    return rest != NULL && work != NULL &&
           curve_median(work).low > curve_median(rest).high * OWN_PACE;
}

/* Loads that hit now and then, or a chain that is none, do not add up. */
static bool adds_up(const struct rate *rate)
{
    double most = START_SHARE * rate->latency.value +
                  LOADED_LONG * reach_of(rate->latency); /* of the short chain, and then some */
    return rate->latency.value > 0 && rate->start > -most && rate->start < most;
}

static const char *doubt_of_rest(const struct finding *f)
{
    const struct rate *rest = &f->rate[0];
    if (rest->moved.value > REST_SHARE * f->rate[f->peak].moved.value)
        return "the other cores do not rest when they are to";
    return adds_up(rest) ? NULL : "a long chain of loads does not take what a short one says";
}

/* Whether some rate moves less than a slower one, and not by chance. */
static bool falls(const struct finding *f)
{
    double most = 0;
    for (unsigned i = 1; i < f->count; i++) {
        if (f->rate[i].moved.high < most * (1 - SAME_SHARE))
            return true;
        most = f->rate[i].moved.low > most ? f->rate[i].moved.low : most;
    }
    return false;
}

/* The same of latency, up to the peak. */
static bool latency_falls(const struct finding *f)
{
    double most = 0;
    for (unsigned i = 0; i <= f->peak; i++) {
        if (f->rate[i].latency.high < most * (1 - SAME_SHARE))
            return true;
        most = f->rate[i].latency.low > most ? f->rate[i].latency.low : most;
    }
    return false;
}

static const char *doubt_of_bandwidth(const struct finding *f)
{
    const struct rate *slowest = &f->rate[1], *peak = &f->rate[f->peak];
    if (peak->moved.low <= slowest->moved.high * LEAST_RISE)
        return "the bandwidth does not rise with the rate";
    if (falls(f))
        return "the bandwidth falls where the rate rises";
    return NULL;
}

/* Of the curve. */
static const char *doubt_of_latency(const struct finding *f)
{
    if (latency_falls(f))
        return "the latency falls where the bandwidth rises";
    if (f->rate[f->peak].latency.low <= f->rate[0].latency.high)
        return "the latency does not rise: what these cores move is not what memory can";
    for (unsigned i = 0; i < f->count; i++)
        if (!adds_up(&f->rate[i]))
            return "under load, a long chain does not take what a short one says";
    return NULL;
}

static const char *first_of(const char *a, const char *b)
{
    return a != NULL ? a : b;
}

static const char *scatter_of(struct interval x)
{
    return reach_of(x) > PRECISE_SHARE * x.value ? "the visits scatter by more than a tenth" : NULL;
}

/* --- verdicts -------------------------------------------------------------------------------- */

/* With what visits and epochs leave open; `how` is said where nothing is in doubt. */
static void conclude(const struct table *table, struct verdict *v, struct interval x,
                     const char *doubt, const char *how)
{
    doubt = first_of(doubt, scatter_of(x));
    x = drift_widen(x, table);
    verdict_value(v, x.value, x.low, x.high);
    verdict_conclude(v, doubt != NULL ? VERDICT_DOUBT : VERDICT_OK, "%s",
                     doubt != NULL ? doubt : how);
}

static void judge_idle(const struct finding *f, struct verdict *v)
{
    char how[VERDICT_METHOD_BYTES];
    const struct rate *rest = &f->rate[0];
    text_write(how, sizeof how, "a load of chains of %d, others at rest; %lu samples, %lu visits",
               LOADED_LONG, (unsigned long)rest->samples, (unsigned long)rest->visits);
    conclude(f->table, v, rest->latency, first_of(f->doubt, doubt_of_rest(f)), how);
}

/* What was chosen as the most may be so by chance. */
static void judge_peak(const struct finding *f, struct verdict *v)
{
    char how[VERDICT_METHOD_BYTES];
    const struct rate *peak = &f->rate[f->peak];
    struct interval x = peak->moved;
    for (unsigned i = 1; i < f->count; i++)
        x.high = f->rate[i].moved.high > x.high ? f->rate[i].moved.high : x.high;
    const char *doubt = first_of(first_of(f->doubt, doubt_of_rest(f)), doubt_of_bandwidth(f));
    text_write(how, sizeof how, "the most of %u rates, at a pause of %ld; %lu visits", f->count - 1,
               (long)peak->pause, (unsigned long)peak->visits);
    conclude(f->table, v, x, first_of(doubt, doubt_of_latency(f)), how);
}

/*
 * On the straight line from one rate to the next. A curve that bends upwards, as those of queues
 * do, lies below it, but not below its beginning.
 */
static struct interval between(const struct rate *below, const struct rate *above, double half,
                               double half_reach)
{
    double t = (half - below->moved.value) / (above->moved.value - below->moved.value);
    double rise = above->latency.value - below->latency.value;
    double slope = rise / (above->moved.value - below->moved.value);
    double ends = root_of_squares((1 - t) * reach_of(below->latency), t * reach_of(above->latency));
    double place = root_of_squares(
        half_reach, root_of_squares((1 - t) * reach_of(below->moved), t * reach_of(above->moved)));
    double reach = root_of_squares(ends, slope * place), bend = rise > 0 ? t * rise : 0;
    struct interval x = around(below->latency.value + t * rise, reach);
    x.low -= bend < x.low ? bend : x.low;
    return x;
}

/* The first rate that moves half of the most, or more; the peak's own at the latest. */
static unsigned first_above(const struct finding *f)
{
    unsigned i = 1;
    while (f->rate[i].moved.value < f->rate[f->peak].moved.value / 2)
        i++;
    return i;
}

static void judge_half(const struct finding *f, const char *doubt, struct verdict *v)
{
    char how[VERDICT_METHOD_BYTES];
    unsigned i = first_above(f);
    const struct rate *below = &f->rate[i - 1], *above = &f->rate[i];
    struct interval peak = f->rate[f->peak].moved;
    struct interval x = between(below, above, peak.value / 2, reach_of(peak) / 2);
    if (i == 1)
        doubt = first_of(doubt, "the slowest rate is beyond half already: add longer pauses");
    if (x.high - x.low > 2 * PRECISE_SHARE * x.value)
        doubt = first_of(doubt, "the rates around half are too far apart, or scatter: add pauses");
    text_write(how, sizeof how, "at %.1f GB/s, between %.1f and %.1f; %lu and %lu samples",
               peak.value / 2, below->moved.value, above->moved.value,
               (unsigned long)below->samples, (unsigned long)above->samples);
    conclude(f->table, v, x, doubt, how);
}

/* Any rate that moves as much, as far as one can tell, may be the one. */
static void judge_at_peak(const struct finding *f, const char *doubt, struct verdict *v)
{
    char how[VERDICT_METHOD_BYTES];
    const struct rate *peak = &f->rate[f->peak];
    struct interval x = peak->latency;
    for (unsigned i = 1; i < f->count; i++) {
        const struct rate *other = &f->rate[i];
        if (other->moved.high < peak->moved.low)
            continue;
        x.low = other->latency.low < x.low ? other->latency.low : x.low;
        x.high = other->latency.high > x.high ? other->latency.high : x.high;
    }
    text_write(how, sizeof how, "at %.1f GB/s, a pause of %ld; %lu samples, %lu visits",
               peak->moved.value, (long)peak->pause, (unsigned long)peak->samples,
               (unsigned long)peak->visits);
    conclude(f->table, v, x, doubt, how);
}

static void judge_curve(const struct table *table, struct verdict_list *verdicts)
{
    struct finding *f = &found;
    struct verdict *v[ANSWERS];
    for (unsigned i = 0; i < ANSWERS; i++)
        v[i] = verdict_add(verdicts, table->of, verdict_names[i], i == PEAK ? "GB/s" : "ticks");
    find(table, f);
    if (!has_rest(f)) {
        for (unsigned i = 0; i < ANSWERS; i++)
            verdict_conclude(v[i], VERDICT_SKIP, "needs chains of loads while the others rest");
        return;
    }
    if (share_the_core(f))
        f->doubt = "additions are slower while the others work: they run on this core";
    judge_idle(f, v[IDLE]);
    const char *missing = f->count < 3 ? "needs two rates of the other cores or more" : NULL;
    if (missing == NULL && !(f->rate[f->peak].moved.value > 0))
        missing = "the other cores moved nothing";
    if (missing != NULL) {
        for (unsigned i = PEAK; i < ANSWERS; i++)
            verdict_conclude(v[i], VERDICT_SKIP, "%s", missing);
        return;
    }
    judge_peak(f, v[PEAK]);
    const char *doubt = v[PEAK]->status == VERDICT_OK ? NULL : v[PEAK]->method;
    judge_half(f, doubt, v[AT_HALF]);
    judge_at_peak(f, doubt, v[AT_PEAK]);
}

/* --- streams --------------------------------------------------------------------------------- */

/* NULL: there is none. */
static const struct row *find_value(const struct table *table, const char *metric)
{
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row_is(row, metric) && row->median > 0)
            return row;
    return NULL;
}

/* Of the largest array with samples, and the smallest. */
static void find_stream(const struct table *table, const char *name, const struct row **largest,
                        const struct row **smallest)
{
    *largest = *smallest = NULL;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++) {
        if (!row_is(row, name) || row->samples < CURVE_LEAST_SAMPLES || row->center <= 0)
            continue;
        *largest = *largest == NULL || row->bytes > (*largest)->bytes ? row : *largest;
        *smallest = *smallest == NULL || row->bytes < (*smallest)->bytes ? row : *smallest;
    }
}

/* Bytes in a tick, a thousand of which in a microsecond are 1 GB/s. */
static struct interval stream_of(const struct row *row, double mhz)
{
    struct interval ticks = curve_median(row);
    double bytes = (double)row->k * mhz / 1000, low = ticks.low;
    return (struct interval){bytes / ticks.value, bytes / ticks.high,
                             bytes / (low > 0 ? low : ticks.value)};
}

static void judge_stream(const struct table *table, const char *name, struct verdict *v)
{
    char how[VERDICT_METHOD_BYTES], size[SIZE_TEXT_MAX];
    const struct row *largest, *smallest, *clock = find_value(table, LOADED_CLOCK);
    find_stream(table, name, &largest, &smallest);
    if (largest == NULL || clock == NULL) {
        verdict_conclude(v, VERDICT_SKIP, "was not measured");
        return;
    }
    struct interval x = stream_of(largest, clock->median),
                    half = stream_of(smallest, clock->median);
    const char *doubt = NULL;
    if (smallest == largest)
        doubt = "an array half as large was not measured: caches may hold a part of it";
    else if (half.low > drift_widen(x, table).high * (1 + CACHED_SHARE))
        doubt = "an array half as large is faster: caches hold a part of it";
    text_write(how, sizeof how, "%s in accesses of %ld bytes; %lu samples, %lu visits",
               size_text(size, (uint64_t)largest->bytes), (long)largest->n,
               (unsigned long)largest->samples, (unsigned long)largest->visits);
    conclude(table, v, x, doubt, how);
}

static bool is_stream(const struct variant *of)
{
    return strcmp(of->pattern, LOADED_STREAM) == 0;
}

/*
 * Adds for each case of other cores at work: idle_latency, of a load of a chain in memory while
 * they rest; peak_bandwidth, the most that they move together; latency_at_half and latency_at_peak,
 * of a load while they move half of that, and that. For each case of our own core alone, what its
 * streams move. Pure.
 */
static void judge(const struct table *table, struct verdict_list *verdicts)
{
    if (!is_stream(table->of)) {
        judge_curve(table, verdicts);
        return;
    }
    for (const struct loaded_stream *s = loaded_streams; s->name != NULL; s++)
        judge_stream(table, s->name, verdict_add(verdicts, table->of, s->name, "GB/s"));
}

static bool gives(const struct variant *of, const char *name)
{
    bool is_of_stream = false;
    for (const struct loaded_stream *s = loaded_streams; s->name != NULL; s++)
        is_of_stream |= strcmp(s->name, name) == 0;
    return is_of_stream == is_stream(of);
}

/* --- console --------------------------------------------------------------------------------- */

const struct rule rule_loaded = {
    .judge = judge,
    .verdicts = verdict_names,
    .gives = gives,
};
