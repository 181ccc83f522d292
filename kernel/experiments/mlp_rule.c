/* mlp_rule: the published reading of an N by K table, with its doubts. */
#include "mlp_rule.h"

#include "../analysis/line.h"
#include "../analysis/overlap.h"
#include "../lib/string.h"
#include "counts_rule.h"
#include "experiment.h"
#include "loads_rule.h"
#include "numa_rule.h"

#define LOADS_OF_PROBE 2     /* the first and the last stand in the ROB beside the fillers */
#define LARGEST_SCATTER 0.12 /* standard deviation of a few loads' time, as a share of it */
#define FEW_LOADS 4          /* far fewer than any core has fill buffers */
#define LEAST_LENGTHS 3      /* of chains */
#define LARGEST_RESIDUAL 0.1 /* of a chain's slope: more is no straight line */

static const char *const verdict_names[] = {
    MLP_TABLE_VERDICTS,
    "sequential_slope",
    "sequential_constant",
    NULL,
};

static struct curve curve; /* too large for a firmware's stack */

static const char *ordering(const struct variant *of)
{
    return of->order == ORDER_CPUID ? "CPUID" : "LFENCE";
}

static void judge_one_load(const struct table *table, struct verdict *v)
{
    const struct row *shortest = curve_find(table, 1);
    if (shortest == NULL) {
        verdict_conclude(v, VERDICT_SKIP, "N = 1 was not measured");
        return;
    }
    struct interval t = curve_median(shortest);
    verdict_value(v, t.value, t.low, t.high);
    verdict_conclude(v, t.value > 0 ? VERDICT_OK : VERDICT_DOUBT,
                     "median of N = 1 with K = %ld; %s-ordered timer included", (long)shortest->k,
                     ordering(table->of));
}

static void judge_two_sequential(const struct cliff *cliff, struct verdict *v)
{
    if (!loads_have_cliff(cliff, v))
        return;
    verdict_value(v, cliff->beyond.value, cliff->beyond.low, cliff->beyond.high);
    verdict_conclude(v, VERDICT_OK,
                     "N = 2 just beyond the jump, at K = %ld; %s-ordered timer included",
                     (long)cliff->first_high, ordering(&v->of));
}

static void judge_cliff(const struct cliff *cliff, struct verdict *v)
{
    if (!loads_have_cliff(cliff, v))
        return;
    verdict_value(v, (double)cliff->first_high, (double)cliff->low, (double)cliff->high);
    verdict_conclude(v, cliff_is_placed(cliff) ? VERDICT_OK : VERDICT_DOUBT,
                     "two pieces fitted to N = 2 over %lu values of K; first K beyond the jump",
                     (unsigned long)cliff->points);
}

static void judge_rob(const struct table *table, const struct cliff *cliff, struct verdict *v)
{
    const long more = LOADS_OF_PROBE - 1;
    if (!loads_have_cliff(cliff, v))
        return;
    verdict_value(v, (double)(cliff->first_high + more), (double)(cliff->low + more),
                  (double)(cliff->high + more));
    const char *doubt = loads_nops_doubt(table, cliff);
    if (doubt != NULL) {
        verdict_conclude(v, VERDICT_DOUBT, "%s", doubt);
        return;
    }
    verdict_conclude(v, cliff_is_placed(cliff) ? VERDICT_OK : VERDICT_DOUBT,
                     "the last K before the jump and the two loads around it fit together");
}

/* By whether loads scatter, and whether time jumps. */
static const char *const mlp_methods[2][2] = {
    {"the next N is the first to take as long as two sequential loads",
     "time jumps at the next N, on its way to two sequential loads"},
    {"loads scatter: the fastest tenth reaches two sequential at the next N",
     "loads scatter: the fastest tenth of samples jumps at the next N"},
};
static const char *const buffer_methods[2][2] = {
    {"time bends upwards here, but does not jump",
     "the last N before time jumps: one more load has to wait"},
    {"loads scatter: the fastest tenth bends upwards here, but does not jump",
     "loads scatter: the last N before the fastest tenth jumps"},
};

