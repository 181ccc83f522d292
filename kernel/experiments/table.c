/* table: every experiment there is, in the order of the manual. */
#include "../report/table.h"
#include "../analysis/floor_rule.h"
#include "../analysis/levels.h"
#include "../analysis/mlp_rule.h"
#include "../analysis/node_rule.h"
#include "../analysis/noise_rule.h"
#include "../analysis/shuffle_rule.h"
#include "../analysis/structure_rule.h"
#include "../analysis/walk_rule.h"
#include "../analysis/walks.h"
#include "../lib/string.h"
#include "array.h"
#include "array_table.h"
#include "experiment.h"
#include "floor.h"
#include "mlp.h"
#include "noise.h"
#include "noise_table.h"
#include "numa.h"
#include "shuffle.h"
#include "shuffle_table.h"
#include "structures.h"
#include "tlb.h"
#include "walk.h"
#include "walk_table.h"

const struct experiment experiments[] = {
    {.name = "noise",
     .shows = "the time a spinning core is not given, and how steady its frequency is",
     .measure = noise_measure,
     .judge = noise_judge,
     .verdicts = noise_verdict_names,
     .show = noise_show},
    {.name = FLOOR_EXPERIMENT,
     .shows = "what measuring itself costs, and the fewest cycles an instruction takes",
     .measure = floor_measure,
     .judge = floor_judge,
     .verdicts = floor_verdict_names,
     .show = floor_show},
    {.name = "mlp",
     .shows = "how many loads one core overlaps, and how far its reorder buffer reaches",
     .measure = mlp_measure,
     .judge = mlp_judge,
     .compare = mlp_compare,
     .verdicts = mlp_verdict_names,
     .show = table_mlp},
    {.name = "structures",
     .shows = "the sizes of the other structures: register files, queues, scheduler",
     .measure = structures_measure,
     .compare = structures_compare,
     .verdicts = structure_verdict_names,
     .show = table_curve},
    {.name = "tlb",
     .shows = "what a page walk costs, and how many go side by side",
     .measure = tlb_measure,
     .compare = walks_compare,
     .verdicts = walks_verdict_names,
     .show = table_mlp},
    {.name = "array",
     .shows = "the latency of a load by the size of the array: caches and memory",
     .measure = array_measure,
     .compare = levels_compare,
     .verdicts = levels_verdict_names,
     .show = array_show},
    {.name = "walk",
     .shows = "the time of an access by the order in which a large array is walked through",
     .measure = walk_measure,
     .judge = walk_judge,
     .compare = walk_compare,
     .verdicts = walk_verdict_names,
     .show = walk_show},
    {.name = "shuffle",
     .shows = "what a shuffle gains when its indices are made some swaps ahead",
     .measure = shuffle_measure,
     .compare = shuffle_compare,
     .verdicts = shuffle_verdict_names,
     .show = shuffle_show},
    {.name = "numa",
     .shows = "what memory of another node costs: one load, ten side by side, and their overlap",
     .measure = numa_measure,
     .judge = mlp_judge,
     .compare = mlp_compare,
     .verdicts = node_verdict_names,
     .show = table_mlp},
};

const unsigned experiment_count = sizeof experiments / sizeof *experiments;

const char *const experiment_names[] = {"noise", "floor", "mlp",     "structures", "tlb",
                                        "array", "walk",  "shuffle", "numa",       NULL};

const struct experiment *experiment_find(const char *name)
{
    for (unsigned i = 0; i < experiment_count; i++)
        if (strcmp(experiments[i].name, name) == 0)
            return &experiments[i];
    return NULL;
}
