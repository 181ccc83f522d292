/* judge: hands each case, and each experiment's cases together, to their rule. */
#include "judge.h"

#include "../lib/string.h"
#include "answer.h"
#include "controls.h"
#include "experiment.h"

/* Verdicts of a case beside those that its experiment names: of counts, and above_floor. */
#define FURTHER_VERDICTS 16

/* Adds every verdict of a case that was skipped, with the row's reason. */
static void skip_case(const struct rule *rule, const struct table *table,
                      struct verdict_list *verdicts)
{
    for (const char *const *name = rule->verdicts; *name != NULL; name++)
        if (rule->gives == NULL || rule->gives(table->variant, *name))
            answer_skip(verdict_add(verdicts, table->variant, *name, ""), "%s", table->rows->unit);
}

/* Judges the cases of one experiment; those that were skipped come last. */
static void judge_experiment(const struct tables *tables, const struct floor *floor,
                             struct verdict_list *verdicts)
{
    const struct experiment *experiment = experiment_find(tables->at->variant->experiment);
    const struct rule *rule = experiment->rule;
    size_t measured = 0, first = verdicts->count;
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++) {
        measured += !table_is_skipped(t);
        if (table_is_skipped(t))
            skip_case(rule, t, verdicts);
        else if (rule->judge != NULL)
            rule->judge(t, verdicts);
    }
    struct tables others = tables_part(tables, 0, measured);
    if (rule->compare != NULL && measured > 0)
        rule->compare(&others, verdicts);
    if (experiment->turn != TURN_FIRST)
        floor_compare(floor, &others, verdicts);
    controls_apply(experiment, floor, tables, verdicts->at + first, verdicts->count - first);
}

void judge_tables(const struct tables *tables, struct floor *floor, struct verdict_list *verdicts)
{
    const struct table *at = tables->at;
    floor_find(tables, floor);
    for (size_t first = 0, end; first < tables->count; first = end) {
        for (end = first + 1; end < tables->count && strcmp(at[end].variant->experiment,
                                                            at[first].variant->experiment) == 0;)
            end++;
        struct tables part = tables_part(tables, first, end - first);
        judge_experiment(&part, floor, verdicts);
    }
}

size_t judge_verdicts_max(const struct tables *tables)
{
    size_t most = 0;
    for (size_t i = 0; i < tables->count; i++) {
        const char *const *name =
            experiment_find(tables->at[i].variant->experiment)->rule->verdicts;
        most += table_is_skipped(&tables->at[i]) ? 0 : FURTHER_VERDICTS;
        for (; *name != NULL; name++)
            most++;
    }
    return most;
}