static void miss_mlp(const struct overlap *o, struct verdict *mlp)
{
    verdict_value(mlp, __builtin_nan(""), (double)o->low, __builtin_nan(""));
    verdict_conclude(mlp, VERDICT_DOUBT,
                     "up to N = %ld no time reaches that of two sequential loads",
                     (long)o->largest_n);
}

static void conclude_mlp(const struct overlap *o, bool fast, struct verdict *mlp)
{
    double high = o->high == OVERLAP_OPEN ? __builtin_nan("") : (double)o->high;
    verdict_value(mlp, (double)o->mlp, (double)o->low, high);
    if (o->gap)
        verdict_conclude(mlp, VERDICT_DOUBT, "N between %ld and this was not measured",
                         (long)o->below_n);
    else
        verdict_conclude(mlp, o->sure ? VERDICT_OK : VERDICT_DOUBT, "%s",
                         mlp_methods[fast][o->jumped]);
}

static void judge_mlp(const struct overlap *o, bool fast, const struct cliff *cliff,
                      struct verdict *mlp, struct verdict *time)
{
    bool answered = loads_have_cliff(cliff, mlp) && o->reached;
    if (answered)
        conclude_mlp(o, fast, mlp);
    else if (cliff->answer == CLIFF_FOUND)
        miss_mlp(o, mlp);
    if (!answered) {
        verdict_conclude(time, mlp->status, "needs mlp: %s", mlp->method);
        return;
    }
    verdict_value(time, o->time.value, o->time.low, o->time.high);
    verdict_conclude(time, mlp->status, "%s of N = %ld; timer included",
                     fast ? "tenth percentile" : "median", (long)o->mlp + 1);
}

static void judge_fill_buffers(const struct overlap *o, bool fast, struct verdict *v)
{
    if (o->points < 4) {
        verdict_conclude(v, VERDICT_SKIP, "needs four values of N or more");
    } else if (o->buffers == 0) {
        verdict_conclude(v, VERDICT_DOUBT, "time neither jumps nor bends upwards over N");
    } else {
        double n = (double)o->buffers;
        verdict_value(v, n, n, n);
        /* Where loads scatter, one that is back early makes room for one more. */
        verdict_conclude(v, o->buffers_jump && !fast ? VERDICT_OK : VERDICT_DOUBT, "%s",
                         buffer_methods[fast][o->buffers_jump]);
    }
}

/*
 * Of N loads that scatter, the slowest counts, and the more there are, the slower it is: the median
 * over N then rises for another reason than a lack of buffers. In the fastest tenth of the samples
 * no load was slow, as long as that happens by chance to one sample in ten. A few loads show it
 * more surely than one: where one in twelve is slow, the last decile of single loads misses it.
 */
static bool scatters(const struct table *table)
{
    int64_t k = curve_smallest_k(table);
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->k == k && row->n <= FEW_LOADS && curve_has(row) &&
            curve_deviation(row) > LARGEST_SCATTER * row->median)
            return true;
    return false;
}

static void find_overlap(const struct table *table, const struct cliff *cliff, bool fast,
                         struct overlap *overlap)
{
    struct interval sequential = cliff->beyond;
    bool found = cliff->answer == CLIFF_FOUND;
    if (found && fast) {
        curve_over_k(table, 2, CURVE_FAST, &curve);
        sequential = overlap_level_from(&curve, (double)cliff->first_high);
    }
    curve_over_n(table, fast ? CURVE_FAST : CURVE_MEDIAN, &curve);
    overlap_find(&curve, found ? &sequential : NULL, fast, overlap);
}

static void judge_table(const struct table *table, struct verdict_list *list)
{
    const struct variant *of = table->of;
    struct cliff cliff;
    struct overlap overlap;
    bool fast = scatters(table);
    loads_cliff(table, &cliff);
    find_overlap(table, &cliff, fast, &overlap);
    judge_one_load(table, verdict_add(list, of, "one_load", "ticks"));
    judge_two_sequential(&cliff, verdict_add(list, of, "two_sequential", "ticks"));
    struct verdict *mlp = verdict_add(list, of, "mlp", "loads");
    judge_mlp(&overlap, fast, &cliff, mlp, verdict_add(list, of, "time_at_mlp_plus_1", "ticks"));
    judge_cliff(&cliff, verdict_add(list, of, "rob_cliff_k", "fillers"));
    judge_rob(table, &cliff, verdict_add(list, of, "rob_entries", "entries"));
    judge_fill_buffers(&overlap, fast, verdict_add(list, of, "fill_buffers", "buffers"));
}

