/* timeline_rule: where counts over the cycles of one probe rise. */
#include "timeline_rule.h"

#include "../../analysis/curve.h"
#include "../../analysis/line.h"
#include "../../lib/string.h"
#include "../experiment.h"

#define HALF 0.5
#define LEAST_POINTS 6
#define MIDDLE_FROM 0.25 /* of the additions: what the line is fitted to */
#define MIDDLE_TO 0.75
#define SLOPE_OFF 0.02 /* of one a cycle */
#define RESOLUTION 2.0 /* cycles; worse is none */
#define WIDEST 0.2     /* of a verdict's value, from its low to its high, */
#define NARROW 8.0     /* or so many cycles */

static const char *const verdict_names[] = {"resolution", "misses_issued_in", "walk_start",
                                            "retirement_resumes", NULL};

/* The first that a processor has. What counts walks in flight rises when the first starts. */
static const char *const cycle_events[] = {"core_cycles", "core_cycles_gp", NULL};
static const char *const retired_events[] = {"instructions", "instructions_gp", NULL};
static const char *const miss_events[] = {"mab_alloc_loads", "l2_demand_data_rd", "l2_requests_all",
                                          NULL};
static const char *const walk_events[] = {"dtlb_walk_pending",     "dtlb_walk_duration",
                                          "dtlb_miss_causes_walk", "page_walker_alloc_dside",
                                          "dtlb_walk_completed",   NULL};

/* One event over the cycles that were really counted. */
struct series {
    const char *event; /* NULL: none was counted */
    size_t count;
    double x[CURVE_MAX], median[CURVE_MAX], mean[CURVE_MAX], p10[CURVE_MAX], p90[CURVE_MAX];
    double samples;            /* of a point: the fewest */
    int64_t shortest, longest; /* cycles asked for */
};

/* Too large for a firmware's stack. */
static struct series series;
static double part_x[CURVE_MAX], part_y[CURVE_MAX];

/* The first row from `row` on that is of another cycle. */
static const struct row *next_stage(const struct table *table, const struct row *row)
{
    const struct row *end = table->rows + table->count, *next = row;
    while (next < end && next->stage == row->stage)
        next++;
    return next;
}

static const struct row *find_event(const struct row *from, const struct row *to,
                                    const char *const *events)
{
    for (; *events != NULL; events++)
        for (const struct row *row = from; row < to; row++)
            if (row_is(row, *events))
                return row;
    return NULL;
}

/* Counters that did not stand still at the end of the span were read one after the other. */
static bool is_closed(const struct row *cycles)
{
    return cycles != NULL && cycles->samples > 0 && cycles->min >= (double)cycles->stage;
}

static void add(const struct row *row, double cycles)
{
    size_t i = series.count++;
    series.shortest = i == 0 ? row->stage : series.shortest;
    series.longest = row->stage;
    series.x[i] = cycles;
    series.median[i] = row->median;
    series.mean[i] = row->mean;
    series.p10[i] = row->p10;
    series.p90[i] = row->p90;
    if (i == 0 || (double)row->samples < series.samples)
        series.samples = (double)row->samples;
}

/* Fills the series. False: there is none of any length. */
static bool read_series(const struct table *table, const char *const *events)
{
    const struct row *end = table->rows + table->count, *next;
    series.event = NULL;
    series.count = 0;
    for (const struct row *row = table->rows; row < end; row = next) {
        next = next_stage(table, row);
        const struct row *cycles = find_event(row, next, cycle_events);
        const struct row *of = find_event(row, next, events);
        if (row->stage == ROW_NONE || of == NULL || !is_closed(cycles) || series.count == CURVE_MAX)
            continue;
        series.event = of->metric;
        add(of, cycles->mean);
    }
    return series.count >= LEAST_POINTS;
}

/* The cycles, from `low` to `high`, in one of which a level first comes to `least`, not before
 * `after`. False: it never does. */
static bool find_rise(const double *level, double least, double after, double *low, double *high)
{
    for (size_t i = 0; i < series.count; i++)
        if (series.x[i] > after && level[i] >= least) {
            *high = series.x[i] - 1;
            *low = i > 0 ? series.x[i - 1] : 0;
            *low = *low < after ? after : *low;
            return true;
        }
    return false;
}

/*
 * When half of the samples have come to `least`. As wide as the cycles that were left out, and what
 * the samples' scatter says of their median (see curve_median).
 */
static bool find_moment(double least, double after, struct interval *moment)
{
    double low, high, early, early_high, late, late_high;
    if (!find_rise(series.median, least, after, &low, &high))
        return false;
    if (!find_rise(series.p90, least, after, &early, &early_high))
        early_high = high;
    if (!find_rise(series.p10, least, after, &late, &late_high))
        late_high = series.x[series.count - 1];
    double deviation = (late_high - early_high) / 2.563;
    double reach = NORMAL_95 * 1.253 * deviation / __builtin_sqrt(series.samples);
    *moment = (struct interval){(low + high) / 2, low - reach, high + reach};
    return true;
}

