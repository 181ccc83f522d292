/* stored_verdicts: allocates what judging needs, and judges core by core. */
#include "stored_verdicts.h"

#include <stdlib.h>
#include <string.h>

#include "../../kernel/experiments/judge.h"

/* Adds room, and the verdicts. */
static bool judge_core(const struct tables *tables, struct verdict_list *verdicts)
{
    struct facts facts;

    memset(&facts, 0, sizeof(facts));
    verdicts->room = verdicts->count + judge_verdicts_max(tables);
    struct verdict *at = realloc(verdicts->at, (verdicts->room + 1) * sizeof(*verdicts->at));
    if (at == NULL)
        return false;
    verdicts->at = at;
    judge_tables(tables, &facts, verdicts);
    return true;
}

static bool is_same_core(const struct row *a, const struct row *b)
{
    return a->variant.has_core == b->variant.has_core && a->variant.core == b->variant.core;
}

/* Brings the rows of the first row's core to the front, in their order, by a spare array; returns
 * how many there are. */
static size_t bring_together(struct row *rows, size_t count, struct row *spare)
{
    size_t together = 0, others = 0;

    for (size_t i = 0; i < count; i++)
        if (is_same_core(&rows[i], &rows[0]))
            rows[together++] = rows[i];
        else
            spare[others++] = rows[i];
    if (others > 0)
        memcpy(rows + together, spare, others * sizeof(*rows));
    return together;
}

bool stored_verdicts(struct results_table *table, struct verdict_list *verdicts)
{
    void *memory = malloc(tables_bytes(table->count));
    struct row *spare = malloc((table->count + 1) * sizeof(*spare));
    bool is_judged = memory != NULL && spare != NULL;
    struct tables tables;
    size_t first = 0;

    *verdicts = (struct verdict_list){.at = NULL};
    for (size_t count; is_judged && first < table->count; first += count) {
        struct row *rows = table->rows + first;
        count = bring_together(rows, table->count - first, spare);
        tables_group(rows, count, memory, &tables);
        is_judged = judge_core(&tables, verdicts);
    }
    free(spare);
    free(memory);
    return is_judged;
}
