/* timeline_rule: in which cycle of a probe does a count rise?
 *
 * Expected: the same probe from the same state, its counters stopped one cycle later each time, is
 * a film of it (B. Falk, "Sushi Roll", 2019). Serialized additions retire one a cycle.
 * Seen: nothing but the modelled core; no run of a processor with counters is kept. */
#include "timeline_rule.h"

#include "../../analysis/curve.h"
#include "../../analysis/line.h"
#include "../../lib/string.h"
#include "../answer.h"
#include "../experiment.h"

#define HALF 0.5
#define NARROW 8 /* cycles: an interval that is no wider is an answer */

enum timeline_answer { OFF, ZERO, FIRST_MISS, LAST_MISS, MISSES, WALK, RETIREMENT, ANSWERS };

/* Events by preference: the first counted is used. Counts of walks in flight rise as one starts. */
static const char *const cycle_events[] = {"core_cycles", "core_cycles_gp", NULL};
static const char *const retired_events[] = {"instructions", "instructions_gp", NULL};
static const char *const miss_events[] = {"mab_alloc_loads", "l2_demand_data_rd", "l2_requests_all",
                                          NULL};
static const char *const walk_events[] = {"dtlb_walk_pending",     "dtlb_walk_duration",
                                          "dtlb_miss_causes_walk", "page_walker_alloc_dside",
                                          "dtlb_walk_completed",   NULL};

/* One event over the cycles that were really counted. 87 KB. */
struct timeline_series {
    const char *event; /* NULL: none was counted */
    size_t count;
    double x[CURVE_MAX], median[CURVE_MAX], mean[CURVE_MAX], p10[CURVE_MAX], p90[CURVE_MAX];
    double samples;            /* of a point: the fewest */
    int64_t shortest, longest; /* cycles asked for */
};

static const struct row *find_event(const struct row *from, const struct row *to,
                                    const char *const *events)
{
    for (; *events != NULL; events++)
        for (const struct row *row = from; row < to; row++)
            if (row_is(row, *events))
                return row;
    return NULL;
}

/* True if the span closed; else counters did not stop at its end and were read one by one. */
static bool is_closed(const struct row *cycles)
{
    return cycles != NULL && cycles->min >= (double)cycles->stage;
}

static void add_to_series(struct timeline_series *s, const struct row *row, double cycles)
{
    size_t i = s->count++;
    s->event = row->metric;
    s->shortest = i == 0 ? row->stage : s->shortest;
    s->longest = row->stage;
    s->x[i] = cycles;
    s->median[i] = row->median;
    s->mean[i] = row->mean;
    s->p10[i] = row->p10;
    s->p90[i] = row->p90;
    if (i == 0 || (double)row->samples < s->samples)
        s->samples = (double)row->samples;
}

/* Reads the first of the events that each span has. False: too few spans have one. */
static bool read_series(const struct table *table, const char *const *events,
                        struct timeline_series *s)
{
    const struct row *end = table->rows + table->count, *next;
    s->event = NULL;
    s->count = 0;
    for (const struct row *row = table->rows; row < end; row = next) {
        for (next = row; next < end && next->stage == row->stage;)
            next++;
        const struct row *cycles = find_event(row, next, cycle_events);
        const struct row *counted = find_event(row, next, events);
        if (row->stage != ROW_NONE && counted != NULL && is_closed(cycles) && s->count < CURVE_MAX)
            add_to_series(s, counted, cycles->mean);
    }
    return s->count >= FEWEST_POINTS;
}

/* Finds the cycles in one of which a level first reaches `least`, from `after` on. False: never. */
static bool find_rise(const struct timeline_series *s, const double *level, double least,
                      double after, struct interval *rise)
{
    size_t i = 0;
    while (i < s->count && !(s->x[i] > after && level[i] >= least))
        i++;
    if (i == s->count)
        return false;
    double low = i > 0 && s->x[i - 1] > after ? s->x[i - 1] : after, high = s->x[i] - 1;
    *rise = (struct interval){(low + high) / 2, low, high};
    return true;
}