/* T(n) = n * M + C, for loads that wait for each other. */
static void judge_chain(const struct table *table, struct verdict_list *list)
{
    struct verdict *slope = verdict_add(list, table->of, "sequential_slope", "ticks");
    struct verdict *constant = verdict_add(list, table->of, "sequential_constant", "ticks");
    curve_over_n(table, CURVE_MEDIAN, &curve);
    if (curve.count < LEAST_LENGTHS) {
        verdict_conclude(slope, VERDICT_SKIP, "needs three lengths of chain or more");
        verdict_conclude(constant, VERDICT_SKIP, "needs three lengths of chain or more");
        return;
    }
    struct regression fit = line_regress(curve.x, curve.y, curve.count);
    bool straight = fit.line.slope > 0 && fit.residual <= LARGEST_RESIDUAL * fit.line.slope;
    verdict_value(slope, fit.line.slope, fit.line.slope - fit.slope_reach,
                  fit.line.slope + fit.slope_reach);
    verdict_value(constant, fit.line.offset, fit.line.offset - fit.offset_reach,
                  fit.line.offset + fit.offset_reach);
    verdict_conclude(slope, straight ? VERDICT_OK : VERDICT_DOUBT,
                     "least squares over %lu lengths of chain, residual %.1f ticks",
                     (unsigned long)curve.count, fit.residual);
    verdict_conclude(constant, slope->status, "the same line at n = 0: timer and start-up");
}

void mlp_judge(const struct table *table, struct verdict_list *verdicts)
{
    if (table->of->dependent) {
        judge_chain(table, verdicts);
        return;
    }
    judge_table(table, verdicts);
    counts_judge(table, verdicts);
}

/* The case to compare others with, in whatever order they are; NULL: there are chains alone. */
static const struct table *find_plainest(const struct tables *tables)
{
    const struct table *plainest = NULL;
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++)
        if (!t->of->dependent && (plainest == NULL || case_compare(t->of, plainest->of) < 0))
            plainest = t;
    return plainest;
}

static void judge_overhead(const struct row *here, const struct row *there,
                           const struct verdict *base, struct verdict *v)
{
    char name[NAME_BYTES];
    long n = (long)base->value + 1;
    if (here == NULL || there == NULL) {
        verdict_conclude(v, VERDICT_SKIP, "N = %ld was not measured", n);
        return;
    }
    double percent = (here->median / there->median - 1) * 100;
    verdict_value(v, percent, __builtin_nan(""), __builtin_nan(""));
    verdict_conclude(v, base->status, "time of N = %ld against case %s", n,
                     case_name(&base->of, name));
}

static void compare_overhead(const struct tables *tables, const struct table *plainest,
                             struct verdict_list *verdicts)
{
    char name[NAME_BYTES];
    /* The list grows below, but never moves. */
    const struct verdict *base = verdict_find(verdicts, plainest->of, "mlp");
    bool known = base != NULL && base->value == base->value; /* not NAN */
    int64_t n = known ? (int64_t)base->value + 1 : 0;
    const struct row *there = curve_find(plainest, n);
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++) {
        if (t->of->dependent)
            continue;
        struct verdict *v = verdict_add(verdicts, t->of, "overhead", "%");
        if (known)
            judge_overhead(curve_find(t, n), there, base, v);
        else
            verdict_conclude(v, VERDICT_SKIP, "needs mlp of case %s",
                             case_name(plainest->of, name));
    }
}

void mlp_compare(const struct tables *tables, struct verdict_list *verdicts)
{
    const struct table *plainest = find_plainest(tables);
    if (plainest != NULL)
        compare_overhead(tables, plainest, verdicts);
    numa_compare(tables, verdicts);
}

const struct rule rule_mlp = {
    .judge = mlp_judge,
    .compare = mlp_compare,
    .verdicts = verdict_names,
    .show = loads_show,
};
