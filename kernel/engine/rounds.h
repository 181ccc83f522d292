/* rounds: the loop that measures: visits items in random rounds until each is precise enough. */
#ifndef MLPBOOT_ENGINE_ROUNDS_H
#define MLPBOOT_ENGINE_ROUNDS_H

#include "../analysis/distribution.h"
#include "../analysis/states.h"
#include "../lib/random.h"
#include "task.h"

#define SLICES_PER_SECOND 5 /* between two the console may be written, so often that it lives */
#define PAUSE_VISITS 1000
#define FASTEST_LEAST 500 /* samples that give a first percentile */
#define FASTEST_MOST 4000

/* A point in one pass. */
struct round_item {
    uint32_t visits;
    uint32_t least, most; /* samples */
    uint32_t visits_min;
    enum point_needs needs;
    bool is_done;
    bool is_given_up; /* the state of the core that it is for did not come */
};

struct rounds {
    struct task task; /* a copy, with defaults in place of 0 */
    struct platform *platform;
    const struct point *points;
    struct states *states; /* of the core; NULL: the sentinel is not timed */
    /* Set by the caller after rounds_open: true if the measurement and its cases count the visits;
     * and true if slices end after PAUSE_VISITS visits. */
    bool counts_visits, has_pauses;

    struct random random;
    struct distribution *distributions; /* see rounds_of */
    unsigned kinds;                     /* states whose samples are kept: 1 or 2 */
    double limit;             /* the largest whole-core limit of the sentinel in this round */
    struct pair_probe *pairs; /* for second looks, or NULL, */
    enum pair_answer pair;    /* the latest one's answer, */
    uint32_t reach;           /* and how far a pair reached when this round began */
    bool has_visited;
    uint32_t restarts; /* of all items */
    struct round_item *items;
    uint32_t count;
    uint32_t *order, *spare;            /* items still measured, in this round's order */
    uint32_t active, next;              /* how many they are, and the next one */
    uint32_t visits;                    /* since the last pause */
    bool prefetch_is_set, prefetch_off; /* as set last */
    uint32_t *samples;                  /* all items' memory, */
    uint64_t room;                      /* and its size in samples */
};

/*
 * Prepares the rounds of `count` points, which the task's visit takes: an item for each point and
 * pass, a point's passes next to each other. Returns NULL, or the reason (not enough memory).
 */
const char *rounds_open(struct rounds *rounds, const struct task *task, const struct point *points,
                        uint32_t count, uint64_t seed);

/*
 * Measures. An item is done when it has visits_min visits and samples_min samples and its median's
 * interval is within the precision (a quarter of it for a point that others are divided by), or
 * when it has samples_max, or was tried four times as often. A point whose fastest samples matter
 * takes FASTEST_LEAST, and FASTEST_MOST until the first percentile is placed; for a glance, a visit
 * or two do. If instructions are emulated, no point needs more than one visit. Every round visits
 * the items that are left in a fresh random order, so that drift meets them all alike; those of
 * equal surroundings are visited in slices of their own.
 *
 * Each visit is between two looks at the sentinel if the core's states are kept apart, and between
 * two second looks if the measurement has a pair. Its samples go to the state that these show;
 * samples of an ambiguous visit are discarded. While the core has a state whose samples an item
 * does not want, it is only looked at, until as much of the run's time has brought no samples as
 * has brought some (a quarter, for an item that the shared core's rows asked for): whoever needs
 * the whole core gets what there is of it, in twice the time. An item is done when the whole core's
 * samples are enough; the shared core's, where the whole core is rare, has less than a tenth of all
 * visits, or where the shared core's rows asked for the item; when waiting is over; and at the
 * latest after four times as many samples as it may have. False: a fault or the user ended it.
 */
bool rounds_run(struct rounds *rounds);

/* Runs one slice, while any items are `active`. False: a fault or the user ended it. */
bool rounds_run_slice(struct rounds *rounds);

/* Returns how much is done, 0 to 1. */
double rounds_done(const struct rounds *rounds);

/* True if no slice goes on before rounds_resume: a pause is due. */
bool rounds_must_pause(const struct rounds *rounds);

/* Ends a pause, in which something else may have been measured. */
void rounds_resume(struct rounds *rounds);

/* Returns the samples of an item in a state: `values` distributions. */
struct distribution *rounds_of(const struct rounds *rounds, uint32_t item, enum core_state state);

void rounds_close(struct rounds *rounds);

#define SENTINEL_LOOKS 3 /* at the sentinel, before a visit and after it */

/* Times the sentinel SENTINEL_LOOKS times, after once to warm it, adds the blocks to the states,
 * and sorts their cycles. Returns the last one's ticks. Inside `quietly` or `openly`. */
uint32_t rounds_look(struct platform *platform, struct states *states,
                     double cycles[SENTINEL_LOOKS]);

#endif
