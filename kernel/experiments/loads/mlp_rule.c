/* mlp_rule: how many loads of memory overlap, by an N by K table, and how surely?
 *
 * Expected: the first N that takes as long as two loads behind the jump over K is MLP + 1. On a
 * Haswell: 10, by 10 fill buffers, and with 4 KB pages 4 to 5, since walks queue (IIT Delhi,
 * "Experiments on memory-level parallelism", 2018). Dependent loads take T(n) = n * M + C.
 * Seen, in guests: 13 on Intel family 6 model 207 (16 buffers), 20 on Zen 4 (24), 21 [16 .. 28] in
 * doubt on Zen 5, whose fastest samples jump at 64. Latency over the time per random access, for
 * arrays beyond the caches: 15.8, 18.5 to 20.3, 47 to 50.
 * Not understood: how the published rule could hold on Zen 5, where one load takes 338 to 546 ticks
 * (deciles) and N loads as long as their slowest; and why no guest's MLP falls with 4 KB pages. */
#include "mlp_rule.h"

#include "../../analysis/drift.h"
#include "../../analysis/line.h"
#include "../../analysis/overlap.h"
#include "../../lib/string.h"
#include "../../lib/text.h"
#include "../../probe/load_sampler.h"
#include "../answer.h"
#include "../experiment.h"
#include "../sweeps/accesses_rule.h"
#include "../sweeps/counts_rule.h"
#include "../sweeps/loads_rule.h"
#include "numa_rule.h"

#define LOADS_OF_PROBE 2 /* the first and the last stand in the ROB beside the fillers */

/* A table, and what several of its verdicts are read from. */
struct mlp_reading {
    const struct evidence *evidence;
    const struct table *table;
    struct cliff cliff;
    struct overlap overlap; /* of means, as published; without a jump over K no points */
    struct loads_buffers buffers;
};

static void read_overlap(struct mlp_reading *r)
{
    struct curve curve;
    curve_over_k(r->table, 2, CURVE_MEAN, &curve);
    struct interval sequential = overlap_level_from(&curve, (double)r->cliff.first_high);
    double share = drift_between(r->table); /* of N loads against two serialized loads */
    if (share > 0)
        sequential = interval_widen(sequential, share * sequential.value);
    curve_over_n(r->table, CURVE_MEAN, &curve);
    overlap_find(&curve, &sequential, &r->overlap);
}

static struct mlp_reading mlp_read(const struct evidence *e)
{
    const struct table *table = e->table;
    struct mlp_reading r = {.evidence = e, .table = table};
    loads_cliff(table, &r.cliff);
    loads_find_buffers(table, &r.buffers);
    if (r.cliff.answer == CLIFF_FOUND)
        read_overlap(&r);
    return r;
}

static const char *ordering(const struct table *table)
{
    return table->variant->order == ORDER_CPUID ? "CPUID" : "LFENCE";
}

/* Widens a time by its spread over memory: another run may get a faster or a slower part. */
static struct interval widen_by_places(struct interval t, const struct table *table,
                                       char words[VERDICT_METHOD_BYTES])
{
    struct interval spread;
    words[0] = '\0';
    if (!loads_find_places(table, &spread))
        return t;
    if (!(spread.low > 0)) {
        text_write(words, VERDICT_METHOD_BYTES, "; all quarters of memory take as long");
        return t;
    }
    text_write(words, VERDICT_METHOD_BYTES, "; quarters of memory differ by %.1f %%",
               100 * spread.value / t.value);
    return interval_widen(t, student_95(LOAD_PLACES - 1) * spread.value);
}

/* Fits T(n) = n * M + C to loads that wait for each other: to means, since means of sums add up.
 * Returns the number of lengths, or 0 where they are too few. */
static unsigned long fit_chain(const struct table *chain, struct regression *fit)
{
    struct curve curve;
    curve_over_n(chain, CURVE_MEAN, &curve);
    if (curve.count < FEWEST_POINTS)
        return 0;
    *fit = line_regress(curve.x, curve.y, curve.count);
    return curve.count;
}

/* Compares one load with a chain of one, by means, which add up. */
static enum reason doubt_by_chain(const struct evidence *e, const struct row *one,
                                  struct interval t)
{
    struct regression fit;
    struct variant of_chain = *e->table->variant;
    of_chain.dependent = true;
    const struct table *chain = tables_find(e->tables, &of_chain);
    if (chain == NULL || fit_chain(chain, &fit) == 0)
        return REASON_NONE;
    double most = t.high - t.value + fit.slope_half_width + fit.offset_half_width;
    return __builtin_fabs(one->mean - line_at(fit.line, 1)) > most ? REASON_CONTRADICTS
                                                                   : REASON_NONE;
}

