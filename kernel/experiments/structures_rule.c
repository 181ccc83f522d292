/* structures_rule: what each filler's jump says, with what else was in flight. */
#include "../probe/filler.h"
#include "experiment.h"
#include "loads_rule.h"

#define SAME_AS_ROB 0.97 /* a jump this near to that of the NOPs is the reorder buffer's own */

#define VERDICT_NAME(id, name, is_rob, verdict, ...) verdict,
static const char *const verdict_names[] = {FILLERS(VERDICT_NAME) NULL};

/* NULL: the case was not measured. */
static const struct table *find_case(const struct tables *tables, enum filler filler)
{
    struct variant of = {.has_page = false};
    name_copy(of.experiment, tables->at->of->experiment);
    name_copy(of.pattern, filler_table[filler].name);
    return tables_find(tables, &of);
}

/* `rob` is of NOPs, which use up nothing else. */
static void judge(const struct filler_kind *filler, const struct cliff *cliff,
                  const struct cliff *rob, struct verdict *v)
{
    double k = (double)cliff->first_high, more = filler->more;
    double low = (double)cliff->low + more, high = (double)cliff->high + more;
    if (!loads_have_cliff(cliff, v))
        return;
    if (!filler->is_rob && rob->answer != CLIFF_FOUND) {
        verdict_conclude(v, VERDICT_DOUBT, "needs the jump of NOPs to tell the two apart");
    } else if (!filler->is_rob && k >= SAME_AS_ROB * (double)rob->first_high) {
        verdict_value(v, __builtin_nan(""), low, __builtin_nan(""));
        verdict_conclude(v, VERDICT_DOUBT, "at least this: the reorder buffer ends first");
    } else {
        verdict_value(v, k + more, low, high);
        verdict_conclude(v, cliff_is_placed(cliff) ? VERDICT_OK : VERDICT_DOUBT, "%s",
                         filler->method);
    }
}

/*
 * Adds one verdict for each case, whose pattern is a filler's name, named for the structure that
 * the filler uses up (see probe/filler.h). A structure that is not smaller than the reorder buffer
 * cannot be seen: doubt, with the least it can be. Pure.
 */
static void compare(const struct tables *tables, struct verdict_list *verdicts)
{
    struct cliff cliff, rob = {.answer = CLIFF_TOO_FEW};
    const struct table *nops = find_case(tables, FILLER_NOP);
    if (nops != NULL)
        loads_cliff(nops, &rob);
    for (enum filler i = 0; i < FILLER_KINDS; i++) {
        const struct filler_kind *filler = &filler_table[i];
        const struct table *table = find_case(tables, i);
        if (table == NULL)
            continue;
        loads_cliff(table, &cliff);
        if (cliff.points == 0)
            continue;
        judge(filler, &cliff, &rob,
              verdict_add(verdicts, table->of, filler->verdict, filler->unit));
    }
}

const struct rule rule_structures = {
    .compare = compare,
    .verdicts = verdict_names,
    .show = loads_show_curve,
};
