/* experiment: what every experiment is, and the list of them. */
#ifndef MLPBOOT_EXPERIMENTS_EXPERIMENT_H
#define MLPBOOT_EXPERIMENTS_EXPERIMENT_H

#include "../data/experiments.h"
#include "../data/row.h"
#include "../data/tables.h"
#include "../data/verdict.h"

struct measurement;

/* When a run measures it. */
enum experiment_turn {
    TURN_WHEN_ASKED,
    TURN_FIRST, /* before all others; briefly where it was not asked for */
    TURN_AROUND /* when asked, and briefly at the run's start and end, for the noise report */
};

/* What an experiment's rows say; NAME_rule.c ends in `const struct rule rule_NAME`. */
struct rule {
    /* Adds the verdicts of one case from its rows alone. Pure; NULL: there are none. */
    void (*judge)(const struct table *table, struct verdict_list *verdicts);
    /* Adds verdicts that need several cases, from all that were measured; at least one. Pure;
     * NULL: there are none. */
    void (*compare)(const struct tables *tables, struct verdict_list *verdicts);
    const char *const *verdicts; /* the names both give a case, NULL at the end */
    /* Whether a case gets the verdict of that name; NULL: each gets all. */
    bool (*gives)(const struct variant *of, const char *name);
};

/* NAME.c ends in `const struct experiment experiment_NAME`. */
struct experiment {
    const char *name;
    const char *shows; /* one line for --help and the manual */
    enum experiment_turn turn;
    /*
     * From the configuration to cases and points, and those measured by the engine; where
     * m->brief is set, in some milliseconds. False: it ended early, and m->failure says why.
     */
    bool (*measure)(struct measurement *m);
    /*
     * About how long that takes when it is asked for, on a processor of today and not in an
     * emulator: a sum over the configuration, whose factors are what a core of 3.7 GHz took
     * (Zen 4). `pages`: how many of the configuration's page sizes can be had.
     */
    double (*seconds)(const struct measurement *m, unsigned pages);
    const struct rule *rule;
};

#define DECLARE_FAMILY(name)                                                                       \
    extern const struct experiment experiment_##name;                                              \
    extern const struct rule rule_##name;
EXPERIMENTS(DECLARE_FAMILY)

/* All of them in the order of data/experiments.h, NULL at the end. */
extern const struct experiment *const experiments[];

/* NULL where there is none of that name. */
const struct experiment *experiment_find(const char *name);

#endif