static void judge_one_load(const void *reading, struct verdict *v)
{
    const struct mlp_reading *r = reading;
    const struct row *one = curve_find(r->table, 1);
    char places[VERDICT_METHOD_BYTES];
    if (one == NULL) {
        loads_skip_missing(r->table, "N = 1", v);
        return;
    }
    struct interval own = curve_median(one);
    struct interval t = widen_by_places(drift_widen(own, r->table), r->table, places);
    answer(v, t,
           loads_one_doubt(r->table, LOADS_CACHED, own) ?: doubt_by_chain(r->evidence, one, t),
           "%s of N = 1, K = %ld, %s-ordered timer included; first decile %.0f; the interval is "
           "for another run%s",
           loads_center_name(one), (long)one->k, ordering(r->table), one->p10, places);
}

/* Returns the center of what has a sample in each visit, and a tail that its own scatter includes.
 */
static struct interval center_of_tail(const struct row *tail)
{
    double samples = (double)tail->samples, error = MEDIAN_ERROR * curve_deviation(tail);
    return interval_around(tail->center, student_95(samples - 1) * error / __builtin_sqrt(samples));
}

/* Compares the tail with that of loads that hit: what is in both is no memory's. */
static enum reason doubt_of_tail(const struct mlp_reading *r, const struct row *tail)
{
    const struct row *one = curve_find(r->table, 1);
    const struct row *hits = table_find(r->table, LOADS_SLOWEST_CACHED);
    const struct facts *facts = r->evidence->facts;
    if (one == NULL || hits == NULL)
        return REASON_NOT_MEASURED;
    double rise = hits->center - facts->empty[r->table->variant->order].center;
    struct interval t = center_of_tail(tail);
    if (2 * rise > t.value - one->center && rise > PRECISE_WITHIN * t.value + facts->step)
        return REASON_CONTROL_SHOWS_IT;
    return answer_width(t);
}

static void judge_p99(const void *reading, struct verdict *v)
{
    const struct mlp_reading *r = reading;
    const struct row *tail =
        table_find_at(r->table, LOADS_SLOWEST, 1, ROW_ANY, ROW_ANY, LOADS_TO_P99);
    const struct row *further =
        table_find_at(r->table, LOADS_SLOWEST, 1, ROW_ANY, ROW_ANY, LOADS_TO_P999);
    char places[VERDICT_METHOD_BYTES], p999[VERDICT_METHOD_BYTES] = "not measured";
    if (tail == NULL || tail->samples < CURVE_LEAST_SAMPLES) {
        loads_skip_missing(r->table, "the slowest of many loads", v);
        return;
    }
    if (further != NULL && further->samples >= CURVE_LEAST_SAMPLES)
        text_write(p999, sizeof p999, "%.0f", further->center);
    answer(v, widen_by_places(drift_widen(center_of_tail(tail), r->table), r->table, places),
           doubt_of_tail(r, tail),
           "%s of the slowest of %d loads, timer included; p99.9 is %s; interrupted loads are left "
           "out: those of eight times the others' time%s",
           loads_center_name(tail), LOADS_TO_P99, p999, places);
}

static void judge_two_sequential(const void *reading, struct verdict *v)
{
    const struct mlp_reading *r = reading;
    if (loads_have_cliff(r->table, &r->cliff, v))
        answer(v, drift_widen(r->cliff.beyond, r->table), REASON_NONE,
               "N = 2 just beyond the jump, at K = %ld; %s-ordered timer included",
               (long)r->cliff.first_high, ordering(r->table));
}

static void judge_cliff(const void *reading, struct verdict *v)
{
    const struct mlp_reading *r = reading;
    if (loads_have_cliff(r->table, &r->cliff, v))
        answer(v, cliff_size(&r->cliff, 0), loads_cliff_doubt(r->table, &r->cliff),
               "the first K at which two loads no longer overlap, from two straight lines fitted "
               "over K");
}

static void judge_rob(const void *reading, struct verdict *v)
{
    const struct mlp_reading *r = reading;
    if (loads_have_cliff(r->table, &r->cliff, v))
        answer(v, cliff_size(&r->cliff, LOADS_OF_PROBE - 1),
               loads_zeroes_doubt(r->table, &r->cliff) ?: loads_cliff_doubt(r->table, &r->cliff),
               "%ld fillers before the jump plus two loads; zeroed registers are the control",
               (long)r->cliff.first_high - 1);
}

