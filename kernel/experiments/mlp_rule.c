/* mlp_rule: the published reading of an N by K table, with its doubts. */
#include "mlp_rule.h"

#include "../lib/string.h"
#include "chain.h"
#include "cliff.h"
#include "counts.h"
#include "node_rule.h"
#include "overlap.h"
#include "verdict.h"

#define LOADS_OF_PROBE 2 /* the first and the last stand in the ROB beside the fillers */

const char *const mlp_verdict_names[] = {
    "one_load",
    "two_sequential",
    "mlp",
    "time_at_mlp_plus_1",
    "rob_cliff_k",
    "rob_entries",
    "fill_buffers",
    "sequential_slope",
    "sequential_constant",
    NULL,
};

static const char *ordering(const char *variant)
{
    size_t length = strlen(variant), suffix = sizeof MLP_CPUID_SUFFIX - 1;
    bool cpuid = length >= suffix && strcmp(variant + length - suffix, MLP_CPUID_SUFFIX) == 0;
    return cpuid ? "CPUID" : "LFENCE";
}

static void judge_one_load(const struct row *rows, size_t count, struct verdict *v)
{
    const struct row *shortest = NULL;
    for (size_t i = 0; i < count; i++)
        if (curve_has(&rows[i]) && rows[i].n == 1 && (shortest == NULL || rows[i].k < shortest->k))
            shortest = &rows[i];
    if (shortest == NULL) {
        verdict_conclude(v, VERDICT_SKIP, "N = 1 was not measured");
        return;
    }
    struct interval t = curve_median(shortest);
    verdict_value(v, t.value, t.low, t.high);
    verdict_conclude(v, VERDICT_OK, "median of N = 1 with K = %ld; %s-ordered timer included",
                     (long)shortest->k, ordering(shortest->variant));
}

/* Sets the reason where there is no jump to answer from. */
static bool has_jump(const struct cliff *cliff, struct verdict *v)
{
    if (!cliff->measured)
        verdict_conclude(v, VERDICT_SKIP, "needs N = 2 at six values of K or more");
    else if (!cliff->found)
        verdict_conclude(v, VERDICT_DOUBT, "%s", cliff->doubt);
    return cliff->found;
}

static void judge_two_sequential(const struct cliff *cliff, struct verdict *v)
{
    if (!has_jump(cliff, v))
        return;
    verdict_value(v, cliff->sequential.value, cliff->sequential.low, cliff->sequential.high);
    verdict_conclude(v, VERDICT_OK,
                     "N = 2 just beyond the jump, at K = %ld; %s-ordered timer included",
                     (long)cliff->first_high_k, ordering(v->variant));
}

static void judge_cliff(const struct cliff *cliff, struct verdict *v)
{
    if (!has_jump(cliff, v))
        return;
    verdict_value(v, (double)cliff->first_high_k, (double)cliff->low_k, (double)cliff->high_k);
    verdict_conclude(v, cliff_is_placed(cliff) ? VERDICT_OK : VERDICT_DOUBT,
                     "two pieces fitted to N = 2 over %lu values of K; first K beyond the jump",
                     (unsigned long)cliff->points);
}

