/* node_rule: case by case, remote less local. */
#include "node_rule.h"

#include "../lib/string.h"
#include "../lib/text.h"
#include "chain.h"
#include "curve.h"
#include "verdict.h"

const char *const node_verdict_names[] = {
    "one_load",
    "two_sequential",
    "mlp",
    "time_at_mlp_plus_1",
    "rob_cliff_k",
    "rob_entries",
    "fill_buffers",
    "node_one_load_extra",
    "node_two_loads_extra",
    "node_ten_loads_extra",
    "node_two_sequential_extra",
    "node_mlp_extra",
    NULL,
};

/* Where the suffix and its number begin in a case's name, and where they end. NULL: it has none. */
static const char *find_suffix(const char *variant, const char **end)
{
    size_t length = sizeof NODE_SUFFIX - 1, left = strlen(variant);
    for (; left > length; variant++, left--) {
        if (memcmp(variant, NODE_SUFFIX, length) != 0)
            continue;
        *end = variant + length;
        while (**end >= '0' && **end <= '9')
            ++*end;
        return variant;
    }
    return NULL;
}

/* The case of the same name on the own node. False: this one is. */
static bool local_case(const char *variant, char local[NAME_BYTES])
{
    struct text text;
    const char *end, *suffix = find_suffix(variant, &end);
    if (suffix == NULL)
        return false;
    text_init(&text, local, NAME_BYTES);
    text_printf(&text, "%.*s%s", (int)(suffix - variant), variant, end);
    return true;
}

/* The time of n loads with the smallest K of a case; NULL where it was not measured. */
static const struct row *find_loads(const struct row *rows, size_t count,
                                           const char *variant, int64_t n)
{
    const struct row *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (curve_has(&rows[i]) && rows[i].n == n && strcmp(rows[i].variant, variant) == 0 &&
            (found == NULL || rows[i].k < found->k))
            found = &rows[i];
    return found;
}

static void judge_loads(const struct row *here, const struct row *there, int64_t n,
                        const char *local, struct verdict *v)
{
    if (here == NULL || there == NULL) {
        verdict_conclude(v, VERDICT_SKIP, "needs N = %ld, here and in case %s", (long)n, local);
        return;
    }
    struct interval remote = curve_median(here), own = curve_median(there);
    double low = remote.low - own.high, high = remote.high - own.low;
    bool differs = low > 0 || high < 0;
    verdict_value(v, remote.value - own.value, low, high);
    verdict_conclude(v, differs ? VERDICT_OK : VERDICT_DOUBT, "median of N = %ld less case %s's%s",
                     (long)n, local, differs ? "" : "; less than its interval");
}

static const struct verdict *find_verdict(const struct verdict_list *list, const char *experiment,
                                          const char *variant, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct verdict *v = &list->at[i];
        if (strcmp(v->experiment, experiment) == 0 && strcmp(v->variant, variant) == 0 &&
            strcmp(v->name, name) == 0)
            return v;
    }
    return NULL;
}

static bool has_value(const struct verdict *v)
{
    return v != NULL && v->value == v->value; /* not NAN */
}

/* The difference of a verdict of both cases: as good as the worse of them. */
static void judge_verdicts(const struct verdict_list *list, const char *name, const char *local,
                           struct verdict *v)
{
    const struct verdict *here = find_verdict(list, v->experiment, v->variant, name);
    const struct verdict *there = find_verdict(list, v->experiment, local, name);
    if (!has_value(here) || !has_value(there)) {
        verdict_conclude(v, VERDICT_SKIP, "needs %s, here and of case %s", name, local);
        return;
    }
    verdict_value(v, here->value - there->value, here->low - there->high, here->high - there->low);
    verdict_conclude(v, here->status > there->status ? here->status : there->status,
                     "%s less case %s's", name, local);
}

static void compare_case(const struct row *rows, size_t count, const char *variant,
                         const char *local, struct verdict_list *list)
{
    static const struct {
        int64_t n;
        const char *name;
    } loads[] = {
        {1, "node_one_load_extra"}, {2, "node_two_loads_extra"}, {10, "node_ten_loads_extra"}};
    const char *of = rows->experiment;
    for (unsigned i = 0; i < sizeof loads / sizeof *loads; i++)
        judge_loads(find_loads(rows, count, variant, loads[i].n),
                    find_loads(rows, count, local, loads[i].n), loads[i].n, local,
                    verdict_add(list, of, variant, loads[i].name, "ticks"));
    judge_verdicts(list, "two_sequential", local,
                   verdict_add(list, of, variant, "node_two_sequential_extra", "ticks"));
    judge_verdicts(list, "mlp", local, verdict_add(list, of, variant, "node_mlp_extra", "loads"));
}

void node_compare(const struct row *rows, size_t count, struct verdict_list *verdicts)
{
    char local[NAME_BYTES];
    for (size_t i = 0; i < count; i++) {
        bool first_of_case = i == 0 || strcmp(rows[i].variant, rows[i - 1].variant) != 0;
        if (first_of_case && !chain_is(rows[i].variant) && local_case(rows[i].variant, local))
            compare_case(rows, count, rows[i].variant, local, verdicts);
    }
}
