/* shuffle_rule: do indices that are made ahead let a shuffle's loads overlap?
 *
 * Expected: plain is flat over the stage, staged on the fly gains with it: 0.25 to 0.35 swaps in
 * a unit of time from stage 8 to 64 (Startin, 2018).
 * Seen: a Zen 4 guest, 256 MB: on the fly 57 ticks a swap plain and 42 staged, a gain of 37 percent
 * [15 .. 60], best at stage 128; with precomputed indices 36 plain and 38 staged, 5 percent lost.
 * Not seen yet: the overlap itself; no run with counters is kept (counts_rule.c). */
#include "shuffle_rule.h"

#include "../../analysis/curve.h"
#include "../../analysis/equality.h"
#include "../../analysis/moments.h"
#include "../../config/config.h"
#include "../../lib/string.h"
#include "../answer.h"
#include "../experiment.h"
#include "../sweeps/counts_rule.h"

const struct shuffle_pattern shuffle_patterns[] = {
    {"plain-precomputed", SHUFFLE_PLAIN, SHUFFLE_PRECOMPUTED, NULL},
    {"staged-precomputed", SHUFFLE_STAGED, SHUFFLE_PRECOMPUTED, "plain-precomputed"},
    {"plain-onthefly", SHUFFLE_PLAIN, SHUFFLE_ON_THE_FLY, NULL},
    {"staged-onthefly", SHUFFLE_STAGED, SHUFFLE_ON_THE_FLY, "plain-onthefly"},
    {NULL, SHUFFLE_LOOPS, SHUFFLE_SOURCES, NULL},
};

static bool is_swap_time(const struct row *row)
{
    return row->n > 0 && row->n <= SHUFFLE_PASSES && row->k > 0 && row->stage > 0 &&
           row_is(row, "tsc");
}

/* Returns the largest size below `below` bytes that has samples; 0: no size has any. */
static int64_t size_below(const struct table *table, int64_t below)
{
    int64_t found = 0;
    for (TABLE_ROWS(row, table))
        if (row->bytes > found && row->bytes < below && is_swap_time(row))
            found = row->bytes;
    return found;
}

/* One case and size: ticks of a swap by stage, in rising order, and by pass over the array. */
struct shuffle_sweep {
    unsigned stages, passes; /* passes that have every stage */
    int64_t stage[CONFIG_LIST_MAX];
    double value[CONFIG_LIST_MAX],
        error[CONFIG_LIST_MAX];  /* over all passes, compared with other stages */
    double pass[SHUFFLE_PASSES]; /* over all stages */
    double ticks[SHUFFLE_PASSES * CONFIG_LIST_MAX];   /* medians, one pass after the other; */
    double squares[SHUFFLE_PASSES * CONFIG_LIST_MAX]; /* and their errors' */
};

static void add_stage(struct shuffle_sweep *s, int64_t stage)
{
    unsigned at = s->stages;
    while (at > 0 && s->stage[at - 1] >= stage)
        at--;
    if (s->stages == CONFIG_LIST_MAX || (at < s->stages && s->stage[at] == stage))
        return;
    memmove(s->stage + at + 1, s->stage + at, (s->stages - at) * sizeof *s->stage);
    s->stage[at] = stage;
    s->stages++;
}

/* Adds a pass that has every stage. */
static void read_pass(const struct table *table, int64_t bytes, int64_t pass,
                      struct shuffle_sweep *s)
{
    double *ticks = s->ticks + s->passes * s->stages, sum = 0;
    double *squares = s->squares + s->passes * s->stages;
    for (unsigned i = 0; i < s->stages; i++)
        ticks[i] = __builtin_nan("");
    for (TABLE_ROWS(row, table)) {
        if (row->n != pass || row->bytes != bytes || !is_swap_time(row))
            continue;
        struct interval median = curve_median_of_one(row);
        double error = (median.high - median.value) / NORMAL_95;
        for (unsigned i = 0; i < s->stages; i++)
            if (s->stage[i] == row->stage) {
                ticks[i] = median.value;
                squares[i] = error * error;
            }
    }
    for (unsigned i = 0; i < s->stages; i++)
        sum += ticks[i];
    s->pass[s->passes] = sum / s->stages;
    s->passes += sum == sum; /* not NAN */
}

