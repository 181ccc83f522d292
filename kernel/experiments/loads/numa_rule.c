/* numa_rule: case by case, remote minus local. */
#include "numa_rule.h"

#include "../../analysis/curve.h"
#include "../answer.h"
#include "../experiment.h"
#include "mlp_rule.h"

/* Differences of the time of N loads, or where N is 0, of a verdict that mlp gives both cases. */
#define EXTRAS(X)                                                                                  \
    X("node_one_load_extra", "ticks", 1, NULL)                                                     \
    X("node_two_loads_extra", "ticks", 2, NULL)                                                    \
    X("node_ten_loads_extra", "ticks", 10, NULL)                                                   \
    X("node_two_sequential_extra", "ticks", 0, "two_sequential")                                   \
    X("node_mlp_extra", "loads", 0, "mlp")

#define EXTRA(...) {__VA_ARGS__},
static const struct {
    const char *name, *unit;
    int64_t n;
    const char *verdict;
} extras[] = {EXTRAS(EXTRA)};

static const char *const verdict_names[] = {MLP_TABLE_VERDICTS(MLP_VERDICT_NAME)
                                                EXTRAS(MLP_VERDICT_NAME) NULL};

static void judge_loads_extra(const struct table *remote, const struct table *local, int64_t n,
                              const char *local_name, struct verdict *v)
{
    const struct row *here = curve_find(remote, n);
    const struct row *there = local != NULL ? curve_find(local, n) : NULL;
    if (here == NULL || there == NULL) {
        answer_skip(v, "needs N = %ld, here and in case %s", (long)n, local_name);
        return;
    }
    struct interval extra = interval_subtract(curve_median(here), curve_median(there));
    bool differs = extra.low > 0 || extra.high < 0;
    answer(v, extra, differs ? NULL : "the interval holds 0: no clear difference",
           "median of N = %ld minus that of case %s", (long)n, local_name);
}

/* The difference is as good as the worse of both verdicts. */
static void judge_verdict_extra(const struct table *remote, const struct table *local,
                                const char *name, const char *local_name, struct verdict *v)
{
    const struct verdict here = mlp_verdict(remote, name);
    const struct verdict there = mlp_verdict(local != NULL ? local : remote, name);
    struct interval extra = interval_subtract(answer_interval(&here), answer_interval(&there));
    if (local != NULL && extra.value == extra.value) /* not NAN */
        answer(v, extra,
               here.status != VERDICT_OK || there.status != VERDICT_OK
                   ? "the time of two serialized loads is in doubt, here or on the own node"
                   : NULL,
               "%s minus that of case %s", name, local_name);
    else
        answer_skip(v, "needs %s, here and of case %s", name, local_name);
}

void numa_compare(const struct tables *tables, struct verdict_list *verdicts)
{
    char name[NAME_BYTES];
    for (const struct table *remote = tables->at; remote < tables->at + tables->count; remote++) {
        struct variant variant = *remote->variant;
        if (variant.memory != MEMORY_NODE || variant.dependent || variant.access != ACCESS_LOAD)
            continue;
        variant.memory = MEMORY_LOCAL;
        variant.node = 0;
        const struct table *local = tables_find(tables, &variant);
        case_name(&variant, name);
        for (unsigned i = 0; i < sizeof extras / sizeof *extras; i++) {
            struct verdict *v =
                verdict_add(verdicts, remote->variant, extras[i].name, extras[i].unit);
            if (extras[i].verdict != NULL)
                judge_verdict_extra(remote, local, extras[i].verdict, name, v);
            else
                judge_loads_extra(remote, local, extras[i].n, name, v);
        }
    }
}

const struct rule rule_numa = {
    .judge = mlp_judge,
    .compare = mlp_compare,
    .doubt = mlp_doubt,
    .verdicts = verdict_names,
};
