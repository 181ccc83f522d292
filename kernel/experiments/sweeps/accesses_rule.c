/* accesses_rule: how many prefetches, stores, and non-temporal lines can be outstanding?
 *
 * Expected: prefetches fill what misses of any kind share (Zen 5: 124, while 64 loads may wait:
 * AMD's guide). Stores wait in the store queue for lines that are requested meanwhile. Lines of
 * non-temporal stores wait in write-combining buffers until they are whole; with one line more than
 * buffers, a line has to leave before, in parts (Intel Optimization Reference Manual, "Write
 * Combining"). A jump over N is of those only if the control does not show it as well.
 * Seen: nothing; no run of a processor with such cases is kept. */
#include "accesses_rule.h"

#include "../../analysis/drift.h"
#include "../answer.h"
#include "loads_rule.h"

const struct access_kind access_kinds[ACCESSES] = {
    [ACCESS_LOAD] = {.each = "load",
                     .many = "loads",
                     .base_metric = LOADS_CACHED,
                     .control = {LOADS_SAME_LINE, true, REASON_ENDS_FIRST},
                     .all_arrive = true},
    [ACCESS_PREFETCH] =
        {.each = "prefetch",
         .many = "prefetches",
         .base_metric = LOADS_CACHED,
         .control = {ACCESSES_PREFETCH_HITS, false, REASON_CONTROL_SHOWS_IT},
         .one = "one load without a prefetch",
         .buffers = "the last N before the fastest samples jump, of N - 1 prefetches and a load"},
    [ACCESS_STORE] =
        {.each = "store",
         .many = "stores",
         .base_metric = LOADS_CACHED,
         .has_fence = true,
         .control = {ACCESSES_STORE_HITS, true, REASON_ENDS_FIRST},
         .one = "one store, until globally visible",
         .buffers =
             "the last N before the fastest samples jump, of stores that wait for their lines",
         .all_arrive = true},
    [ACCESS_NT] =
        {.each = "line",
         .many = "lines",
         .base_metric = ACCESSES_EMPTY,
         .has_fence = true,
         .control = {ACCESSES_IN_TURN, false, REASON_CONTROL_SHOWS_IT},
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

/* A case of one kind of access. */
struct accesses {
    const struct access_kind *kind;
    const struct evidence *evidence;
    struct loads_buffers buffers;
};

static void judge_one_access(const void *reading, struct verdict *v)
{
    const struct accesses *a = reading;
    const struct access_kind *kind = a->kind;
    const struct table *table = a->evidence->table;
    const struct row *row = curve_find(table, 1);
    if (row == NULL) {
        answer_skip(v, REASON_NOT_MEASURED, "N = 1");
        return;
    }
    struct interval one = curve_median(row);
    answer(v, drift_widen(one, table), loads_one_doubt(table, kind->base_metric, one),
           "%s of N = 1: %s; timer included", loads_center_name(row), kind->one);
}

static enum reason access_buffers_doubt(const struct access_kind *kind, const struct table *table,
                                        const struct loads_buffers *buffers)
{
    struct access_point at =
        access_control_at(&kind->control, buffers->last, curve_smallest_k(table));
    const struct row *control = loads_find_near(table, kind->control.metric, at.n, at.k);
    if (buffers->high - buffers->low > LOADS_WIDEST_JUMP)
        return REASON_EDGE_NOT_PLACED;
    if (buffers->rise == 0)
        return REASON_EDGE_NOT_CONFIRMED;
    if (control == NULL)
        return REASON_NOT_MEASURED;
    return control->median > buffers->before + buffers->rise / 2
               ? kind->control.doubt
               : loads_walks_doubt(table, buffers);
}

static void judge_buffers(const void *reading, struct verdict *v)
{
    const struct accesses *a = reading;
    loads_conclude_buffers(a->evidence, &a->buffers,
                           access_buffers_doubt(a->kind, a->evidence->table, &a->buffers),
                           a->kind->buffers, v);
}

static void judge_arrivals(const void *reading, struct verdict *v)
{
    const struct accesses *a = reading;
    const struct table *table = a->evidence->table;
    const struct row *one = curve_find(table, 1), *empty = table_find(table, ACCESSES_EMPTY);
    struct interval slope;
    if (one == NULL || empty == NULL || a->buffers.last == 0 ||
        !loads_slope(table, &a->buffers, &slope))
        answer_skip(v, REASON_NOT_MEASURED, "one_access, fill_buffers, two to four times as many");
    else
        loads_conclude_sustained(interval_subtract(curve_median(one), curve_median(empty)), slope,
                                 a->kind->each, a->kind->many, "one access minus the fence alone",
                                 v);
}

static bool is_no_load(const struct variant *variant)
{
    return !variant->dependent && variant->access != ACCESS_LOAD;
}

static bool is_store(const struct variant *variant)
{
    return is_no_load(variant) && access_kinds[variant->access].all_arrive;
}

const struct question accesses_questions[] = {
    QUESTION("one_access", "ticks", is_no_load, NEEDS_WHOLE_PAGES | NEEDS_CLOCK, judge_one_access,
             MEANS("the center of N = 1: a load without a prefetch; a store or a line past the "
                   "caches, until globally visible")),
    QUESTION(
        "fill_buffers", "buffers", is_no_load, NEEDS_WHOLE_CORE | NEEDS_WHOLE_PAGES, judge_buffers,
        MEANS("as for loads, beside a control that takes as long if it is not the buffers that are "
              "full. `-prefetch`: misses of any kind, the last load included; control: prefetches "
              "that hit, and a load that misses. `-store`: lines requested by stores "
              "(write-allocate); control: two stores that miss, `fill_buffers` that hit between "
              "them. `-nt`: write-combining buffers, lines that can be written in turn; control: "
              "two lines more, each written whole before the next"),
        .at = {HEADLINE_BUFFERS, 0}),
    QUESTION(
        "mlp_sustained", "stores", is_store, NEEDS_WHOLE_CORE | NEEDS_WHOLE_PAGES, judge_arrivals,
        MEANS("`-store` only: `one_access` minus the fence alone, divided by the time per further "
              "store")),
    {.name = NULL},
};

void accesses_judge(const struct evidence *e)
{
    struct accesses a = {&access_kinds[e->table->variant->access], e, {.points = 0}};
    loads_find_buffers(e->table, &a.buffers);
    answer_all(e, accesses_questions, &a);
}