/* Sets a stage's error to what differs between passes beyond what all stages have in common; of
 * one pass, and where passes agree to the tick, to the samples' own. */
static void sum_up_passes(struct shuffle_sweep *s)
{
    double left = layout_error(s->ticks, s->stages, s->passes);
    for (unsigned i = 0; i < s->stages; i++) {
        double ticks = 0, squares = 0;
        for (unsigned pass = 0; pass < s->passes; pass++) {
            ticks += s->ticks[pass * s->stages + i];
            squares += s->squares[pass * s->stages + i];
        }
        s->value[i] = ticks / s->passes;
        s->error[i] = left > 0 ? left : __builtin_sqrt(squares) / s->passes; /* `left` may be NAN */
    }
}

/* Reads one size of a case. A table that is NULL has no stages. */
static void read_sweep(const struct table *table, int64_t bytes, struct shuffle_sweep *s)
{
    s->stages = s->passes = 0;
    if (table == NULL)
        return;
    for (TABLE_ROWS(row, table))
        if (row->bytes == bytes && is_swap_time(row))
            add_stage(s, row->stage);
    for (int64_t pass = 1; pass <= SHUFFLE_PASSES; pass++)
        read_pass(table, bytes, pass, s);
    if (s->passes > 0)
        sum_up_passes(s);
    else
        s->stages = 0;
}

/* A case and that of the plain loop, both at one size. */
struct shuffle_pair {
    const struct table *table, *plain; /* `plain` NULL: there is no other case */
    int64_t largest;                   /* size */
    struct shuffle_sweep *own, *base;
};

static void read_size(const struct shuffle_pair *p, int64_t bytes)
{
    read_sweep(p->table, bytes, p->own);
    read_sweep(p->plain, bytes, p->base);
}

static unsigned fastest_stage(const struct shuffle_sweep *s)
{
    unsigned best = 0;
    for (unsigned i = 1; i < s->stages; i++)
        best = s->value[i] < s->value[best] ? i : best;
    return best;
}

/* Returns the fastest stage's time. Another may be as fast as far as one can tell: the interval
 * holds where all stages' intervals hold at once. */
static struct interval fastest_time(const struct shuffle_sweep *s)
{
    double low = s->value[0], high = low, errors = normal_95_of_all(s->stages);
    for (unsigned i = 0; i < s->stages; i++) {
        double least = s->value[i] - errors * s->error[i];
        double most = s->value[i] + errors * s->error[i];
        low = least < low ? least : low;
        high = i == 0 || most < high ? most : high;
    }
    return (struct interval){s->value[fastest_stage(s)], low > 0 ? low : 0, high};
}

/* Widens by how the passes, at different times, differ as a whole; two are needed to know. */
static struct interval widen_by_passes(struct interval x, const struct moments *passes)
{
    return passes->count < 2 ? x : interval_widen(x, moments_half_width(passes));
}

/* An answer of one size. */
typedef struct interval size_answer(const struct shuffle_pair *p);

static struct interval swap_ticks(const struct shuffle_pair *p)
{
    struct moments passes = {.count = 0};
    for (unsigned i = 0; i < p->own->passes; i++)
        moments_add(&passes, p->own->pass[i]);
    return widen_by_passes(fastest_time(p->own), &passes);
}

static struct interval flatness(const struct shuffle_pair *p)
{
    const struct shuffle_sweep *s = p->own;
    double sum = 0;
    for (unsigned i = 0; i < s->stages; i++)
        sum += s->value[i];
    return interval_scale(spread_of(s->value, s->error, s->stages), 100 * s->stages / sum);
}

/* Returns by how many percent the staged loop is faster; what changes both loops cancels. */
static struct interval staged_gain(const struct shuffle_pair *p)
{
    struct moments passes = {.count = 0};
    for (unsigned i = 0; i < p->own->passes && i < p->base->passes; i++)
        moments_add(&passes, p->base->pass[i] / p->own->pass[i]);
    struct interval times = interval_divide(fastest_time(p->base), fastest_time(p->own));
    times = interval_scale(widen_by_passes(times, &passes), 100);
    return interval_subtract(times, interval_around(100, 0));
}

