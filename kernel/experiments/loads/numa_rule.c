/* numa_rule: what does memory on another node cost one load, and many?
 *
 * Expected, on a Haswell with two sockets: one load 60 to 70 cycles more, two 100, ten 110, and MLP
 * 11 for 10: the link is parallel, so it hurts one load more than ten (IIT Delhi, 2018, chapter 4).
 * Seen: nothing; no run of a machine with two nodes is kept. */
#include "numa_rule.h"

#include "../../analysis/curve.h"
#include "../answer.h"
#include "../experiment.h"
#include "../sweeps/counts_rule.h"
#include "mlp_rule.h"

/* The differences of the times of N loads, or where N is 0, of an answer of both cases. */
static const struct {
    int64_t n;
    const char *verdict;
} extras[] = {{1, NULL}, {2, NULL}, {10, NULL}, {0, "two_sequential"}, {0, "mlp"}};
#define EXTRAS (sizeof extras / sizeof *extras)

static bool is_remote(const struct variant *variant)
{
    return variant->memory != MEMORY_LOCAL && !variant->dependent && variant->access == ACCESS_LOAD;
}

#define TIME (NEEDS_WHOLE_PAGES | NEEDS_CLOCK)

/* In the order of the extras. */
const struct question numa_questions[EXTRAS + 1] = {
    QUESTION(
        "node_one_load_extra", "ticks", is_remote, TIME, NULL,
        MEANS("the median of 1, 2 and 10 loads from another node minus that from the own node")),
    QUESTION("node_two_loads_extra", "ticks", is_remote, TIME, NULL, NULL),
    QUESTION("node_ten_loads_extra", "ticks", is_remote, TIME, NULL, NULL),
    QUESTION("node_two_sequential_extra", "ticks", is_remote, TIME, NULL,
             MEANS("`two_sequential` and `mlp` minus those of the own node")),
    QUESTION("node_mlp_extra", "loads", is_remote, NEEDS_WHOLE_PAGES, NULL, NULL),
    {.name = NULL},
};

static void judge_loads_extra(const struct table *remote, const struct table *local, int64_t n,
                              const char *local_name, struct verdict *v)
{
    const struct row *here = curve_find(remote, n);
    const struct row *there = local != NULL ? curve_find(local, n) : NULL;
    if (here == NULL || there == NULL) {
        answer_skip(v, REASON_NOT_MEASURED, "N = %ld, here and in case %s", (long)n, local_name);
        return;
    }
    struct interval extra = interval_subtract(curve_median(here), curve_median(there));
    bool differs = extra.low > 0 || extra.high < 0;
    answer(v, extra, differs ? REASON_NONE : REASON_NO_DIFFERENCE,
           "median of N = %ld minus that of case %s", (long)n, local_name);
}

/* The difference leans on the answers of both cases. */
static void judge_verdict_extra(const struct evidence *e, const struct variant *local,
                                const char *name, const char *local_name, struct verdict *v)
{
    const struct verdict *here = answer_find(e, &v->variant, name);
    const struct verdict *there = answer_find(e, local, name);
    struct interval extra = {.value = __builtin_nan("")};
    if (here != NULL && there != NULL)
        extra = interval_subtract(answer_interval(here), answer_interval(there));
    if (extra.value != extra.value) { /* NAN */
        answer_skip(v, REASON_NOT_MEASURED, "%s, here and of case %s", name, local_name);
        return;
    }
    answer(v, extra, REASON_NONE, "%s minus that of case %s", name, local_name);
    answer_lean(v, here);
    answer_lean(v, there);
}

void numa_compare(const struct evidence *e)
{
    char name[NAME_BYTES];
    const struct table *end = e->tables->at + e->tables->count;
    for (const struct table *remote = e->tables->at; remote < end; remote++) {
        struct variant variant = *remote->variant;
        if (!is_remote(&variant))
            continue;
        variant.memory = MEMORY_LOCAL;
        variant.node = 0;
        const struct table *local = tables_find(e->tables, &variant);
        case_name(&variant, name);
        for (unsigned i = 0; i < EXTRAS; i++) {
            struct verdict *v = verdict_add(e->verdicts, remote->variant, &numa_questions[i]);
            if (extras[i].verdict != NULL)
                judge_verdict_extra(e, &variant, extras[i].verdict, name, v);
            else
                judge_loads_extra(remote, local, extras[i].n, name, v);
        }
    }
}

const struct rule rule_numa = {
    .questions = (const struct question *const[]){mlp_questions, numa_questions, counts_payload,
                                                  counts_of_loads, NULL},
    .judge = mlp_judge,
    .compare = mlp_compare,
};
