/* stored_verdicts: a list long enough for every case, and the judge. */
#include "stored_verdicts.h"

#include <stdlib.h>
#include <string.h>

#include "../../kernel/analysis/judge.h"

#define VERDICTS_PER_CASE 64 /* more than any experiment gives */

/* At most: rows of one case usually stand together, and each change is counted as a new one. */
static size_t count_cases(const struct results_table *table)
{
    size_t cases = 1;

    for (size_t i = 1; i < table->count; i++) {
        const struct row *a = &table->rows[i - 1], *b = &table->rows[i];
        cases += strcmp(a->experiment, b->experiment) != 0 || strcmp(a->variant, b->variant) != 0;
    }
    return cases;
}

bool stored_verdicts(const struct results_table *table, struct verdict_list *verdicts)
{
    *verdicts = (struct verdict_list){.room = count_cases(table) * VERDICTS_PER_CASE};
    verdicts->at = calloc(verdicts->room, sizeof(*verdicts->at));
    if (verdicts->at == NULL)
        return false;
    judge_results(table->rows, table->count, verdicts);
    return true;
}
