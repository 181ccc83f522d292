/* mlp_rule: the published reading of an N by K table, with its doubts. */
#include "mlp_rule.h"

#include "../../analysis/drift.h"
#include "../../analysis/line.h"
#include "../../analysis/overlap.h"
#include "../../lib/string.h"
#include "../../lib/text.h"
#include "../../probe/load_sampler.h"
#include "../experiment.h"
#include "../sweeps/accesses_rule.h"
#include "../sweeps/counts_rule.h"
#include "../sweeps/loads_rule.h"
#include "numa_rule.h"

#define LOADS_OF_PROBE 2     /* the first and the last stand in the ROB beside the fillers */
#define LARGEST_SCATTER 0.12 /* standard deviation of a few loads' time, as a share of it */
#define LEAST_LENGTHS 3      /* of chains */
#define LARGEST_RESIDUAL 0.1 /* of a chain's slope: more is no straight line */

#define SLOPE "sequential_slope"
#define CONSTANT "sequential_constant"

static const char *const verdict_names[] = {MLP_TABLE_VERDICTS, SLOPE, CONSTANT, ACCESSES_ONE,
                                            NULL};

static struct curve curve; /* too large for a firmware's stack */

static const char *ordering(const struct variant *of)
{
    return of->order == ORDER_CPUID ? "CPUID" : "LFENCE";
}

/* Where some memory is slower than other, another run may get either. NAN: that was not measured.
 */
static struct interval widen_by_places(struct interval t, const struct table *table,
                                       double *percent)
{
    struct interval spread;
    *percent = __builtin_nan("");
    if (!loads_find_places(table, &spread))
        return t;
    *percent = 0;
    if (!(spread.low > 0))
        return t;
    double reach = student_95(LOAD_PLACES - 1) * spread.value, own = t.high - t.value;
    reach = __builtin_sqrt(reach * reach + own * own);
    *percent = 100 * spread.value / t.value;
    return (struct interval){t.value, t.value - reach > 0 ? t.value - reach : 0, t.value + reach};
}

static void judge_one_load(const struct table *table, struct verdict *v)
{
    const struct row *shortest = curve_find(table, 1);
    char places[48] = "";
    double percent;
    if (shortest == NULL) {
        verdict_conclude(v, VERDICT_SKIP, "N = 1 was not measured");
        return;
    }
    struct interval own = curve_median(shortest);
    struct interval t = widen_by_places(drift_widen(own, table), table, &percent);
    const char *doubt = loads_one_doubt(table, &own);
    verdict_value(v, t.value, t.low, t.high);
    if (percent > 0)
        text_write(places, sizeof places, "; places in memory differ by %.1f %%", percent);
    else if (percent == 0)
        text_write(places, sizeof places, "; no difference between places in memory");
    if (doubt != NULL)
        verdict_conclude(v, VERDICT_DOUBT, "%s", doubt);
    else
        verdict_conclude(v, VERDICT_OK, "median of N = 1 with K = %ld; %s-ordered timer included%s",
                         (long)shortest->k, ordering(table->of), places);
}

static void judge_two_sequential(const struct table *table, const struct cliff *cliff,
                                 struct verdict *v)
{
    if (!loads_have_cliff(cliff, v))
        return;
    struct interval t = drift_widen(cliff->beyond, table);
    verdict_value(v, t.value, t.low, t.high);
    verdict_conclude(v, VERDICT_OK,
                     "N = 2 just beyond the jump, at K = %ld; %s-ordered timer included",
                     (long)cliff->first_high, ordering(&v->of));
}

static void judge_cliff(const struct table *table, const struct cliff *cliff, struct verdict *v)
{
    if (!loads_have_cliff(cliff, v))
        return;
    verdict_value(v, (double)cliff->first_high, (double)cliff->low, (double)cliff->high);
    loads_conclude_cliff(table, cliff, v, "the first K beyond the jump of N = 2");
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
    loads_conclude_cliff(table, cliff, v,
                         "the last K before the jump and the two loads around it fit together");
}

