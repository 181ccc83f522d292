/* mlp_rule: the published reading of an N by K table, with its doubts. */
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

#define LOADS_OF_PROBE 2     /* the first and the last stand in the ROB beside the fillers */
#define LARGEST_SCATTER 0.12 /* standard deviation of a few loads' time, as a share of it */
#define LEAST_LENGTHS 3      /* of chains */
#define LARGEST_RESIDUAL 0.1 /* of a chain's slope: more is no straight line */
#define CLOCK_STEPS 1.5      /* of the clock: what rises by less may have risen by one */
#define PLACES_TEXT 48

#define SLOPE "sequential_slope"
#define CONSTANT "sequential_constant"

static const char *const verdict_names[] = {MLP_TABLE_VERDICTS(MLP_VERDICT_NAME) SLOPE, CONSTANT,
                                            ACCESSES_ONE, NULL};

/* A table, and what several of its verdicts are read from. */
struct mlp_reading {
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
    double share; /* by which N loads drift against two serialized loads */
    if (drift_between(r->table, &share))
        sequential = interval_widen(sequential, share * sequential.value);
    curve_over_n(r->table, CURVE_MEAN, &curve);
    overlap_find(&curve, &sequential, &r->overlap);
}

static struct mlp_reading mlp_read(const struct table *table)
{
    struct mlp_reading r = {.table = table};
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
                                       char words[PLACES_TEXT])
{
    struct interval spread;
    words[0] = '\0';
    if (!loads_find_places(table, &spread))
        return t;
    if (!(spread.low > 0)) {
        text_write(words, PLACES_TEXT, "; all quarters of memory take as long");
        return t;
    }
    text_write(words, PLACES_TEXT, "; quarters of memory differ by %.1f %%",
               100 * spread.value / t.value);
    return interval_widen(t, student_95(LOAD_PLACES - 1) * spread.value);
}

static void judge_one_load(const struct mlp_reading *r, struct verdict *v)
{
    const struct row *one = curve_find(r->table, 1);
    char places[PLACES_TEXT];
    if (one == NULL) {
        loads_skip_missing(r->table, "N = 1 was not measured", v);
        return;
    }
    struct interval own = curve_median(one);
    struct interval t = widen_by_places(drift_widen(own, r->table), r->table, places);
    answer(v, t, loads_one_doubt(r->table, own),
           "%s of N = 1, K = %ld, %s-ordered timer included; first decile %.0f; the interval is "
           "for another run%s",
           loads_center_name(one), (long)one->k, ordering(r->table), one->p10, places);
}

static void judge_two_sequential(const struct mlp_reading *r, struct verdict *v)
{
    if (loads_have_cliff(r->table, &r->cliff, v))
        answer(v, drift_widen(r->cliff.beyond, r->table), NULL,
               "N = 2 just beyond the jump, at K = %ld; %s-ordered timer included",
               (long)r->cliff.first_high, ordering(r->table));
}

static void judge_cliff(const struct mlp_reading *r, struct verdict *v)
{
    char words[VERDICT_METHOD_BYTES];
    if (loads_have_cliff(r->table, &r->cliff, v))
        answer(v, cliff_size(&r->cliff, 0), loads_cliff_doubt(r->table, &r->cliff, words),
               "the first K at which two loads no longer overlap, from two straight lines fitted "
               "over K");
}

static void judge_rob(const struct mlp_reading *r, struct verdict *v)
{
    char words[VERDICT_METHOD_BYTES];
    if (loads_have_cliff(r->table, &r->cliff, v))
        answer(v, cliff_size(&r->cliff, LOADS_OF_PROBE - 1),
               loads_zeroes_doubt(r->table, &r->cliff)
                   ?: loads_cliff_doubt(r->table, &r->cliff, words),
               "%ld fillers before the jump plus two loads; zeroed registers jump at the same K",
               (long)r->cliff.first_high - 1);
}

/* True if one load takes several times: N loads then take the slowest one's. */
static bool loads_scatter(const struct table *table)
{
    const struct row *one = curve_find(table, 1);
    return one != NULL && curve_deviation(one) > LARGEST_SCATTER * one->median;
}