static void judge_mlp(const void *reading, struct verdict *v)
{
    const struct mlp_reading *r = reading;
    const struct overlap *o = &r->overlap;
    const double none = __builtin_nan("");
    struct interval mlp = {(double)o->mlp, (double)o->low,
                           o->high == OVERLAP_OPEN ? none : (double)o->high};
    if (!loads_have_cliff(r->table, &r->cliff, v))
        return;
    if (!o->reached)
        answer(v, (struct interval){none, mlp.low, none}, REASON_RANGE_ENDS,
               "no mean up to N = %ld reaches the time of two serialized loads: extend mlp.loads",
               (long)o->largest_n);
    else if (o->gap)
        answer(v, mlp, REASON_EDGE_NOT_PLACED, "N from %ld on was not measured", (long)o->below_n);
    else
        answer(v, mlp,
               o->sure                   ? REASON_NONE
               : o->high == OVERLAP_OPEN ? REASON_RANGE_ENDS
                                         : REASON_SCATTER,
               "N + 1 loads are the first to take as long, on average, as two serialized loads");
}

static void judge_time_beyond(const void *reading, struct verdict *v)
{
    const struct mlp_reading *r = reading;
    if (r->overlap.reached)
        answer(v, drift_widen(r->overlap.time, r->table), answer_width(r->overlap.time),
               "mean of N = %ld; timer included", (long)r->overlap.mlp + 1);
    else if (loads_have_cliff(r->table, &r->cliff, v))
        answer_open(v, REASON_RANGE_ENDS, "up to N = %ld", (long)r->overlap.largest_n);
}

static void judge_buffers(const void *reading, struct verdict *v)
{
    const struct mlp_reading *r = reading;
    const double none = __builtin_nan("");
    if (r->buffers.last > 0 && loads_fill_queue(r->table, &r->buffers, &r->cliff))
        answer(v, (struct interval){none, (double)r->buffers.low, none}, REASON_ENDS_FIRST,
               "the load queue: another miss waits as long behind as many loads of one line");
    else
        loads_conclude_buffers(
            r->evidence, &r->buffers, loads_buffers_doubt(r->table, &r->buffers, &r->cliff),
            "the last N before the fastest samples jump: the misses that one thread can have "
            "outstanding",
            v);
}

static void judge_behind(const void *reading, struct verdict *v)
{
    const struct mlp_reading *r = reading;
    const struct loads_buffers *buffers = &r->buffers;
    const double none = __builtin_nan("");
    struct loads_behind b;
    loads_find_behind(r->table, &b);
    double low = b.passed > 0 ? (double)b.passed - 1 : 0;
    bool is_all = b.passed > 0 && b.passed == buffers->last;
    enum reason doubt = b.waited > 0 && b.passed > b.waited ? REASON_CONTRADICTS
                        : b.is_unclear                      ? REASON_SCATTER
                                                            : REASON_NONE;
    if (b.passed == 0 && b.waited == 0 && !b.is_unclear)
        loads_skip_missing(r->table, "loads behind a store", v);
    else if (doubt != REASON_NONE)
        answer(v, (struct interval){none, none, none}, doubt, "loads behind a store");
    else if (b.waited == 0 && !is_all)
        answer(v, (struct interval){none, low, none}, REASON_RANGE_ENDS,
               "%.0f loads do not wait for the store's address; fill_buffers is not known", low);
    else if (b.waited == 0)
        answer(v, (struct interval){low, smaller(low, (double)buffers->low - 1), low},
               loads_buffers_doubt(r->table, buffers, &r->cliff),
               "no load waits for the store's address: as many overlap as without it");
    else
        answer(v, (struct interval){low, low, (double)b.waited - 2},
               b.waited - b.passed > 1 && b.passed > 0 ? REASON_EDGE_NOT_PLACED : REASON_NONE,
               "%ld loads wait until the store's address is known", (long)b.waited - 1);
}

static void judge_sustained(const void *reading, struct verdict *v)
{
    const struct mlp_reading *r = reading;
    struct interval slope;
    const struct row *one = curve_find(r->table, 1);
    bool has_all = r->cliff.answer == CLIFF_FOUND && one != NULL && r->buffers.last > 0;
    /* The other state's many loads may be no multiples of this one's buffers. */
    if (has_all && loads_slope(r->table, &r->buffers, &slope))
        loads_conclude_sustained(interval_subtract(r->cliff.beyond, curve_median(one)), slope,
                                 "load", "loads", "two serialized loads minus one", v);
    else
        answer_skip(v, REASON_NOT_MEASURED, "%s",
                    r->cliff.answer != CLIFF_FOUND ? "the jump over K"
                    : one == NULL                  ? "the time of one load"
                    : r->buffers.last == 0         ? "fill_buffers"
                                           : "two to four times as many loads as fill_buffers");
}