static void miss_mlp(const struct overlap *o, struct verdict *mlp)
{
    verdict_value(mlp, __builtin_nan(""), (double)o->low, __builtin_nan(""));
    verdict_conclude(mlp, VERDICT_DOUBT,
                     "up to N = %ld no mean time reaches that of two sequential loads",
                     (long)o->largest_n);
}

/* Of one load: where it comes in several times, N loads take the slowest one's. */
static bool scatters(const struct table *table)
{
    const struct row *one = curve_find(table, 1);
    return one != NULL && curve_deviation(one) > LARGEST_SCATTER * one->median;
}

static void conclude_mlp(const struct table *table, const struct overlap *o, struct verdict *mlp)
{
    double high = o->high == OVERLAP_OPEN ? __builtin_nan("") : (double)o->high;
    verdict_value(mlp, (double)o->mlp, (double)o->low, high);
    if (o->gap)
        verdict_conclude(mlp, VERDICT_DOUBT, "N between %ld and this was not measured",
                         (long)o->below_n);
    else
        verdict_conclude(mlp, o->sure ? VERDICT_OK : VERDICT_DOUBT,
                         "the next N's mean is the first to reach that of two in turn%s",
                         scatters(table) ? "; loads scatter, and the slowest of N counts" : "");
}

static void judge_mlp(const struct table *table, const struct overlap *o, const struct cliff *cliff,
                      struct verdict *mlp, struct verdict *time)
{
    bool answered = loads_have_cliff(cliff, mlp) && o->reached;
    if (answered)
        conclude_mlp(table, o, mlp);
    else if (cliff->answer == CLIFF_FOUND)
        miss_mlp(o, mlp);
    if (!answered) {
        verdict_conclude(time, mlp->status, "needs mlp: %s", mlp->method);
        return;
    }
    struct interval t = drift_widen(o->time, table);
    verdict_value(time, t.value, t.low, t.high);
    verdict_conclude(time, mlp->status, "mean of N = %ld; timer included", (long)o->mlp + 1);
}

static void judge_sustained(const struct table *table, const struct loads_buffers *buffers,
                            const struct cliff *cliff, struct verdict *v)
{
    struct interval slope;
    const struct row *one = curve_find(table, 1);
    bool has_all = cliff->answer == CLIFF_FOUND && one != NULL && buffers->last > 0;
    /* As many loads as the other state of the core has buffers fill none. */
    if (!has_all || !loads_slope(table, buffers, &slope)) {
        verdict_conclude(v, VERDICT_SKIP,
                         "needs two_sequential, fill_buffers, and two to four times as many loads");
        return;
    }
    struct interval first = curve_median(one);
    struct interval latency = interval_subtract(cliff->beyond, first);
    loads_conclude_sustained(&latency, &slope, "load", "loads", "two in turn less one", v);
}

/* Means, as published, of both. */
static void find_overlap(const struct table *table, const struct cliff *cliff,
                         struct overlap *overlap)
{
    *overlap = (struct overlap){.points = 0};
    if (cliff->answer != CLIFF_FOUND)
        return;
    curve_over_k(table, 2, CURVE_MEAN, &curve);
    struct interval sequential = overlap_level_from(&curve, (double)cliff->first_high);
    curve_over_n(table, CURVE_MEAN, &curve);
    overlap_find(&curve, &sequential, overlap);
}

static void judge_table(const struct table *table, struct verdict_list *list)
{
    const struct variant *of = table->of;
    struct cliff cliff;
    struct overlap overlap;
    struct loads_buffers buffers;
    loads_cliff(table, &cliff);
    loads_find_buffers(table, &buffers);
    find_overlap(table, &cliff, &overlap);
    judge_one_load(table, verdict_add(list, of, "one_load", "ticks"));
    judge_two_sequential(table, &cliff, verdict_add(list, of, "two_sequential", "ticks"));
    struct verdict *mlp = verdict_add(list, of, "mlp", "loads");
    judge_mlp(table, &overlap, &cliff, mlp, verdict_add(list, of, "time_at_mlp_plus_1", "ticks"));
    judge_cliff(table, &cliff, verdict_add(list, of, "rob_cliff_k", "fillers"));
    judge_rob(table, &cliff, verdict_add(list, of, "rob_entries", "entries"));
    const char *doubt = buffers.last > 0 ? loads_buffers_doubt(table, &buffers, &cliff) : NULL;
    loads_conclude_buffers(&buffers, doubt, "the last N before the fastest samples jump",
                           verdict_add(list, of, "fill_buffers", "buffers"));
    judge_sustained(table, &buffers, &cliff, verdict_add(list, of, "mlp_sustained", "loads"));
}