/*
 * Finds when half of the samples have come to `least`. The interval holds the cycles that were left
 * out, all of them, and beyond them the error of the median by the samples' scatter (curve_median).
 */
static bool find_moment(const struct timeline_series *s, double least, double after,
                        struct interval *moment)
{
    struct interval rise, early, late;
    if (!find_rise(s, s->median, least, after, &rise))
        return false;
    if (!find_rise(s, s->p90, least, after, &early))
        early.high = rise.high;
    if (!find_rise(s, s->p10, least, after, &late))
        late.high = s->x[s->count - 1];
    double deviation = (late.high - early.high) / DECILES_APART;
    double half_width = NORMAL_95 * MEDIAN_ERROR * deviation / __builtin_sqrt(s->samples);
    *moment = (struct interval){rise.value, rise.low - half_width, rise.high + half_width};
    return true;
}

/* --- the control ----------------------------------------------------------------------------- */

struct timeline_control {
    enum reason doubt; /* none: each addition retires in its cycle */
    double start;      /* the cycle in which the first addition retires, */
    double resolution; /* and how far any is off its own */
    double rms, most;  /* the ends of the resolution's interval */
    double slope;      /* 0: not measured */
};

/* The middle half of the additions, without what stands around them. */
struct timeline_middle {
    size_t count;
    double x[CURVE_MAX], y[CURVE_MAX];
};

static void choose_middle(const struct timeline_series *s, struct timeline_middle *middle)
{
    double from = s->mean[0] + TIMELINE_ADDITIONS_COUNT / 4.0;
    double to = from + TIMELINE_ADDITIONS_COUNT / 2.0;
    for (size_t i = 0; i < s->count; i++)
        if (s->mean[i] > from && s->mean[i] < to) {
            middle->x[middle->count] = s->x[i];
            middle->y[middle->count++] = s->mean[i];
        }
}

static void fit_additions(const struct timeline_series *s, const struct timeline_middle *middle,
                          struct timeline_control *c)
{
    size_t count = middle->count;
    struct line line = line_fit(middle->x, middle->y, count);
    double squares = line_squares(line, middle->x, middle->y, count);
    double before = __builtin_nan(""); /* retired before the line; NAN: it starts too early */
    c->slope = line.slope;
    c->rms = __builtin_sqrt(squares / (double)count);
    for (size_t i = 0; i < count; i++) {
        double off = __builtin_fabs(middle->y[i] - line_at(line, middle->x[i]));
        c->resolution = off > c->resolution ? off : c->resolution;
    }
    for (size_t i = 0; i < s->count && s->x[i] <= middle->x[count - 1]; i++) {
        double half = (s->p90[i] - s->p10[i]) / 2 + c->resolution;
        if (s->x[i] >= middle->x[0])
            c->most = half > c->most ? half : c->most;
        else if (s->mean[i] - line_at(line, s->x[i]) > HALF)
            before = s->mean[i];
    }
    c->start = (before - line.offset) / line.slope;
}

/* True if an event happens where nothing is loaded. Overwrites the series. */
static bool happens(const struct table *table, const char *const *events, struct timeline_series *s)
{
    return read_series(table, events, s) && s->median[s->count - 1] - s->median[0] > HALF;
}

/* True if all of the probe is counted however many cycles are asked for. */
static bool is_never_stopped(const struct timeline_series *s)
{
    return s->x[s->count - 1] - s->x[0] < HALF * (double)(s->longest - s->shortest);
}

static struct timeline_control judge_control(const struct table *table)
{
    struct timeline_control c = {.doubt = REASON_NONE};
    struct timeline_series s;
    struct timeline_middle middle = {.count = 0};
    bool is_read = read_series(table, retired_events, &s);
    if (is_read && is_never_stopped(&s)) {
        c.doubt = REASON_COUNT_IS_OFF;
        return c;
    }
    if (is_read)
        choose_middle(&s, &middle);
    if (middle.count < FEWEST_POINTS) {
        c.doubt = REASON_TOO_FEW_POINTS;
        return c;
    }
    fit_additions(&s, &middle, &c);
    if (!(c.slope > 1 - SAME_SHARE && c.slope < 1 + SAME_SHARE) || c.start != c.start)
        c.doubt = REASON_COUNT_IS_OFF;
    else if (happens(table, miss_events, &s) || happens(table, walk_events, &s))
        c.doubt = REASON_CONTROL_SHOWS_IT;
    return c;
}