/* --- the control ----------------------------------------------------------------------------- */

struct control {
    const char *doubt; /* NULL: additions stand at their cycles */
    double start;      /* the cycle in which the first addition retires, */
    double resolution; /* and how far any is off its own */
    double rms, most;  /* the least and the most that could be said in its place */
    double slope;
};

/* The additions' middle, without what stands around them. */
static size_t choose_middle(void)
{
    size_t count = 0;
    double from = series.mean[0] + MIDDLE_FROM * TIMELINE_ADDITIONS_COUNT;
    double to = series.mean[0] + MIDDLE_TO * TIMELINE_ADDITIONS_COUNT;
    for (size_t i = 0; i < series.count; i++)
        if (series.mean[i] > from && series.mean[i] < to) {
            part_x[count] = series.x[i];
            part_y[count++] = series.mean[i];
        }
    return count;
}

/* What had retired before the line of additions begins. NAN: it begins before the first cycle. */
static double level_before(struct line line)
{
    double level = __builtin_nan("");
    for (size_t i = 0; i < series.count && series.x[i] < part_x[0]; i++)
        if (series.mean[i] - line_at(line, series.x[i]) > HALF)
            level = series.mean[i];
    return level;
}

static void fit_additions(struct control *c, size_t count)
{
    struct line line = line_fit(part_x, part_y, count);
    double squares = line_squares(line, part_x, part_y, count);
    c->slope = line.slope;
    c->rms = __builtin_sqrt(squares / (double)count);
    for (size_t i = 0; i < count; i++) {
        double off = __builtin_fabs(part_y[i] - line_at(line, part_x[i]));
        c->resolution = off > c->resolution ? off : c->resolution;
    }
    for (size_t i = 0; i < series.count; i++) {
        double half = (series.p90[i] - series.p10[i]) / 2 + c->resolution;
        if (series.x[i] >= part_x[0] && series.x[i] <= part_x[count - 1] && half > c->most)
            c->most = half;
    }
    c->start = (level_before(line) - line.offset) / line.slope;
}

/* Whether an event happens where there is nothing that it could be of. */
static bool happens(const struct table *table, const char *const *events)
{
    return read_series(table, events) && series.median[series.count - 1] - series.median[0] > HALF;
}

/* However many cycles are asked for: all of the probe is counted. */
static bool is_never_stopped(void)
{
    return series.x[series.count - 1] - series.x[0] <
           HALF * (double)(series.longest - series.shortest);
}

static struct control judge_control(const struct table *table)
{
    struct control c = {.doubt = NULL};
    bool is_read = read_series(table, retired_events);
    size_t count = is_read ? choose_middle() : 0;
    if (is_read && is_never_stopped()) {
        c.doubt = "an overflow does not stop the counters";
        return c;
    }
    if (count < LEAST_POINTS) {
        c.doubt = "too few cycles in which additions retire";
        return c;
    }
    fit_additions(&c, count);
    if (c.slope < 1 - SLOPE_OFF || c.slope > 1 + SLOPE_OFF)
        c.doubt = "they retire one a cycle, and are not counted so";
    else if (c.most > RESOLUTION)
        c.doubt = "additions are too far off their cycles";
    else if (c.start != c.start)
        c.doubt = "additions retire before the first cycle counted";
    else if (happens(table, miss_events))
        c.doubt = "misses are counted where nothing is loaded";
    else if (happens(table, walk_events))
        c.doubt = "page walks are counted where nothing is loaded";
    return c;
}

static void judge_resolution(const struct control *c, struct verdict *v)
{
    if (c->slope == 0) {
        verdict_conclude(v, VERDICT_SKIP, "%s", c->doubt);
        return;
    }
    verdict_value(v, c->resolution, c->rms, c->most);
    if (c->doubt == NULL)
        verdict_conclude(v, VERDICT_OK, "%.3f additions a cycle; counters stopped by an overflow",
                         c->slope);
    else
        verdict_conclude(v, VERDICT_DOUBT, "%.3f additions a cycle: %s", c->slope, c->doubt);
}

/* --- the loads ------------------------------------------------------------------------------- */

static void conclude(const struct control *c, struct verdict *v, struct interval of,
                     const char *doubt, const char *what)
{
    double widest = WIDEST * of.value > NARROW ? WIDEST * of.value : NARROW;
    verdict_value(v, of.value, of.low - c->resolution, of.high + c->resolution);
    if (doubt == NULL && c->doubt != NULL)
        doubt = c->doubt;
    if (doubt == NULL && v->high - v->low > widest)
        doubt = "samples scatter, or too few cycles were counted";
    if (doubt != NULL)
        verdict_conclude(v, VERDICT_DOUBT, "%s: %s", what, doubt);
    else
        verdict_conclude(v, VERDICT_OK, "%s; counters stopped by an overflow", what);
}