/* The scatter between passes is not known of one. */
static enum reason doubt_one_pass(const struct shuffle_pair *p)
{
    return p->own->passes >= 2 ? REASON_NONE : REASON_TOO_FEW_SAMPLES;
}

/* Concludes with "256m: <how>; 8m 10.2; 512k 0.9": other sizes as far as they fit into a line. */
static void answer_by_size(const struct shuffle_pair *p, struct verdict *v, size_answer *value,
                           enum reason doubt, const char *how)
{
    char size[SIZE_TEXT_MAX];
    struct text method = TEXT_OF(VERDICT_METHOD_BYTES);
    int64_t bytes = p->largest;
    struct interval x = value(p);
    text_printf(&method, "%s: %s", size_text(size, (uint64_t)bytes), how);
    while ((bytes = size_below(p->table, bytes)) > 0) {
        size_t length = method.length;
        read_size(p, bytes);
        double other = value(p).value;
        if (other == other) /* not NAN, as without the plain loop in that size */
            text_printf(&method, "; %s %.1f", size_text(size, (uint64_t)bytes), other);
        if (method.truncated) {
            method.at[length] = '\0';
            break;
        }
    }
    read_size(p, p->largest);
    answer(v, x, doubt_one_pass(p) ?: doubt, "%s", method.at);
}

static void judge_swap(const void *reading, struct verdict *v)
{
    const struct shuffle_pair *p = reading;
    struct interval x = swap_ticks(p);
    answer_by_size(p, v, swap_ticks, answer_scatter(x), "the fastest stage");
}

static void judge_flatness(const void *reading, struct verdict *v)
{
    const struct shuffle_pair *p = reading;
    if (p->own->stages < 2) {
        answer_skip(v, REASON_TOO_FEW_POINTS, "two stages");
        return;
    }
    struct interval x = flatness(p);
    bool flat = x.high <= 100 * PRECISE_WITHIN, uneven = x.low > 100 * PRECISE_WITHIN;
    answer_by_size(p, v, flatness, flat || uneven ? REASON_NONE : REASON_SCATTER,
                   uneven      ? "the stages' times differ by more than 5 %"
                   : x.low > 0 ? "the stages' times differ by less than 5 %"
                               : "the stages' times are equal within noise");
}

/* Judges the stage. Its interval holds all that may be fastest, by all comparisons together. */
static void judge_stage(const void *reading, struct verdict *v)
{
    char size[SIZE_TEXT_MAX];
    const struct shuffle_pair *p = reading;
    const struct shuffle_sweep *s = p->own;
    unsigned best = fastest_stage(s), first = best, last = best;
    if (s->stages < 2) {
        answer_skip(v, REASON_TOO_FEW_POINTS, "two stages");
        return;
    }
    double errors = normal_95_of_all(s->stages - 1);
    for (unsigned i = 0; i < s->stages; i++) {
        double error = __builtin_sqrt(s->error[i] * s->error[i] + s->error[best] * s->error[best]);
        if (s->value[i] - s->value[best] <= errors * error) {
            first = i < first ? i : first;
            last = i > last ? i : last;
        }
    }
    bool any = first == 0 && last == s->stages - 1, open = first == s->stages - 1;
    struct interval x = {(double)s->stage[best], (double)s->stage[first], (double)s->stage[last]};
    answer(v, x,
           doubt_one_pass(p)
               ?: any ? REASON_NO_DIFFERENCE
              : open  ? REASON_RANGE_ENDS
                      : REASON_NONE,
           "%s: the fastest of %u stages", size_text(size, (uint64_t)p->largest), s->stages);
}

static void judge_gain(const void *reading, struct verdict *v)
{
    const struct shuffle_pair *p = reading;
    if (p->base->stages == 0) {
        answer_skip(v, REASON_NOT_MEASURED, "the plain loop in the same size");
        return;
    }
    struct interval x = staged_gain(p);
    bool open = !(x.low > 0 || x.high < 0);
    answer_by_size(p, v, staged_gain, open ? REASON_NO_DIFFERENCE : REASON_NONE,
                   "plain against staged, fastest stage of each");
}

