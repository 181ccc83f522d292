/* experiment: what every experiment is, and the list of them. */
#ifndef MLPBOOT_EXPERIMENTS_EXPERIMENT_H
#define MLPBOOT_EXPERIMENTS_EXPERIMENT_H

#include "../data/row.h"
#include "../data/tables.h"
#include "../data/verdict.h"
#include "../lib/text.h"

struct measurement;

/* When a run measures it. */
enum experiment_turn {
    TURN_WHEN_ASKED,
    TURN_FIRST, /* before all others; briefly where it was not asked for */
    TURN_AROUND /* when asked, and briefly at the run's start and end, for its certificate */
};

/* NAME.c ends in one of these: `const struct experiment experiment_NAME`. */
struct experiment {
    const char *name;
    const char *shows; /* one line for --help and the manual */
    enum experiment_turn turn;
    /*
     * From the configuration to cases and points, and those measured by the engine; where
     * m->brief is set, in some milliseconds. False: it ended early, and m->failure says why.
     */
    bool (*measure)(struct measurement *m);
    /* Adds the verdicts of one case from its rows alone. Pure; NULL: there are none. */
    void (*judge)(const struct table *table, struct verdict_list *verdicts);
    /* Adds verdicts that need several cases, from all that were measured; at least one. Pure;
     * NULL: there are none. */
    void (*compare)(const struct tables *tables, struct verdict_list *verdicts);
    const char *const *verdicts; /* the names judge and compare give a case, NULL at the end */
    /* Shows one case on the console; NULL: it is not worth it. */
    void (*show)(const struct table *table, struct text *text);
};

/* All of them in the order of data/experiments.h, NULL at the end. */
extern const struct experiment *const experiments[];

/* NULL where there is none of that name. */
const struct experiment *experiment_find(const char *name);

#endif