/* A chain of loads, and the line through the means of its lengths. */
struct chain_reading {
    const struct evidence *evidence;
    unsigned long lengths;
    struct regression fit;
};

static enum reason doubt_of_line(const struct regression *fit)
{
    bool is_straight =
        fit->line.slope > 0 && fit->slope_half_width <= PRECISE_WITHIN * fit->line.slope;
    return is_straight ? REASON_NONE : REASON_NOT_LINEAR;
}

static void judge_slope(const void *reading, struct verdict *v)
{
    const struct chain_reading *r = reading;
    struct interval slope = interval_around(r->fit.line.slope, r->fit.slope_half_width);
    answer(v, drift_widen(slope, r->evidence->table), doubt_of_line(&r->fit),
           "least squares over %lu chain lengths, residual %.1f ticks", r->lengths,
           r->fit.residual);
}

/* A chain of no loads must take an empty sample's time. */
static enum reason doubt_of_constant(const struct evidence *e, struct interval constant)
{
    const struct row *empty = &e->facts->empty[e->table->variant->order];
    if (empty->samples == 0)
        return REASON_NONE;
    struct interval t = curve_median(empty);
    return t.low > constant.high || t.high < constant.low ? REASON_CONTRADICTS : REASON_NONE;
}

static void judge_constant(const void *reading, struct verdict *v)
{
    const struct chain_reading *r = reading;
    struct interval constant = interval_around(r->fit.line.offset, r->fit.offset_half_width);
    answer(v, constant, doubt_of_line(&r->fit) ?: doubt_of_constant(r->evidence, constant),
           "the same fit at n = 0: timer and start-up; an empty sample is the control");
}

/* True of all that the published rule reads; with a sibling's work, smt needs two sizes alone. */
static bool is_of_loads(const struct variant *variant)
{
    return variant->pattern[0] == '\0' && !variant->dependent && variant->access == ACCESS_LOAD;
}

static bool is_table(const struct variant *variant)
{
    return is_of_loads(variant) && variant->sibling == SIBLING_UNNAMED;
}

static bool is_chain(const struct variant *variant)
{
    return variant->dependent;
}

#define TIME (NEEDS_WHOLE_PAGES | NEEDS_CLOCK)

/* A walk is a part of two serialized loads' time, and beside loads that wait for a buffer it takes
 * no time: more of them than there are buffers are still faster. It may wait itself. */
const struct question mlp_questions[] = {
    QUESTION("one_load", "ticks", is_table, TIME, judge_one_load,
             MEANS("the center of N = 1 with the smallest K"), .at = {HEADLINE_MEMORY, 1}),
    QUESTION(
        "one_load_p99", "ticks", is_table, TIME, judge_p99,
        MEANS("the 99th percentile of one load, free of interruptions: the center of the "
              "slowest of 69 loads, half of which stay below it; the method has p99.9. `doubt` "
              "if loads that hit have that tail, too")),
    QUESTION("two_sequential", "ticks", is_table, TIME, judge_two_sequential,
             MEANS("two serialized loads: N = 2 just beyond the jump")),
    QUESTION(
        "mlp", "loads", is_of_loads, NEEDS_WHOLE_CORE | NEEDS_WHOLE_PAGES | NEEDS_MEMORY, judge_mlp,
        MEANS(
            "the number of loads that overlap on average: the first N whose mean time reaches "
            "`two_sequential` (within 3 %), minus one. `ok` if the interval spans up to two N, or "
            "30 %"),
        .at = {HEADLINE_MLP, 1}),
    QUESTION("time_at_mlp_plus_1", "ticks", is_table, TIME, judge_time_beyond,
             MEANS("the mean time of `mlp` + 1 loads"), .leans_on = "mlp"),
    QUESTION("rob_cliff_k", "fillers", is_table, NEEDS_WHOLE_CORE, judge_cliff,
             MEANS("the first K at which two loads no longer overlap")),
    QUESTION("rob_entries", "entries", is_table, NEEDS_WHOLE_CORE, judge_rob,
             MEANS("the fillers just before the jump, plus the two loads; zeroed registers have to "
                   "jump at the same K, within one"),
             .at = {HEADLINE_ROB, 0}),
    QUESTION(
        "fill_buffers", "buffers", is_of_loads, NEEDS_WHOLE_CORE | NEEDS_WHOLE_PAGES, judge_buffers,
        MEANS("the misses that one thread can have outstanding: the last N before the first "
              "percentile jumps by a quarter of one load's time within three N; a lower limit if "
              "loads of the first line already wait"),
        .at = {HEADLINE_BUFFERS, 0}),
    QUESTION("overlap_behind_store", "loads", is_table, NEEDS_WHOLE_CORE | NEEDS_WHOLE_PAGES,
             judge_behind,
             MEANS("the independent loads that overlap while the address of a store before them "
                   "waits for another load: as many as without the store, `fill_buffers` minus "
                   "one, or 0 where loads wait for the addresses of all stores before them")),
    QUESTION(
        "mlp_sustained", "loads", is_table, NEEDS_WHOLE_CORE | NEEDS_WHOLE_PAGES, judge_sustained,
        MEANS("the misses kept busy, by Little's law: latency (`two_sequential` minus `one_load`) "
              "divided by the time per further load beyond `fill_buffers`")),
    QUESTION(
        "sequential_slope", "ticks", is_chain, TIME, judge_slope,
        MEANS("M and C of T(n) = n M + C, fitted to the mean times of n dependent loads (cases "
              "`...-dependent`)")),
    QUESTION("sequential_constant", "ticks", is_chain, TIME, judge_constant, NULL),
    {.name = NULL},
};

