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

struct evidence;

/* How an experiment's rows become verdicts; NAME_rule.c ends in `const struct rule rule_NAME`. Its
 * functions are pure. They do not decide whether an answer holds: judge.c does. */
struct rule {
    /* Lists of the questions that its cases answer, NULL behind the last one. */
    const struct question *const *questions;
    /* Add the verdicts of one case; and those of all cases that were measured, at least one, that
     * are read off several. NULL: no verdict is. */
    void (*judge)(const struct evidence *evidence);
    void (*judge_all)(const struct evidence *evidence);
    /* Adds those that may lean on the answers before, of which it is decided whether they hold. */
    void (*compare)(const struct evidence *evidence);
};

/* NAME.c ends in `const struct experiment experiment_NAME`. */
struct experiment {
    const char *name;
    const char *shows; /* one line for --help and the manual */
    enum experiment_turn turn;
    /*
     * Makes cases and points from the configuration, and has the engine measure them; where
     * m->brief is set, in some milliseconds. False: it ended early, and m->failure says why.
     */
    bool (*measure)(struct measurement *m);
    /*
     * Returns about how long that takes when it is asked for, on a processor of today and not in an
     * emulator: a sum over the configuration, whose factors are what a core of 3.7 GHz took
     * (Zen 4). `pages`: how many of the configuration's page sizes can be had.
     */
    double (*seconds)(const struct measurement *m, unsigned pages);
    const struct rule *rule;
    bool needs_processors; /* as generators on other cores */
};

#define DECLARE_FAMILY(name)                                                                       \
    extern const struct experiment experiment_##name;                                              \
    extern const struct rule rule_##name;
EXPERIMENTS(DECLARE_FAMILY)

/* All of them in the order of data/experiments.h, NULL at the end. */
extern const struct experiment *const experiments[];

/* Returns the experiment of that name, or NULL. */
const struct experiment *experiment_find(const char *name);

#endif
