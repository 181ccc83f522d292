/* summary: one case's numbers out of all verdicts. */
#include "summary.h"

#include "../lib/string.h"

static bool is_of(const struct verdict *v, const char *variant, const char *name)
{
    return strcmp(v->variant, variant) == 0 && strcmp(v->name, name) == 0;
}

/* Of the same experiment; of any where `experiment` is NULL. */
static double value_of(const struct verdict *verdicts, size_t count, const char *experiment,
                       const char *variant, const char *name)
{
    for (const struct verdict *v = verdicts; v < verdicts + count; v++)
        if (is_of(v, variant, name) &&
            (experiment == NULL || strcmp(v->experiment, experiment) == 0))
            return v->value;
    return __builtin_nan("");
}

bool summary_next(const struct verdict *verdicts, size_t count, size_t *at,
                  struct summary_case *found)
{
    while (*at < count) {
        const struct verdict *v = &verdicts[(*at)++];
        const char *of = v->experiment, *variant = v->variant;
        if (strcmp(v->name, "mlp") != 0 || v->status == VERDICT_SKIP)
            continue;
        *found = (struct summary_case){
            .experiment = of,
            .variant = variant,
            .status = v->status,
            .mlp = v->value,
            .one_load = value_of(verdicts, count, of, variant, "one_load"),
            .time_at_mlp_plus_1 = value_of(verdicts, count, of, variant, "time_at_mlp_plus_1"),
            .overhead = value_of(verdicts, count, of, variant, "overhead"),
            .walk_cost = value_of(verdicts, count, NULL, variant, "walk_cost"),
        };
        return true;
    }
    return false;
}