/* T(n) = n * M + C, for loads that wait for each other: of means, since those of sums add up. */
static void judge_chain(const struct table *table, struct verdict_list *list)
{
    struct verdict *slope = verdict_add(list, table->of, SLOPE, "ticks");
    struct verdict *constant = verdict_add(list, table->of, CONSTANT, "ticks");
    curve_over_n(table, CURVE_MEAN, &curve);
    if (curve.count < LEAST_LENGTHS) {
        verdict_conclude(slope, VERDICT_SKIP, "needs three lengths of chain or more");
        verdict_conclude(constant, VERDICT_SKIP, "needs three lengths of chain or more");
        return;
    }
    struct regression fit = line_regress(curve.x, curve.y, curve.count);
    bool straight = fit.line.slope > 0 && fit.residual <= LARGEST_RESIDUAL * fit.line.slope;
    double student = student_95((double)curve.count - 2) / NORMAL_95;
    double off = student * fit.slope_reach, constant_off = student * fit.offset_reach;
    struct interval each = {fit.line.slope, fit.line.slope - off, fit.line.slope + off};
    each = drift_widen(each, table);
    verdict_value(slope, each.value, each.low, each.high);
    double least = fit.line.offset - constant_off;
    verdict_value(constant, fit.line.offset, fit.line.offset > 0 && least < 0 ? 0 : least,
                  fit.line.offset + constant_off);
    verdict_conclude(slope, straight ? VERDICT_OK : VERDICT_DOUBT,
                     "least squares over %lu lengths of chain, residual %.1f ticks%s",
                     (unsigned long)curve.count, fit.residual,
                     straight ? "" : ": no straight line");
    verdict_conclude(constant, slope->status, "the same line at n = 0: timer and start-up");
}

void mlp_judge(const struct table *table, struct verdict_list *verdicts)
{
    if (table->of->dependent) {
        judge_chain(table, verdicts);
        return;
    }
    if (table->of->access != ACCESS_LOAD) {
        accesses_judge(table, verdicts);
        return;
    }
    judge_table(table, verdicts);
    counts_judge(table, verdicts);
}

static bool is_of_loads(const struct variant *of)
{
    return !of->dependent && of->access == ACCESS_LOAD;
}

/* The case to compare others with, in whatever order they are; NULL: there are none of loads side
 * by side. */
static const struct table *find_plainest(const struct tables *tables)
{
    const struct table *plainest = NULL;
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++)
        if (is_of_loads(t->of) && (plainest == NULL || case_compare(t->of, plainest->of) < 0))
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
        if (!is_of_loads(t->of))
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

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names != NULL && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

/* Chains have two verdicts of their own, and none of the others; so have lines that are not loaded,
 * but for two. */
static bool gives(const struct variant *of, const char *name)
{
    static const char *const chain[] = {SLOPE, CONSTANT, NULL};
    static const char *const access[] = {ACCESSES_ONE, "fill_buffers", "mlp_sustained", NULL};
    if (of->dependent)
        return is_one_of(name, chain);
    if (of->access == ACCESS_LOAD)
        return !is_one_of(name, chain) && strcmp(name, ACCESSES_ONE) != 0;
    return is_one_of(name, access) &&
           (access_kinds[of->access].all_arrive || strcmp(name, access[2]) != 0);
}

const struct rule rule_mlp = {
    .judge = mlp_judge,
    .compare = mlp_compare,
    .verdicts = verdict_names,
    .gives = gives,
};
