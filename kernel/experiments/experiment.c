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

unsigned experiment_headlines(const struct headline *headlines[HEADLINES_MAX])
{
    unsigned count = 0;
    for (const struct experiment *const *e = experiments; *e != NULL; e++)
        for (const struct headline *h = (*e)->rule->headlines;
             h != NULL && h->label != NULL && count < HEADLINES_MAX; h++) {
            unsigned at = count++;
            for (; at > 0 && headlines[at - 1]->place > h->place; at--)
                headlines[at] = headlines[at - 1];
            headlines[at] = h;
        }
    return count;
}
