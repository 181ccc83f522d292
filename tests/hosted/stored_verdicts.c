/* stored_verdicts: the memory that judging needs, and the judge. */
#include "stored_verdicts.h"

#include <stdlib.h>
#include <string.h>

#include "../../kernel/experiments/judge.h"

static bool judge(const struct tables *tables, struct verdict_list *verdicts)
{
    struct floor floor;

    memset(&floor, 0, sizeof(floor));
    verdicts->room = judge_verdicts_max(tables);
    verdicts->at = malloc((verdicts->room + 1) * sizeof(*verdicts->at));
    if (verdicts->at == NULL)
        return false;
    judge_tables(tables, &floor, verdicts);
    return true;
}

bool stored_verdicts(struct results_table *table, struct verdict_list *verdicts)
{
    void *memory = malloc(tables_bytes(table->count));
    struct tables tables;

    *verdicts = (struct verdict_list){.at = NULL};
    if (memory == NULL)
        return false;
    tables_group(table->rows, table->count, memory, &tables);
    bool is_judged = judge(&tables, verdicts);
    free(memory);
    return is_judged;
}