static void judge_mlp(const struct mlp_reading *r, struct verdict *v)
{
    const struct overlap *o = &r->overlap;
    const double none = __builtin_nan("");
    struct interval mlp = {(double)o->mlp, (double)o->low,
                           o->high == OVERLAP_OPEN ? none : (double)o->high};
    if (!loads_have_cliff(r->table, &r->cliff, v))
        return;
    if (!o->reached)
        answer_doubt(
            v, (struct interval){none, mlp.low, none},
            "no mean up to N = %ld reaches the time of two serialized loads: extend mlp.loads",
            (long)o->largest_n);
    else if (o->gap)
        answer_doubt(v, mlp, "N between %ld and this was not measured", (long)o->below_n);
    else
        answer(v, mlp,
               o->sure                   ? NULL
               : o->high == OVERLAP_OPEN ? "no larger N clearly takes as long as two serialized "
                                           "loads: extend mlp.loads"
                                         : "load times vary so much that any N of the interval may "
                                           "be the first to take as long as two serialized loads",
               "N + 1 loads are the first to take as long, on average, as two serialized loads%s",
               loads_scatter(r->table) ? "; load times vary, so the slowest of the N dominates"
                                       : "");
}

static void judge_time_beyond(const struct mlp_reading *r, struct verdict *v)
{
    struct verdict mlp = *v;
    judge_mlp(r, &mlp);
    if (r->overlap.reached)
        answer(v, drift_widen(r->overlap.time, r->table),
               mlp.status == VERDICT_OK ? NULL : "mlp is in doubt, and with it this N",
               "mean of N = %ld; timer included", (long)r->overlap.mlp + 1);
    else
        verdict_conclude(v, mlp.status, "needs mlp: %s", mlp.method);
}

static void judge_buffers(const struct mlp_reading *r, struct verdict *v)
{
    const double none = __builtin_nan("");
    if (r->buffers.last > 0 && loads_fill_queue(r->table, &r->buffers, &r->cliff))
        answer_doubt(
            v, (struct interval){none, (double)r->buffers.low, none},
            "the load queue is full first: another miss waits as long behind as many loads "
            "of one line");
    else
        loads_conclude_buffers(&r->buffers, loads_buffers_doubt(r->table, &r->buffers, &r->cliff),
                               "the last N before the fastest samples jump: the misses that one "
                               "thread can have outstanding",
                               v);
}

static void judge_sustained(const struct mlp_reading *r, struct verdict *v)
{
    struct interval slope;
    const struct row *one = curve_find(r->table, 1);
    bool has_all = r->cliff.answer == CLIFF_FOUND && one != NULL && r->buffers.last > 0;
    /* The other state's many loads may be no multiples of this one's buffers. */
    if (has_all && loads_slope(r->table, &r->buffers, &slope))
        loads_conclude_sustained(interval_subtract(r->cliff.beyond, curve_median(one)), slope,
                                 "load", "loads", "two serialized loads minus one", v);
    else
        answer_skip(v, "needs %s",
                    r->cliff.answer != CLIFF_FOUND ? "the jump over K"
                    : one == NULL                  ? "the time of one load"
                    : r->buffers.last == 0         ? "fill_buffers"
                                           : "two to four times as many loads as fill_buffers");
}

static const struct table_verdict {
    const char *name, *unit;
    void (*judge)(const struct mlp_reading *reading, struct verdict *verdict);
} table_verdicts[] = {
#define TABLE_VERDICT(...) {__VA_ARGS__},
    MLP_TABLE_VERDICTS(TABLE_VERDICT)};
#define TABLE_VERDICTS (sizeof table_verdicts / sizeof *table_verdicts)

struct verdict mlp_verdict(const struct table *table, const char *name)
{
    struct verdict verdict;
    struct verdict_list list = {.at = &verdict, .room = 1};
    const struct table_verdict *one = table_verdicts;
    struct mlp_reading r = mlp_read(table);
    while (strcmp(one->name, name) != 0)
        one++;
    one->judge(&r, verdict_add(&list, table->variant, one->name, one->unit));
    return verdict;
}

/* Fits T(n) = n * M + C to loads that wait for each other: to means, since means of sums add up.
 * Returns the number of lengths, or 0 where they are too few. */
