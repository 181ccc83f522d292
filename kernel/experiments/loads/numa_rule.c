/* numa_rule: case by case, remote minus local. */
#include "numa_rule.h"

#include "../../analysis/curve.h"
#include "../../lib/string.h"
#include "../experiment.h"
#include "../sweeps/loads_rule.h"
#include "mlp_rule.h"

static const char *const verdict_names[] = {
    MLP_TABLE_VERDICTS,
    "node_one_load_extra",
    "node_two_loads_extra",
    "node_ten_loads_extra",
    "node_two_sequential_extra",
    "node_mlp_extra",
    NULL,
};

/* A case on another node, and the same on the own one; NULL where that was not measured. */
struct pair {
    const struct table *remote, *local;
    const char *name; /* of the local one */
};

static const struct row *find_loads(const struct table *table, int64_t n)
{
    return table != NULL ? curve_find(table, n) : NULL;
}

static void judge_loads(const struct pair *pair, int64_t n, struct verdict *v)
{
    const struct row *here = find_loads(pair->remote, n), *there = find_loads(pair->local, n);
    if (here == NULL || there == NULL) {
        verdict_conclude(v, VERDICT_SKIP, "needs N = %ld, here and in case %s", (long)n,
                         pair->name);
        return;
    }
    struct interval remote = curve_median(here), own = curve_median(there);
    double low = remote.low - own.high, high = remote.high - own.low;
    bool differs = low > 0 || high < 0;
    verdict_value(v, remote.value - own.value, low, high);
    verdict_conclude(v, differs ? VERDICT_OK : VERDICT_DOUBT, "median of N = %ld less case %s's%s",
                     (long)n, pair->name, differs ? "" : "; less than its interval");
}

/* Verdicts that were given case by case, in the order of the tables. */
struct given {
    const struct tables *tables;
    struct verdict *at;
    size_t count;
};

/* The last verdicts of the list are those of this experiment. */
static struct given find_given(const struct tables *tables, const struct verdict_list *list)
{
    struct verdict *end = list->at + list->count, *first = end;
    while (first > list->at && strcmp(first[-1].of.experiment, tables->at->of->experiment) == 0)
        first--;
    return (struct given){tables, first, (size_t)(end - first)};
}

/* A case's place among the tables; those that are not there come last. */
static size_t place_of(const struct given *given, const struct variant *of)
{
    const struct table *table = tables_find(given->tables, of);
    return table != NULL ? (size_t)(table - given->tables->at) : SIZE_MAX;
}

/* Where the verdicts of a case begin, by halves: there may be as many of them as rows. */
static size_t first_of(const struct given *given, size_t place)
{
    size_t low = 0, high = given->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (place_of(given, &given->at[middle].of) < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* NULL where there is none that has a value. */
static const struct verdict *find_value(const struct given *given, const struct table *table,
                                        const char *name)
{
    if (table == NULL)
        return NULL;
    size_t place = place_of(given, table->of), first = first_of(given, place);
    struct verdict_list of_case = {.at = given->at + first,
                                   .count = first_of(given, place + 1) - first};
    const struct verdict *v = verdict_find(&of_case, table->of, name);
    return v != NULL && v->value == v->value ? v : NULL; /* not NAN */
}

/* The difference of a verdict of both cases: as good as the worse of them. */
static void judge_verdicts(const struct given *given, const struct pair *pair, const char *name,
                           struct verdict *v)
{
    const struct verdict *here = find_value(given, pair->remote, name);
    const struct verdict *there = find_value(given, pair->local, name);
    if (here == NULL || there == NULL) {
        verdict_conclude(v, VERDICT_SKIP, "needs %s, here and of case %s", name, pair->name);
        return;
    }
    verdict_value(v, here->value - there->value, here->low - there->high, here->high - there->low);
    verdict_conclude(v, here->status > there->status ? here->status : there->status,
                     "%s less case %s's", name, pair->name);
}

static void compare_pair(const struct given *given, const struct pair *pair,
                         struct verdict_list *list)
{
    static const struct {
        int64_t n;
        const char *name;
    } loads[] = {
        {1, "node_one_load_extra"}, {2, "node_two_loads_extra"}, {10, "node_ten_loads_extra"}};
    const struct variant *of = pair->remote->of;
    for (unsigned i = 0; i < sizeof loads / sizeof *loads; i++)
        judge_loads(pair, loads[i].n, verdict_add(list, of, loads[i].name, "ticks"));
    judge_verdicts(given, pair, "two_sequential",
                   verdict_add(list, of, "node_two_sequential_extra", "ticks"));
    judge_verdicts(given, pair, "mlp", verdict_add(list, of, "node_mlp_extra", "loads"));
}

void numa_compare(const struct tables *tables, struct verdict_list *verdicts)
{
    const struct given given = find_given(tables, verdicts);
    for (const struct table *remote = tables->at; remote < tables->at + tables->count; remote++) {
        char name[NAME_BYTES];
        struct variant local = *remote->of;
        if (local.memory != MEMORY_NODE || local.dependent || local.access != ACCESS_LOAD)
            continue;
        local.memory = MEMORY_LOCAL;
        local.node = 0;
        struct pair pair = {remote, tables_find(tables, &local), case_name(&local, name)};
        compare_pair(&given, &pair, verdicts);
    }
}

const struct rule rule_numa = {
    .judge = mlp_judge,
    .compare = mlp_compare,
    .verdicts = verdict_names,
};
