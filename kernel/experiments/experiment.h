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

/* The timer that a case was measured with, as experiment floor knows it. */
struct timer {
    const struct row *empty; /* the empty sample of its order of timestamps; NULL: not measured */
    double step;             /* of the clock, in ticks; 0: not known */
};

/* How an experiment's rows become verdicts; NAME_rule.c ends in `const struct rule rule_NAME`. Its
 * functions are pure; NULL where there is nothing to do. */
struct rule {
    /* Adds the verdicts of one case from its rows alone. */
    void (*judge)(const struct table *table, struct verdict_list *verdicts);
    /* Adds verdicts that need several cases, from all that were measured; at least one. */
    void (*compare)(const struct tables *tables, struct verdict_list *verdicts);
    const char *const *verdicts; /* the names both give a case, NULL at the end */
    const struct headline
        *headlines; /* what it adds to the last page, without a label at the end */
    /* True if the verdict is read as if no piece of a large page had a translation of its own.
     * NULL: no verdict is. */
    bool (*needs_whole_pages)(const struct tables *tables, const struct verdict *verdict);
    /* True if a case gets the verdict of that name; NULL: each gets all. */
    bool (*gives)(const struct variant *variant, const char *name);
    /* Returns what speaks against an `ok` elsewhere: in rows of other cases, or in what is known of
     * the timer. NULL: nothing. */
    const char *(*doubt)(const struct tables *tables, const struct timer *timer,
                         const struct verdict *verdict);
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

#define HEADLINES_MAX 16 /* the last page has no room for more */

/* Collects all experiments' headlines by rising places; returns how many, at most HEADLINES_MAX. */
unsigned experiment_headlines(const struct headline *headlines[HEADLINES_MAX]);

#endif
