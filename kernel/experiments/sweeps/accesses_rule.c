/* accesses_rule: the jump over N, and what could contradict it, of each kind of access. */
#include "accesses_rule.h"

#include "../../analysis/drift.h"
#include "../answer.h"
#include "loads_rule.h"

static const char cached_doubt[] = "no slower than without eviction, so this is not memory's time";

const struct access_kind access_kinds[ACCESSES] = {
    [ACCESS_LOAD] = {.each = "load",
                     .many = "loads",
                     .base_metric = LOADS_CACHED,
                     .control = {LOADS_SAME_LINE, true, NULL},
                     .all_arrive = true},
    [ACCESS_PREFETCH] =
        {.each = "prefetch",
         .many = "prefetches",
         .base_metric = LOADS_CACHED,
         .base_doubt = cached_doubt,
         .control = {ACCESSES_PREFETCH_HITS, false,
                     "a load waits as long behind as many prefetches that hit: the prefetches "
                     "themselves are the limit"},
         .one = "one load without a prefetch",
         .buffers = "the last N before the fastest samples jump, of N - 1 prefetches and a load"},
    [ACCESS_STORE] =
        {.each = "store",
         .many = "stores",
         .base_metric = LOADS_CACHED,
         .base_doubt = cached_doubt,
         .has_fence = true,
         .control = {ACCESSES_STORE_HITS, true,
                     "another store waits as long behind as many stores that hit: the store queue "
                     "is full"},
         .one = "one store, until globally visible",
         .buffers =
             "the last N before the fastest samples jump, of stores that wait for their lines",
         .all_arrive = true},
    [ACCESS_NT] =
        {.each = "line",
         .many = "lines",
         .base_metric = ACCESSES_EMPTY,
         .base_doubt = "no slower than the fence alone",
         .has_fence = true,
         .control = {ACCESSES_IN_TURN, false,
                     "as many lines, each written whole before the next, take as long"},
         .one = "one whole line, until globally visible",
         .buffers =
             "the last N before the fastest samples jump, of lines written word by word in turn"},
};

struct access_point access_control_at(const struct access_control *control, int64_t buffers,
                                      int64_t least_k)
{
    return control->is_of_two ? (struct access_point){2, buffers}
                              : (struct access_point){buffers + 2, least_k};
}

static const char *one_access_doubt(const struct access_kind *kind, const struct table *table,
                                    struct interval one)
{
    const struct row *base = table_find(table, kind->base_metric);
    if (base == NULL)
        return "the control was not measured";
    return one.low > curve_median(base).high * LOADS_LEAST_MISS ? NULL : kind->base_doubt;
}

static void judge_one_access(const struct access_kind *kind, const struct table *table,
                             struct verdict *v)
{
    const struct row *row = curve_find(table, 1);
    if (row == NULL) {
        answer_skip(v, "N = 1 was not measured");
        return;
    }
    struct interval one = curve_median(row);
    answer(v, drift_widen(one, table), one_access_doubt(kind, table, one),
           "%s of N = 1: %s; timer included", loads_center_name(row), kind->one);
}

static const char *access_buffers_doubt(const struct access_kind *kind, const struct table *table,
                                        const struct loads_buffers *buffers)
{
    struct access_point at =
        access_control_at(&kind->control, buffers->last, curve_smallest_k(table));
    const struct row *control = loads_find_near(table, kind->control.metric, at.n, at.k);
    double middle;
    if (buffers->high - buffers->low > LOADS_WIDEST_JUMP)
        return "the first decile jumps at another N: measure again on a quiet machine";
    if (!loads_jump_again(table, buffers, &middle))
        return "a later look shows no jump there";
    if (!loads_jump_is_above(table, buffers))
        return "the time beyond the jump is hardly above that before it";
    if (control == NULL)
        return "the control without buffers was not measured";
    return control->median > middle ? kind->control.doubt : loads_walks_doubt(table, buffers);
}

static void judge_arrivals(const struct access_kind *kind, const struct table *table,
                           const struct loads_buffers *buffers, struct verdict *v)
{
    const struct row *one = curve_find(table, 1), *empty = table_find(table, ACCESSES_EMPTY);
    struct interval slope;
    if (one == NULL || empty == NULL || buffers->last == 0 || !loads_slope(table, buffers, &slope))
        answer_skip(v, "needs one_access, fill_buffers, and two to four times as many");
    else
        loads_conclude_sustained(interval_subtract(curve_median(one), curve_median(empty)), slope,
                                 kind->each, kind->many, "one access minus the fence alone", v);
}

void accesses_judge(const struct table *table, struct verdict_list *list)
{
    const struct access_kind *kind = &access_kinds[table->variant->access];
    struct loads_buffers buffers;
    loads_find_buffers(table, &buffers);
    judge_one_access(kind, table, verdict_add(list, table->variant, ACCESSES_ONE, "ticks"));
    loads_conclude_buffers(&buffers, access_buffers_doubt(kind, table, &buffers), kind->buffers,
                           verdict_add(list, table->variant, "fill_buffers", "buffers"));
    if (kind->all_arrive)
        judge_arrivals(kind, table, &buffers,
                       verdict_add(list, table->variant, "mlp_sustained", "stores"));
}