static unsigned long fit_chain(const struct table *chain, struct regression *fit)
{
    struct curve curve;
    curve_over_n(chain, CURVE_MEAN, &curve);
    if (curve.count < LEAST_LENGTHS)
        return 0;
    *fit = line_regress(curve.x, curve.y, curve.count);
    return curve.count;
}

static void judge_chain(const struct table *table, struct verdict_list *list)
{
    struct verdict *slope = verdict_add(list, table->variant, SLOPE, "ticks");
    struct verdict *constant = verdict_add(list, table->variant, CONSTANT, "ticks");
    struct regression fit;
    unsigned long lengths = fit_chain(table, &fit);
    if (lengths == 0) {
        answer_skip(slope, "needs three lengths of chain or more");
        answer_skip(constant, "needs three lengths of chain or more");
        return;
    }
    bool straight = fit.line.slope > 0 && fit.residual <= LARGEST_RESIDUAL * fit.line.slope;
    const char *doubt =
        straight ? NULL : "time over the length of the chain is not a straight line";
    struct interval each = interval_around(fit.line.slope, fit.slope_half_width);
    answer(slope, drift_widen(each, table), doubt,
           "least squares over %lu chain lengths, residual %.1f ticks", lengths, fit.residual);
    answer(constant, interval_around(fit.line.offset, fit.offset_half_width), doubt,
           "the same fit at n = 0: timer and start-up");
}

void mlp_judge(const struct table *table, struct verdict_list *verdicts)
{
    if (table->variant->dependent)
        judge_chain(table, verdicts);
    else if (table->variant->access != ACCESS_LOAD)
        accesses_judge(table, verdicts);
    else {
        struct mlp_reading r = mlp_read(table);
        for (const struct table_verdict *t = table_verdicts; t < table_verdicts + TABLE_VERDICTS;
             t++)
            t->judge(&r, verdict_add(verdicts, table->variant, t->name, t->unit));
        counts_judge(table, verdicts);
    }
}

static bool is_of_loads(const struct table *table)
{
    return !table->variant->dependent && table->variant->access == ACCESS_LOAD;
}

static void judge_overhead(const struct table *table, const struct table *plainest,
                           const struct verdict *base, struct verdict *v)
{
    char name[NAME_BYTES];
    long n = (long)base->value + 1;
    const struct row *here = curve_find(table, n), *there = curve_find(plainest, n);
    if (here == NULL || there == NULL)
        answer_skip(v, "N = %ld was not measured", n);
    else
        answer(v,
               (struct interval){(here->median / there->median - 1) * 100, __builtin_nan(""),
                                 __builtin_nan("")},
               base->status == VERDICT_OK || table == plainest
                   ? NULL
                   : "mlp of the plainest case is in doubt",
               table == plainest ? "other cases are compared with this one"
                                 : "median of N = %ld against case %s",
               n, case_name(&base->variant, name));
}

void mlp_compare(const struct tables *tables, struct verdict_list *verdicts)
{
    char name[NAME_BYTES];
    const struct table *plainest = NULL, *end = tables->at + tables->count;
    for (const struct table *t = tables->at; t < end; t++)
        if (is_of_loads(t) && (plainest == NULL || case_compare(t->variant, plainest->variant) < 0))
            plainest = t;
    if (plainest == NULL)
        return;
    const struct verdict base = mlp_verdict(plainest, "mlp");
    for (const struct table *t = tables->at; t < end; t++) {
        if (!is_of_loads(t))
            continue;
        struct verdict *v = verdict_add(verdicts, t->variant, "overhead", "%");
        if (base.value == base.value) /* not NAN */
            judge_overhead(t, plainest, &base, v);
        else
            answer_skip(v, "needs mlp of case %s", case_name(plainest->variant, name));
    }
    numa_compare(tables, verdicts);
}

/* Chains have two verdicts of their own; lines that are not loaded have one, and two of tables. */
static bool mlp_gives(const struct variant *variant, const char *name)
{
    bool is_of_chain = strcmp(name, SLOPE) == 0 || strcmp(name, CONSTANT) == 0;
    bool is_of_access = strcmp(name, ACCESSES_ONE) == 0;
    if (variant->dependent)
        return is_of_chain;
    if (variant->access == ACCESS_LOAD)
        return !is_of_chain && !is_of_access;
    return is_of_access || strcmp(name, "fill_buffers") == 0 ||
           (strcmp(name, "mlp_sustained") == 0 && access_kinds[variant->access].all_arrive);
}