static void judge_rob(const struct cliff *cliff, struct verdict *v)
{
    const long more = LOADS_OF_PROBE - 1;
    if (!has_jump(cliff, v))
        return;
    verdict_value(v, (double)(cliff->first_high_k + more), (double)(cliff->low_k + more),
                  (double)(cliff->high_k + more));
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

static void judge_mlp(const struct overlap *o, const struct cliff *cliff, struct verdict *mlp,
                      struct verdict *time)
{
    if (!has_jump(cliff, mlp)) {
        verdict_conclude(time, mlp->status, "needs mlp: %s", mlp->method);
        return;
    }
    if (!o->reached) {
        verdict_value(mlp, __builtin_nan(""), (double)o->low, __builtin_nan(""));
        verdict_conclude(mlp, VERDICT_DOUBT,
                         "up to N = %ld no time reaches that of two sequential loads",
                         (long)o->largest_n);
        verdict_conclude(time, VERDICT_DOUBT, "needs mlp: %s", mlp->method);
        return;
    }
    double high = o->high == OVERLAP_OPEN ? __builtin_nan("") : (double)o->high;
    verdict_value(mlp, (double)o->mlp, (double)o->low, high);
    if (o->gap)
        verdict_conclude(mlp, VERDICT_DOUBT, "N between %ld and this was not measured",
                         (long)o->below_n);
    else
        verdict_conclude(mlp, o->sure ? VERDICT_OK : VERDICT_DOUBT, "%s",
                         mlp_methods[o->fast][o->jumped]);
    verdict_value(time, o->time.value, o->time.low, o->time.high);
    verdict_conclude(time, mlp->status, "%s of N = %ld; timer included",
                     o->fast ? "tenth percentile" : "median", (long)o->mlp + 1);
}

static void judge_fill_buffers(const struct overlap *o, struct verdict *v)
{
    if (o->points < 4) {
        verdict_conclude(v, VERDICT_SKIP, "needs four values of N or more");
    } else if (o->buffers == 0) {
        verdict_conclude(v, VERDICT_DOUBT, "time neither jumps nor bends upwards over N");
    } else {
        double n = (double)o->buffers;
        verdict_value(v, n, n, n);
        /* Where loads scatter, one that is back early makes room for one more. */
        verdict_conclude(v, o->buffers_jump && !o->fast ? VERDICT_OK : VERDICT_DOUBT, "%s",
                         buffer_methods[o->fast][o->buffers_jump]);
    }
}

static void judge_table(const struct row *rows, size_t count, struct verdict_list *list)
{
    const char *of = rows->experiment, *variant = rows->variant;
    struct cliff cliff;
    struct overlap overlap;
    cliff_find(rows, count, &cliff);
    overlap_find(rows, count, &cliff, &overlap);
    judge_one_load(rows, count, verdict_add(list, of, variant, "one_load", "ticks"));
    judge_two_sequential(&cliff, verdict_add(list, of, variant, "two_sequential", "ticks"));
    struct verdict *mlp = verdict_add(list, of, variant, "mlp", "loads");
    judge_mlp(&overlap, &cliff, mlp, verdict_add(list, of, variant, "time_at_mlp_plus_1", "ticks"));
    judge_cliff(&cliff, verdict_add(list, of, variant, "rob_cliff_k", "fillers"));
    judge_rob(&cliff, verdict_add(list, of, variant, "rob_entries", "entries"));
    judge_fill_buffers(&overlap, verdict_add(list, of, variant, "fill_buffers", "buffers"));
}

void mlp_judge(const struct row *rows, size_t count, struct verdict_list *verdicts)
{
    if (count == 0)
        return;
    if (chain_is(rows->variant)) {
        chain_judge(rows, count, verdicts);
    } else {
        judge_table(rows, count, verdicts);
        counts_judge(rows, count, verdicts);
    }
}

/* The time of n loads with the smallest K in one case; NAN where it was not measured. */
static double time_of(const struct row *rows, size_t count, const char *variant, int64_t n)
{
    const struct row *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (curve_has(&rows[i]) && rows[i].n == n && strcmp(rows[i].variant, variant) == 0 &&
            (found == NULL || rows[i].k < found->k))
            found = &rows[i];
    return found != NULL ? found->median : __builtin_nan("");
}

static const struct verdict *find_mlp(const struct verdict_list *list, const struct row *of)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct verdict *v = &list->at[i];
        if (strcmp(v->experiment, of->experiment) == 0 && strcmp(v->variant, of->variant) == 0 &&
            strcmp(v->name, "mlp") == 0)
            return v;
    }
    return NULL;
}

static void judge_overhead(const struct row *rows, size_t count, const char *variant,
                           const struct verdict *base, struct verdict_list *verdicts)
{
    struct verdict *v = verdict_add(verdicts, rows->experiment, variant, "overhead", "%");
    if (base == NULL || base->value != base->value) {
        verdict_conclude(v, VERDICT_SKIP, "needs mlp of case %s", rows->variant);
        return;
    }
    int64_t n = (int64_t)base->value + 1;
    double here = time_of(rows, count, variant, n), there = time_of(rows, count, rows->variant, n);
    if (here != here || there != there) {
        verdict_conclude(v, VERDICT_SKIP, "N = %ld was not measured", (long)n);
        return;
    }
    double percent = (here / there - 1) * 100;
    verdict_value(v, percent, __builtin_nan(""), __builtin_nan(""));
    verdict_conclude(v, base->status, "time of N = %ld against case %s", (long)n, rows->variant);
}

void mlp_compare(const struct row *rows, size_t count, struct verdict_list *verdicts)
{
    /* The list grows below, but never moves. */
    const struct verdict *base = count > 0 ? find_mlp(verdicts, rows) : NULL;
    for (size_t i = 0; i < count; i++) {
        bool first_of_case = i == 0 || strcmp(rows[i].variant, rows[i - 1].variant) != 0;
        if (first_of_case && !chain_is(rows[i].variant))
            judge_overhead(rows, count, rows[i].variant, base, verdicts);
    }
    node_compare(rows, count, verdicts);
}
