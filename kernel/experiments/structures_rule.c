/* structure_rule: what each filler's jump says, with what else was in flight. */
#include "structure_rule.h"

#include "cliff.h"
#include "verdict.h"

#define SAME_AS_ROB 0.97 /* a jump this near to that of the NOPs is the reorder buffer's own */

const char *const structure_verdict_names[] = {
    "rob_entries", "rob_entries_long_nop", "integer_registers", "vector_registers",
    "load_queue",  "store_queue",          "scheduler_entries", NULL};

/* `more` is added to the first K beyond the jump. */
static const struct {
    const char *variant, *name, *unit;
    int64_t more;
    const char *method;
} structures[] = {
    {"nop", "rob_entries", "entries", 1, "the fillers before the jump and both loads fit"},
    {"long-nop", "rob_entries_long_nop", "entries", 1, "the same with NOPs of eight bytes"},
    {"add", "integer_registers", "registers", 1,
     "the fillers before the jump and both loads each take one; architectural ones not counted"},
    {"vector", "vector_registers", "registers", -1,
     "the fillers before the jump each take one; architectural ones not counted"},
    {"load", "load_queue", "entries", 1, "the fillers before the jump and both loads fit"},
    {"store", "store_queue", "entries", -1, "the fillers before the jump fit; the loads take none"},
    {"waiting", "scheduler_entries", "entries", 0,
     "the fillers before the jump and the last load wait together"},
};

static void find_case(const struct row *rows, size_t count, const char *variant,
                      struct cliff *cliff)
{
    size_t size;
    const struct row *first = curve_case(rows, count, variant, &size);
    cliff_find(first, size, cliff);
}

static void judge(unsigned i, const struct cliff *cliff, const struct cliff *rob, struct verdict *v)
{
    double more = (double)structures[i].more, k = (double)cliff->first_high_k;
    double low = (double)cliff->low_k + more, high = (double)cliff->high_k + more;
    bool is_rob = structures[i].more == 1 && i < 2;
    if (!cliff->found) {
        verdict_conclude(v, cliff->measured ? VERDICT_DOUBT : VERDICT_SKIP, "%s",
                         cliff->measured ? cliff->doubt : "needs N = 2 at six values of K or more");
    } else if (!is_rob && !rob->found) {
        verdict_conclude(v, VERDICT_DOUBT, "needs the jump of NOPs to tell the two apart");
    } else if (!is_rob && k >= SAME_AS_ROB * (double)rob->first_high_k) {
        verdict_value(v, __builtin_nan(""), low, __builtin_nan(""));
        verdict_conclude(v, VERDICT_DOUBT, "at least this: the reorder buffer ends first");
    } else {
        verdict_value(v, k + more, low, high);
        verdict_conclude(v, cliff_is_placed(cliff) ? VERDICT_OK : VERDICT_DOUBT, "%s",
                         structures[i].method);
    }
}

void structures_compare(const struct row *rows, size_t count, struct verdict_list *verdicts)
{
    struct cliff rob, cliff;
    find_case(rows, count, "nop", &rob);
    for (unsigned i = 0; i < sizeof structures / sizeof *structures; i++) {
        find_case(rows, count, structures[i].variant, &cliff);
        if (cliff.points == 0)
            continue;
        struct verdict *v = verdict_add(verdicts, rows->experiment, structures[i].variant,
                                        structures[i].name, structures[i].unit);
        judge(i, &cliff, &rob, v);
    }
}