static void judge_resolution(const struct timeline_control *c, struct verdict *v)
{
    if (c->slope == 0)
        answer_skip(v, c->doubt, "%s", "");
    else
        answer(v, (struct interval){c->resolution, c->rms, c->most}, c->doubt,
               "%.3f additions per cycle; counters stopped by an overflow", c->slope);
}

/* Places cycle 0 among the cycles that rows have: these begin where the counters are started. */
static void judge_zero(const struct timeline_control *c, struct verdict *v)
{
    if (c->slope == 0 || c->start != c->start)
        answer_skip(v, c->doubt, "%s", "");
    else
        answer(v, interval_around(c->start, c->resolution), c->doubt,
               "cycles from the start of counting until the first addition retires");
}

/* --- the loads ------------------------------------------------------------------------------- */

/* Any moment may be off by the whole resolution, which is no error of samples: both ends move. */
static void conclude_moment(const struct timeline_control *c, struct verdict *v, struct interval x,
                            enum reason doubt, const char *event)
{
    x.low -= c->resolution;
    x.high += c->resolution;
    doubt = doubt ?: c->doubt ?: x.high - x.low > larger(WIDEST_SHARE * x.value, NARROW) ? REASON_SCATTER : REASON_NONE;
    answer(v, x, doubt, "%s; counters stopped by an overflow", event);
}

/* Returns cycles since the first addition retires, where additions stand in place of the loads. */
static struct interval since_start(const struct timeline_control *c, struct interval moment)
{
    return interval_subtract(moment, interval_around(c->start, 0));
}

/* Finds when the first and the last miss are issued. False: no miss is counted. */
static bool judge_misses(const struct timeline_control *c, const struct table *table,
                         struct verdict *const *v, struct interval *first)
{
    struct timeline_series s;
    struct interval last;
    bool is_read = read_series(table, miss_events, &s);
    double base = is_read ? s.median[0] : 0, loads = (double)table->rows->n;
    double misses = is_read ? s.median[s.count - 1] - base : 0;
    if (misses < HALF) {
        for (unsigned i = FIRST_MISS; i <= MISSES; i++)
            answer_skip(v[i], REASON_NOT_COUNTED, is_read ? "no miss" : "no event for misses");
        return false;
    }
    find_moment(&s, base + HALF, 0, first);
    find_moment(&s, base + misses - HALF, 0, &last);
    /* The cycles that were left out are limits, not errors of samples: ends are subtracted. */
    struct interval x = {last.value - first->value, last.low - first->high, last.high - first->low};
    bool are_all = misses > loads - HALF && misses < loads + HALF;
    enum reason doubt = are_all ? REASON_NONE : REASON_COUNT_IS_OFF;
    conclude_moment(c, v[FIRST_MISS], since_start(c, *first), doubt, s.event);
    conclude_moment(c, v[LAST_MISS], since_start(c, last), doubt, s.event);
    conclude_moment(c, v[MISSES], x, doubt, s.event);
    return true;
}

static void judge_page_walk(const struct timeline_control *c, const struct table *table,
                            struct verdict *v)
{
    struct timeline_series s;
    struct interval moment;
    bool is_read = read_series(table, walk_events, &s);
    if (!is_read || !find_moment(&s, s.median[0] + HALF, 0, &moment)) {
        answer_skip(v, REASON_NOT_COUNTED, is_read ? "no page walk" : "no event for page walks");
        return;
    }
    conclude_moment(c, v, since_start(c, moment), REASON_NONE, s.event);
}