/* Returns the pattern of that name; for an unknown name the last one, which has no name. */
static const struct shuffle_pattern *find_pattern(const char *name)
{
    const struct shuffle_pattern *pattern = shuffle_patterns;
    while (pattern->name != NULL && strcmp(pattern->name, name) != 0)
        pattern++;
    return pattern;
}

/* Returns the plain loop's case to compare a staged one with, else the same; NULL: no such case. */
static const struct table *find_plain(const struct tables *tables, const struct variant *staged)
{
    const char *plain = find_pattern(staged->pattern)->plain;
    struct variant variant = *staged;
    if (plain == NULL)
        return NULL;
    name_copy(variant.pattern, plain);
    return tables_find(tables, &variant);
}

static bool is_plain(const struct variant *variant)
{
    return find_pattern(variant->pattern)->loop == SHUFFLE_PLAIN;
}

static bool is_staged(const struct variant *variant)
{
    return find_pattern(variant->pattern)->loop == SHUFFLE_STAGED;
}

static const struct question shuffle_questions[] = {
    QUESTION("swap_ticks", "ticks", NULL, NEEDS_CLOCK, judge_swap,
             MEANS("ticks per swap, index included, by the fastest stage")),
    QUESTION("plain_flatness", "%", is_plain, 0, judge_flatness,
             MEANS("plain loop: the standard deviation of the stages' times beyond noise, in "
                   "percent of the "
                   "mean; 0 is flat. `ok` if all of the interval is below, or above, 5 %")),
    QUESTION("best_stage", "swaps", is_staged, 0, judge_stage,
             MEANS("staged loop: the fastest stage; `low` to `high` may be as fast")),
    QUESTION("staged_gain", "%", is_staged, 0, judge_gain,
             MEANS("how much slower the plain loop's fastest stage is than the staged loop's, in "
                   "percent")),
    {.name = NULL},
};

static const struct question shuffle_counted[] = {
    QUESTION(
        "mlp_counted", "loads", NULL, NEEDS_COUNTERS, NULL,
        MEANS(
            "misses outstanding per cycle with a miss, with the longest stage. Published: 2.5 for "
            "`plain-onthefly`, up to 5.4 for `staged-onthefly`")),
    {.name = NULL},
};

/* Adds nothing where there are no counters. They count at the longest stage, in one pass alone. */
static void judge_counted(const struct shuffle_pair *p, struct verdict_list *verdicts)
{
    char size[SIZE_TEXT_MAX];
    struct interval ratio;
    enum reason doubt;
    int64_t last = p->own->stage[p->own->stages - 1];
    struct row counted = *table_find_at(p->table, "tsc", ROW_ANY, ROW_ANY, p->largest, last);
    counted.n = ROW_NONE;
    if (counts_find_ratio(p->table, &counted, &ratio, &doubt))
        answer(verdict_add(verdicts, p->table->variant, shuffle_counted), ratio, doubt,
               "%s: misses outstanding per cycle with a miss, at stage %ld",
               size_text(size, (uint64_t)p->largest), (long)last);
}

/* Takes 300 KB of the stack. */
static void judge_shuffles(const struct evidence *e)
{
    struct shuffle_sweep own, base;
    struct evidence one = *e;
    for (one.table = e->tables->at; one.table < e->tables->at + e->tables->count; one.table++) {
        struct shuffle_pair p = {one.table, find_plain(e->tables, one.table->variant),
                                 size_below(one.table, INT64_MAX), &own, &base};
        read_size(&p, p.largest);
        if (own.stages == 0) {
            answer_none(&one, shuffle_questions, REASON_NOT_MEASURED, "any size");
            continue;
        }
        answer_all(&one, shuffle_questions, &p);
        judge_counted(&p, e->verdicts);
    }
}

const struct rule rule_shuffle = {
    .questions = (const struct question *const[]){shuffle_questions, shuffle_counted, NULL},
    .judge_all = judge_shuffles,
};
