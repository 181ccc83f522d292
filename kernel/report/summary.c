/* summary: one case's numbers out of all verdicts. */
#include "summary.h"

#include "../lib/string.h"

static double value_of(const struct verdict *verdict)
{
    return verdict != NULL ? verdict->value : __builtin_nan("");
}

static struct summary_case summarize(const struct verdict_index *verdicts,
                                     const struct verdict *mlp)
{
    const struct variant *of = &mlp->of;
    return (struct summary_case){
        .of = of,
        .status = mlp->status,
        .mlp = mlp->value,
        .one_load = value_of(verdict_index_find(verdicts, of, "one_load")),
        .time_at_mlp_plus_1 = value_of(verdict_index_find(verdicts, of, "time_at_mlp_plus_1")),
        .overhead = value_of(verdict_index_find(verdicts, of, "overhead")),
        .walk_cost = value_of(verdict_index_find_anywhere(verdicts, of, "walk_cost")),
    };
}

bool summary_next(const struct verdict_index *verdicts, size_t *at, struct summary_case *found)
{
    while (*at < verdicts->list->count) {
        const struct verdict *v = &verdicts->list->at[(*at)++];
        bool is_its_own = v->of.sibling == SIBLING_UNNAMED; /* smt has a table for the others */
        if (strcmp(v->name, "mlp") != 0 || v->status == VERDICT_SKIP || !is_its_own)
            continue;
        *found = summarize(verdicts, v);
        return true;
    }
    return false;
}