/* `first_miss` is NULL where no miss was counted. */
static void judge_retirement(const struct timeline_control *c, const struct table *table,
                             const struct interval *first_miss, struct verdict *v)
{
    struct timeline_series s;
    struct interval moment;
    bool is_read = read_series(table, retired_events, &s);
    double level = is_read ? s.median[0] : 0; /* retired when the first addition would retire */
    for (size_t i = 0; is_read && i < s.count && s.x[i] <= c->start + HALF; i++)
        level = s.median[i];
    if (!is_read || !find_moment(&s, level + HALF, c->start, &moment)) {
        answer_skip(v, REASON_RANGE_ENDS, "nothing retires within it");
        return;
    }
    bool is_late = first_miss == NULL || moment.low > first_miss->high;
    conclude_moment(c, v, since_start(c, moment), is_late ? REASON_NONE : REASON_CONTRADICTS,
                    s.event);
}

static bool is_additions(const struct variant *variant)
{
    return strcmp(variant->pattern, TIMELINE_ADDITIONS) == 0;
}

static bool is_probe(const struct variant *variant)
{
    return !is_additions(variant);
}

/* In the order of enum timeline_answer. */
static const struct question timeline_questions[ANSWERS + 1] = {
    QUESTION("resolution", "cycles", is_additions, 0, NULL,
             MEANS("of case `additions`: the largest error of any addition's cycle")),
    QUESTION("cycle_zero", "cycles", NULL, 0, NULL,
             MEANS("counted cycles until the first addition retires: cycle 0 below")),
    QUESTION("first_miss", "cycles", is_probe, 0, NULL,
             MEANS("the cycle in which each is issued, and the cycles between")),
    QUESTION("last_miss", "cycles", is_probe, 0, NULL, NULL),
    QUESTION("misses_issued_in", "cycles", is_probe, 0, NULL, NULL),
    QUESTION("walk_start", "cycles", is_probe, 0, NULL,
             MEANS("the cycle in which the first page walk starts")),
    QUESTION("retirement_resumes", "cycles", is_probe, 0, NULL,
             MEANS("the cycle in which the first load retires")),
    {.name = NULL},
};

static void judge_probe(const struct timeline_control *c, const struct table *table,
                        struct verdict_list *verdicts)
{
    struct verdict *v[ANSWERS];
    struct interval first;
    bool has_zero = c != NULL && c->start == c->start && c->slope != 0;
    for (unsigned i = ZERO; i < ANSWERS; i++) {
        v[i] = verdict_add(verdicts, table->variant, &timeline_questions[i]);
        if (!has_zero)
            answer_skip(v[i], c != NULL ? c->doubt : REASON_NOT_MEASURED,
                        "of case " TIMELINE_ADDITIONS);
    }
    if (!has_zero)
        return;
    judge_zero(c, v[ZERO]);
    bool has_misses = judge_misses(c, table, v, &first);
    judge_page_walk(c, table, v[WALK]);
    judge_retirement(c, table, has_misses ? &first : NULL, v[RETIREMENT]);
}

/*
 * Adds `resolution` of the additions: how far any is off the cycle in which it retires, one in
 * each; for every case `cycle_zero`, from the counters' start until the first addition retires. For
 * each case of loads, from that of the additions: `misses_issued_in`, cycles from the first to the
 * last; `first_miss`, `last_miss`, `walk_start` and `retirement_resumes`, of these misses, the
 * first page walk and the first load, since the first addition retires.
 */
static void judge_timelines(const struct evidence *e)
{
    struct timeline_control control, *c = NULL;
    const struct table *end = e->tables->at + e->tables->count;
    for (const struct table *t = e->tables->at; t < end; t++)
        if (is_additions(t->variant)) {
            control = judge_control(t);
            c = &control;
            judge_resolution(c, verdict_add(e->verdicts, t->variant, &timeline_questions[OFF]));
            judge_zero(c, verdict_add(e->verdicts, t->variant, &timeline_questions[ZERO]));
        }
    for (const struct table *t = e->tables->at; t < end; t++)
        if (is_probe(t->variant))
            judge_probe(c, t, e->verdicts);
}

const struct rule rule_timeline = {
    .questions = (const struct question *const[]){timeline_questions, NULL},
    .judge_all = judge_timelines,
};
