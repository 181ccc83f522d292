/* table: every experiment there is, in the order of the manual. */
#include "../report/table.h"
#include "../analysis/mlp_rule.h"
#include "../lib/string.h"
#include "experiment.h"
#include "mlp.h"

const struct experiment experiments[] = {
    {"mlp", "how many loads one core overlaps, and how far its reorder buffer reaches", mlp_measure,
     mlp_judge, mlp_verdict_names, table_mlp},
};

const unsigned experiment_count = sizeof experiments / sizeof *experiments;

const char *const experiment_names[] = {"mlp", NULL};

const struct experiment *experiment_find(const char *name)
{
    for (unsigned i = 0; i < experiment_count; i++)
        if (strcmp(experiments[i].name, name) == 0)
            return &experiments[i];
    return NULL;
}
