/* experiment: the list, made of the one in data/experiments.h. */
#include "experiment.h"

#include "../lib/string.h"

#define ADDRESS(name) &experiment_##name,
const struct experiment *const experiments[] = {EXPERIMENTS(ADDRESS) NULL};

const struct experiment *experiment_find(const char *name)
{
    const struct experiment *const *e = experiments;
    while (*e != NULL && strcmp((*e)->name, name) != 0)
        e++;
    return *e;
}
