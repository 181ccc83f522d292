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

/* Events by preference: the first counted is used. Counts of walks in flight rise as one starts. */
static const char *const cycle_events[] = {"core_cycles", "core_cycles_gp", NULL};
static const char *const retired_events[] = {"instructions", "instructions_gp", NULL};
static const char *const miss_events[] = {"mab_alloc_loads", "l2_demand_data_rd", "l2_requests_all",
                                          NULL};
static const char *const walk_events[] = {"dtlb_walk_pending",     "dtlb_walk_duration",
                                          "dtlb_miss_causes_walk", "page_walker_alloc_dside",
                                          "dtlb_walk_completed",   NULL};

/* An event's count over the cycles that were really counted. */
struct timeline_series {
    size_t count;
    double x[CURVE_MAX];
    const struct row *at[CURVE_MAX];
    double samples; /* of a point: the fewest */
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

/* Reads the first of the events that each span has. False: too few spans have one. */
static bool read_series(const struct table *table, const char *const *events,
                        struct timeline_series *s)
{
    const struct row *end = table->rows + table->count, *next;
    s->count = 0;
    s->samples = UINT32_MAX;
    for (const struct row *row = table->rows; row < end; row = next) {
        for (next = row; next < end && next->stage == row->stage;)
            next++;
        const struct row *cycles = find_event(row, next, cycle_events);
        const struct row *counted = find_event(row, next, events);
        if (row->stage == ROW_NONE || counted == NULL || !is_closed(cycles) ||
            s->count == CURVE_MAX)
            continue;
        s->samples = smaller(s->samples, (double)counted->samples);
        s->x[s->count] = cycles->mean;
        s->at[s->count++] = counted;
    }
    return s->count >= FEWEST_POINTS;
}

static double level_of(const struct row *row, enum curve_level level)
{
    return level == CURVE_FAST ? row->p10 : level == CURVE_SLOW ? row->p90 : row->median;
}

/* Finds the cycles in one of which a level first reaches `least`, from `after` on. False: never. */
static bool find_rise(const struct timeline_series *s, enum curve_level level, double least,
                      double after, struct interval *rise)
{
    size_t i = 0;
    while (i < s->count && !(s->x[i] > after && level_of(s->at[i], level) >= least))
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
    if (!find_rise(s, CURVE_MEDIAN, least, after, &rise))
        return false;
    if (!find_rise(s, CURVE_SLOW, least, after, &early))
        early.high = rise.high;
    if (!find_rise(s, CURVE_FAST, least, after, &late))
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
    double from = s->at[0]->mean + TIMELINE_ADDITIONS_COUNT / 4.0;
    double to = from + TIMELINE_ADDITIONS_COUNT / 2.0;
    for (size_t i = 0; i < s->count; i++)
        if (s->at[i]->mean > from && s->at[i]->mean < to) {
            middle->x[middle->count] = s->x[i];
            middle->y[middle->count++] = s->at[i]->mean;
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
        double half = (s->at[i]->p90 - s->at[i]->p10) / 2 + c->resolution;
        if (s->x[i] >= middle->x[0])
            c->most = half > c->most ? half : c->most;
        else if (s->at[i]->mean - line_at(line, s->x[i]) > HALF)
            before = s->at[i]->mean;
    }
    c->start = (before - line.offset) / line.slope;
}

/* True if an event happens where nothing is loaded. Overwrites the series. */
static bool happens(const struct table *table, const char *const *events, struct timeline_series *s)
{
    return read_series(table, events, s) && s->at[s->count - 1]->median - s->at[0]->median > HALF;
}

/* True if all of the probe is counted however many cycles are asked for. */
static bool is_never_stopped(const struct timeline_series *s)
{
    size_t last = s->count - 1;
    return s->x[last] - s->x[0] < HALF * (double)(s->at[last]->stage - s->at[0]->stage);
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

/* A case, the control, and the first and the last miss. */
struct timeline_reading {
    const struct timeline_control *control; /* NULL: it was not measured */
    const struct table *table;
    const char *miss; /* the event; NULL: no miss is counted, */
    const char *why;  /* and why */
    struct interval first, last;
    enum reason doubt; /* of the misses */
};

static void judge_resolution(const void *reading, struct verdict *v)
{
    const struct timeline_control *c = ((const struct timeline_reading *)reading)->control;
    if (c->slope == 0)
        answer_skip(v, c->doubt, "%s", "");
    else
        answer(v, (struct interval){c->resolution, c->rms, c->most}, c->doubt,
               "%.3f additions per cycle; counters stopped by an overflow", c->slope);
}

static bool has_zero(const struct timeline_control *c)
{
    return c->slope != 0 && c->start == c->start; /* not NAN */
}

/* Places cycle 0 among the cycles that rows have: these begin where the counters are started. */
static void judge_zero(const void *reading, struct verdict *v)
{
    const struct timeline_control *c = ((const struct timeline_reading *)reading)->control;
    if (!has_zero(c))
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

static void read_misses(struct timeline_reading *r)
{
    struct timeline_series s;
    bool is_read = read_series(r->table, miss_events, &s);
    double base = is_read ? s.at[0]->median : 0, loads = (double)r->table->rows->n;
    double misses = is_read ? s.at[s.count - 1]->median - base : 0;
    bool are_all = misses > loads - HALF && misses < loads + HALF;
    r->miss = misses < HALF ? NULL : s.at[0]->metric;
    r->why = is_read ? "no miss" : "no event for misses";
    r->doubt = are_all ? REASON_NONE : REASON_COUNT_IS_OFF;
    if (r->miss == NULL)
        return;
    find_moment(&s, base + HALF, 0, &r->first);
    find_moment(&s, base + misses - HALF, 0, &r->last);
}

static void conclude_misses(const struct timeline_reading *r, struct verdict *v, struct interval x)
{
    if (r->miss == NULL)
        answer_skip(v, REASON_NOT_COUNTED, "%s", r->why);
    else
        conclude_moment(r->control, v, x, r->doubt, r->miss);
}

static void judge_first_miss(const void *reading, struct verdict *v)
{
    const struct timeline_reading *r = reading;
    conclude_misses(r, v, since_start(r->control, r->first));
}

static void judge_last_miss(const void *reading, struct verdict *v)
{
    const struct timeline_reading *r = reading;
    conclude_misses(r, v, since_start(r->control, r->last));
}

/* Subtracts ends from ends: the cycles that were left out are limits, not errors of samples. */
static void judge_issue(const void *reading, struct verdict *v)
{
    const struct timeline_reading *r = reading;
    conclude_misses(r, v,
                    (struct interval){r->last.value - r->first.value, r->last.low - r->first.high,
                                      r->last.high - r->first.low});
}

static void judge_page_walk(const void *reading, struct verdict *v)
{
    const struct timeline_reading *r = reading;
    struct timeline_series s;
    struct interval moment;
    bool is_read = read_series(r->table, walk_events, &s);
    if (!is_read || !find_moment(&s, s.at[0]->median + HALF, 0, &moment)) {
        answer_skip(v, REASON_NOT_COUNTED, is_read ? "no page walk" : "no event for page walks");
        return;
    }
    conclude_moment(r->control, v, since_start(r->control, moment), REASON_NONE, s.at[0]->metric);
}

static void judge_retirement(const void *reading, struct verdict *v)
{
    const struct timeline_reading *r = reading;
    const struct timeline_control *c = r->control;
    struct timeline_series s;
    struct interval moment;
    bool is_read = read_series(r->table, retired_events, &s);
    double level = is_read ? s.at[0]->median : 0; /* retired when the first addition would be */
    for (size_t i = 0; is_read && i < s.count && s.x[i] <= c->start + HALF; i++)
        level = s.at[i]->median;
    if (!is_read || !find_moment(&s, level + HALF, c->start, &moment)) {
        answer_skip(v, REASON_RANGE_ENDS, "nothing retires within it");
        return;
    }
    bool is_late = r->miss == NULL || moment.low > r->first.high;
    conclude_moment(c, v, since_start(c, moment), is_late ? REASON_NONE : REASON_CONTRADICTS,
                    s.at[0]->metric);
}

IS_OF_PATTERN(is_additions, TIMELINE_ADDITIONS)

static bool is_probe(const struct variant *variant)
{
    return !is_additions(variant);
}

static const struct question timeline_questions[] = {
    QUESTION("resolution", "cycles", is_additions, 0, judge_resolution,
             MEANS("of case `additions`: the largest error of any addition's cycle")),
    QUESTION("cycle_zero", "cycles", NULL, 0, judge_zero,
             MEANS("counted cycles until the first addition retires: cycle 0 below")),
    QUESTION("first_miss", "cycles", is_probe, 0, judge_first_miss,
             MEANS("the cycle in which each is issued, and the cycles between")),
    QUESTION("last_miss", "cycles", is_probe, 0, judge_last_miss, NULL),
    QUESTION("misses_issued_in", "cycles", is_probe, 0, judge_issue, NULL),
    QUESTION("walk_start", "cycles", is_probe, 0, judge_page_walk,
             MEANS("the cycle in which the first page walk starts")),
    QUESTION("retirement_resumes", "cycles", is_probe, 0, judge_retirement,
             MEANS("the cycle in which the first load retires")),
    {.name = NULL},
};

static void judge_timelines(const struct evidence *e)
{
    struct timeline_control control;
    struct timeline_reading r = {.control = NULL};
    struct evidence one = *e;
    const struct table *end = e->tables->at + e->tables->count;
    for (const struct table *t = e->tables->at; t < end; t++)
        if (is_additions(t->variant)) {
            control = judge_control(t);
            r.control = &control;
        }
    for (one.table = e->tables->at; one.table < end; one.table++) {
        r.table = one.table;
        if (is_probe(r.table->variant) && (r.control == NULL || !has_zero(r.control))) {
            answer_none(&one, timeline_questions,
                        r.control != NULL ? r.control->doubt : REASON_NOT_MEASURED,
                        "of case " TIMELINE_ADDITIONS);
            continue;
        }
        read_misses(&r);
        answer_all(&one, timeline_questions, &r);
    }
}

const struct rule rule_timeline = {
    .questions = (const struct question *const[]){timeline_questions, NULL},
    .judge_all = judge_timelines,
};
