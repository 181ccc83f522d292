/* structures_rule: what each filler's jump says, with what else was in flight. */
#include "../probe/filler.h"
#include "experiment.h"
#include "loads_rule.h"

#define LEAST_TO_JUDGE 6 /* points, with which cliff_find looks for a jump */
#define SAME_AS_ROB 0.97 /* a jump this near to that of the NOPs is the reorder buffer's own */

#define VERDICT_NAME(id, name, is_rob, verdict, ...) verdict,
static const char *const verdict_names[] = {FILLERS(VERDICT_NAME) NULL};

/* Where the jumps of NOPs are, which use up nothing but the reorder buffer. */
struct reorder_buffer {
    struct cliff nop, long_nop;
    const struct cliff *end; /* the nearer one: no filler takes more than an entry */
    bool differ;             /* some NOPs share an entry */
    bool is_open;            /* both were measured, and one shows no clear jump */
};

/* NULL: the case was not measured. */
static const struct table *find_case(const struct tables *tables, enum filler filler, bool shared)
{
    struct variant of = {.shared = shared};
    name_copy(of.experiment, tables->at->of->experiment);
    name_copy(of.pattern, filler_table[filler].name);
    return tables_find(tables, &of);
}

static void find_cliff(const struct tables *tables, enum filler filler, bool shared,
                       struct cliff *cliff)
{
    const struct table *table = find_case(tables, filler, shared);
    *cliff = (struct cliff){.answer = CLIFF_TOO_FEW};
    if (table != NULL)
        loads_cliff(table, cliff);
}

static void find_reorder_buffer(const struct tables *tables, bool shared,
                                struct reorder_buffer *rob)
{
    const struct cliff *a = &rob->nop, *b = &rob->long_nop;
    find_cliff(tables, FILLER_NOP, shared, &rob->nop);
    find_cliff(tables, FILLER_LONG_NOP, shared, &rob->long_nop);
    bool both = a->answer == CLIFF_FOUND && b->answer == CLIFF_FOUND;
    rob->is_open = !both && a->points >= LEAST_TO_JUDGE && b->points >= LEAST_TO_JUDGE;
    rob->end = b->answer == CLIFF_FOUND && (!both || b->first_high < a->first_high) ? b : a;
    rob->differ = both && ((double)a->first_high < SAME_AS_ROB * (double)b->first_high ||
                           (double)b->first_high < SAME_AS_ROB * (double)a->first_high);
}

static void judge(const struct filler_kind *filler, const struct cliff *cliff,
                  const struct reorder_buffer *rob, struct verdict *v)
{
    double k = (double)cliff->first_high, more = filler->more;
    double low = (double)cliff->low + more, high = (double)cliff->high + more;
    if (!loads_have_cliff(cliff, v))
        return;
    if (!filler->is_rob && rob->end->answer != CLIFF_FOUND) {
        verdict_conclude(v, VERDICT_DOUBT, "needs the jump of NOPs to tell the two apart");
        return;
    }
    if (!filler->is_rob && k >= SAME_AS_ROB * (double)rob->end->first_high) {
        verdict_value(v, __builtin_nan(""), low, __builtin_nan(""));
        verdict_conclude(v, VERDICT_DOUBT, "at least this: the reorder buffer ends first");
        return;
    }
    verdict_value(v, k + more, low, high);
    if (filler->is_rob && rob->is_open)
        verdict_conclude(v, VERDICT_DOUBT, "the other NOPs show no clear jump: they may differ");
    else if (filler->is_rob && rob->differ)
        verdict_conclude(v, VERDICT_DOUBT,
                         "NOPs of one byte jump at K = %ld, of eight at %ld: some share an entry",
                         (long)rob->nop.first_high, (long)rob->long_nop.first_high);
    else
        verdict_conclude(v, cliff_is_placed(cliff) ? VERDICT_OK : VERDICT_DOUBT, "%s",
                         filler->method);
}

static void compare_in_state(const struct tables *tables, bool shared,
                             struct verdict_list *verdicts)
{
    struct cliff cliff;
    struct reorder_buffer rob;
    find_reorder_buffer(tables, shared, &rob);
    for (enum filler i = 0; i < FILLER_KINDS; i++) {
        const struct filler_kind *filler = &filler_table[i];
        const struct table *table = find_case(tables, i, shared);
        if (table == NULL)
            continue;
        loads_cliff(table, &cliff);
        if (cliff.points > 0)
            judge(filler, &cliff, &rob,
                  verdict_add(verdicts, table->of, filler->verdict, filler->unit));
    }
}

/*
 * Adds one verdict for each case, whose pattern is a filler's name, named for the structure that
 * the filler uses up (see probe/filler.h). A structure that is not smaller than the reorder buffer
 * cannot be seen: doubt, with the least it can be. What a shared core has left is compared with its
 * own reorder buffer. Pure.
 */
static void compare(const struct tables *tables, struct verdict_list *verdicts)
{
    compare_in_state(tables, false, verdicts);
    compare_in_state(tables, true, verdicts);
}

const struct rule rule_structures = {
    .compare = compare,
    .verdicts = verdict_names,
    .show = loads_show_curve,
};