/* Returns why the constant is in doubt: a chain of no loads must take an empty sample's time. */
static const char *doubt_of_constant(const struct timer *timer, const struct verdict *v)
{
    if (timer->empty == NULL)
        return NULL;
    struct interval t = curve_median(timer->empty);
    return t.low > v->high || t.high < v->low ? "the fitted constant differs from the time of an "
                                                "empty sample, so the fit is not linear"
                                              : NULL;
}

/* Compares one load with a chain of one, by means, which add up. */
static const char *doubt_of_one_load(const struct tables *tables, const struct verdict *v)
{
    struct regression fit;
    struct variant of_chain = v->variant;
    of_chain.dependent = true;
    const struct table *chain = tables_find(tables, &of_chain),
                       *own = tables_find(tables, &v->variant);
    const struct row *one = chain != NULL && own != NULL ? curve_find(own, 1) : NULL;
    if (one == NULL || fit_chain(chain, &fit) == 0)
        return NULL;
    double most = v->high - v->value + fit.slope_half_width + fit.offset_half_width;
    return __builtin_fabs(one->mean - line_at(fit.line, 1)) > most
               ? "differs from the time of one load by the fit over chains"
               : NULL;
}

/* Compares the jump with a step of the clock, which the fastest samples take at once however little
 * time rises, and the buffers with those seen without prefetchers, whose misses may take some. */
static const char *doubt_of_buffers(const struct tables *tables, const struct timer *timer,
                                    const struct verdict *v)
{
    struct variant without = v->variant;
    struct loads_buffers buffers;
    const struct table *own = tables_find(tables, &v->variant);
    if (own != NULL) {
        loads_find_buffers(own, &buffers);
        if (loads_jump_rise(own, &buffers) <= CLOCK_STEPS * timer->step)
            return "the jump is hardly more than a step of the clock";
    }
    without.prefetch_off = true;
    const struct table *table = tables_find(tables, &without);
    if (table == NULL || table_is_skipped(table))
        return NULL;
    loads_find_buffers(table, &buffers);
    return (double)buffers.low > v->high + LOADS_WIDEST_JUMP ||
                   (double)buffers.high < v->low - LOADS_WIDEST_JUMP
               ? "without prefetchers the fastest samples jump at another N, or not at all"
               : NULL;
}

const char *mlp_doubt(const struct tables *tables, const struct timer *timer,
                      const struct verdict *v)
{
    if (strcmp(v->name, CONSTANT) == 0)
        return doubt_of_constant(timer, v);
    if (strcmp(v->name, "fill_buffers") == 0)
        return doubt_of_buffers(tables, timer, v);
    return strcmp(v->name, "one_load") == 0 ? doubt_of_one_load(tables, v) : NULL;
}

/* A walk is a part of two serialized loads' time, and beside loads that wait for a buffer it takes
 * no time: more of them than there are buffers are still faster. It may wait itself. */
static bool needs_whole_pages(const struct tables *tables, const struct verdict *v)
{
    struct loads_buffers buffers;
    if (v->variant.page == PAGE_4K)
        return false;
    if (strcmp(v->name, "fill_buffers") != 0)
        return strcmp(v->unit, "ticks") == 0 || strcmp(v->name, "mlp_sustained") == 0 ||
               strcmp(v->name, "mlp") == 0;
    const struct table *table = tables_find(tables, &v->variant);
    loads_find_buffers(table, &buffers);
    return !loads_jump_is_steep(table, &buffers);
}

static const struct headline headlines[] = {
    {10, "ROB", "mlp", {"rob_entries"}, false, SEEN_NOTHING},
    {20, "MLP", "mlp", {"mlp"}, false, SEEN_NOTHING},
    {30, "fill buffers", "mlp", {"fill_buffers"}, false, SEEN_NOTHING},
    {.label = NULL},
};

const struct rule rule_mlp = {
    .headlines = headlines,
    .judge = mlp_judge,
    .compare = mlp_compare,
    .doubt = mlp_doubt,
    .needs_whole_pages = needs_whole_pages,
    .verdicts = verdict_names,
    .gives = mlp_gives,
};