/* Cycles since the first addition retires, where additions stand in place of the loads. */
static struct interval since(const struct control *c, struct interval moment)
{
    return (struct interval){moment.value - c->start, moment.low - c->start,
                             moment.high - c->start};
}

/* False: no miss is counted. `first` is when the first of them is. */
static bool judge_misses(const struct control *c, const struct table *table, struct verdict *v,
                         struct interval *first)
{
    struct interval last;
    bool is_read = read_series(table, miss_events);
    double base = is_read ? series.median[0] : 0;
    double misses = is_read ? series.median[series.count - 1] - base : 0;
    double loads = (double)table->rows->n;
    if (misses < HALF) {
        verdict_conclude(v, VERDICT_SKIP, "no miss was counted%s",
                         is_read ? "" : ": this processor has no event for them");
        return false;
    }
    find_moment(base + HALF, 0, first);
    find_moment(base + misses - HALF, 0, &last);
    struct interval in = {last.value - first->value, last.low - first->high,
                          last.high - first->low};
    bool are_all = misses > loads - HALF && misses < loads + HALF;
    conclude(c, v, in, are_all ? NULL : "not as many misses as loads were counted", series.event);
    return true;
}

static void judge_walk(const struct control *c, const struct table *table, struct verdict *v)
{
    struct interval moment;
    bool is_read = read_series(table, walk_events);
    if (!is_read || !find_moment(series.median[0] + HALF, 0, &moment)) {
        verdict_conclude(v, VERDICT_SKIP, "no page walk was counted%s",
                         is_read ? "" : ": this processor has no event for them");
        return;
    }
    conclude(c, v, since(c, moment), NULL, series.event);
}

/* What has retired when the first addition would. */
static double level_at_start(const struct control *c)
{
    double level = series.median[0];
    for (size_t i = 0; i < series.count && series.x[i] <= c->start + HALF; i++)
        level = series.median[i];
    return level;
}

static void judge_retirement(const struct control *c, const struct table *table,
                             const struct interval *first_miss, struct verdict *v)
{
    struct interval moment;
    if (!read_series(table, retired_events) ||
        !find_moment(level_at_start(c) + HALF, c->start, &moment)) {
        verdict_conclude(v, VERDICT_SKIP, "nothing retires within the cycles that were counted");
        return;
    }
    bool is_late = first_miss == NULL || moment.low > first_miss->high;
    conclude(c, v, since(c, moment),
             is_late ? NULL : "loads retire before the first miss is issued", series.event);
}

static void judge_loads(const struct control *c, const struct table *table,
                        struct verdict_list *verdicts)
{
    struct verdict *misses = verdict_add(verdicts, table->of, "misses_issued_in", "cycles");
    struct verdict *walk = verdict_add(verdicts, table->of, "walk_start", "cycles");
    struct verdict *retires = verdict_add(verdicts, table->of, "retirement_resumes", "cycles");
    struct interval first;
    if (c == NULL || c->start != c->start || c->slope == 0) {
        const char *reason = c == NULL ? "it was not measured" : c->doubt;
        verdict_conclude(misses, VERDICT_SKIP, "needs case " TIMELINE_ADDITIONS ": %s", reason);
        verdict_conclude(walk, VERDICT_SKIP, "needs case " TIMELINE_ADDITIONS ": %s", reason);
        verdict_conclude(retires, VERDICT_SKIP, "needs case " TIMELINE_ADDITIONS ": %s", reason);
        return;
    }
    bool has_misses = judge_misses(c, table, misses, &first);
    judge_walk(c, table, walk);
    judge_retirement(c, table, has_misses ? &first : NULL, retires);
}

static bool is_additions(const struct variant *of)
{
    return strcmp(of->pattern, TIMELINE_ADDITIONS) == 0;
}

/*
 * `resolution` of the additions: how far any is off the cycle in which it retires, one in each. Of
 * each case of loads, from that of the additions: `misses_issued_in`, cycles from the first to the
 * last; `walk_start` and `retirement_resumes`, of the first page walk and of the first load, since
 * the first addition retires. Pure.
 */
static void compare(const struct tables *tables, struct verdict_list *verdicts)
{
    struct control control, *c = NULL;
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++)
        if (is_additions(t->of)) {
            control = judge_control(t);
            c = &control;
            judge_resolution(c, verdict_add(verdicts, t->of, "resolution", "cycles"));
        }
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++)
        if (!is_additions(t->of))
            judge_loads(c, t, verdicts);
}

static bool gives(const struct variant *of, const char *name)
{
    return is_additions(of) == (strcmp(name, "resolution") == 0);
}

/* --- the console ----------------------------------------------------------------------------- */

const struct rule rule_timeline = {
    .compare = compare,
    .verdicts = verdict_names,
    .gives = gives,
};