static const struct question overhead[] = {
    QUESTION(
        "overhead", "%", is_table, 0, NULL,
        MEANS(
            "the extra time of the plainest case's `mlp` + 1 loads, in percent of that case: 2 MB "
            "pages (or 1 GB, or else 4 KB), a natural TLB, LFENCE, prefetchers as found, local "
            "memory")),
    {.name = NULL},
};

void mlp_judge(const struct evidence *e)
{
    const struct variant *variant = e->table->variant;
    if (variant->dependent) {
        struct chain_reading r = {.evidence = e};
        r.lengths = fit_chain(e->table, &r.fit);
        if (r.lengths == 0)
            answer_none(e, mlp_questions, REASON_TOO_FEW_POINTS, "three lengths of chain");
        else
            answer_all(e, mlp_questions, &r);
    } else if (variant->access != ACCESS_LOAD) {
        accesses_judge(e);
    } else {
        struct mlp_reading r = mlp_read(e);
        answer_all(e, mlp_questions, &r);
        if (is_table(variant)) {
            counts_judge(e, counts_payload);
            counts_judge(e, counts_of_loads);
        }
    }
}

static void judge_overhead(const struct table *table, const struct table *plainest,
                           const struct verdict *base, struct verdict *v)
{
    char name[NAME_BYTES];
    const double none = __builtin_nan("");
    long n = base->value == base->value ? (long)base->value + 1 : 0; /* not NAN */
    const struct row *here = curve_find(table, n), *there = curve_find(plainest, n);
    case_name(&base->variant, name);
    if (n == 0)
        answer_skip(v, REASON_NOT_MEASURED, "mlp of case %s", name);
    else if (here == NULL || there == NULL)
        answer_skip(v, REASON_NOT_MEASURED, "N = %ld", n);
    else
        answer(v, (struct interval){(here->median / there->median - 1) * 100, none, none},
               REASON_NONE,
               table == plainest ? "other cases are compared with this one"
                                 : "median of N = %ld against case %s",
               n, name);
    if (table != plainest)
        answer_lean(v, base);
}

void mlp_compare(const struct evidence *e)
{
    const struct table *plainest = NULL, *end = e->tables->at + e->tables->count;
    for (const struct table *t = e->tables->at; t < end; t++)
        if (is_table(t->variant) &&
            (plainest == NULL || case_compare(t->variant, plainest->variant) < 0))
            plainest = t;
    const struct verdict *base = plainest != NULL ? answer_find(e, plainest->variant, "mlp") : NULL;
    for (const struct table *t = e->tables->at; base != NULL && t < end; t++)
        if (is_table(t->variant))
            judge_overhead(t, plainest, base, verdict_add(e->verdicts, t->variant, overhead));
    numa_compare(e);
}

const struct rule rule_mlp = {
    .questions =
        (const struct question *const[]){mlp_questions, overhead, accesses_questions,
                                         numa_questions, counts_payload, counts_of_loads, NULL},
    .judge = mlp_judge,
    .compare = mlp_compare,
};
