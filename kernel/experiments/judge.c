/* judge: hands each case, and each experiment's cases together, to their rule. */
#include "judge.h"

#include "../lib/string.h"
#include "controls.h"
#include "experiment.h"

/* Of a case, beside those an experiment names: counted, above_floor. */
#define FURTHER_VERDICTS 16

/* Every verdict of a case that was skipped, with the row's reason. */
static void skip_case(const struct experiment *experiment, const struct table *table,
                      struct verdict_list *verdicts)
{
    const struct rule *rule = experiment->rule;
    for (const char *const *name = rule->verdicts; *name != NULL; name++)
        if (rule->gives == NULL || rule->gives(table->of, *name))
            verdict_conclude(verdict_add(verdicts, table->of, *name, ""), VERDICT_SKIP, "%s",
                             table->rows->unit);
}

static void judge_case(const struct experiment *experiment, const struct table *table,
                       struct verdict_list *verdicts)
{
    if (table_is_skipped(table))
        skip_case(experiment, table, verdicts);
    else if (experiment->rule->judge != NULL)
        experiment->rule->judge(table, verdicts);
}

/* Of one experiment; those that were skipped come last. */
static void judge_experiment(const struct tables *tables, const struct floor *floor,
                             struct verdict_list *verdicts)
{
    const struct experiment *experiment = experiment_find(tables->at->of->experiment);
    size_t measured = 0, first = verdicts->count;
    for (size_t i = 0; i < tables->count; i++) {
        judge_case(experiment, &tables->at[i], verdicts);
        measured += !table_is_skipped(&tables->at[i]);
    }
    struct tables others = tables_part(tables, 0, measured);
    if (experiment->rule->compare != NULL && measured > 0)
        experiment->rule->compare(&others, verdicts);
    if (experiment->turn != TURN_FIRST)
        floor_compare(floor, &others, verdicts);
    controls_apply(experiment, floor, tables, verdicts->at + first, verdicts->count - first);
}

/* From case number `first` on, those of the same experiment. */
static struct tables next_experiment(const struct tables *tables, size_t first)
{
    size_t end = first;
    while (end < tables->count &&
           strcmp(tables->at[end].of->experiment, tables->at[first].of->experiment) == 0)
        end++;
    return tables_part(tables, first, end - first);
}

void judge_tables(const struct tables *tables, struct floor *floor, struct verdict_list *verdicts)
{
    struct tables of;
    floor_find(tables, floor);
    for (size_t first = 0; first < tables->count; first += of.count) {
        of = next_experiment(tables, first);
        judge_experiment(&of, floor, verdicts);
    }
}

size_t judge_verdicts_max(const struct tables *tables)
{
    size_t most = 0;
    for (size_t i = 0; i < tables->count; i++) {
        const char *const *name = experiment_find(tables->at[i].of->experiment)->rule->verdicts;
        most += table_is_skipped(&tables->at[i]) ? 0 : FURTHER_VERDICTS;
        for (; *name != NULL; name++)
            most++;
    }
    return most;
}
