/* model_occupancy: how many of something are in use, cycle by cycle: fill buffers, walkers. */
#ifndef MLPBOOT_MODEL_OCCUPANCY_H
#define MLPBOOT_MODEL_OCCUPANCY_H

#include <stdbool.h>

#include "model_queue.h"

#define MODEL_LEVELS 256 /* a counter's mask goes up to 255 */

struct model_occupancy {
    struct model_queue changes;    /* starts and ends to come */
    uint64_t now;                  /* all cycles before are counted */
    uint32_t level;                /* in use at that time */
    uint64_t started, ended;       /* how many were until then, that time included */
    uint64_t sum;                  /* of the level, over all cycles */
    uint64_t cycles[MODEL_LEVELS]; /* with so many in use; the last one: or more */
};

/* With room for `most` uses that have not ended. False: not enough memory. */
bool model_occupancy_open(struct model_occupancy *occupancy, uint64_t most);
void model_occupancy_close(struct model_occupancy *occupancy);

/* Forgets all; counting starts at `now`, with nothing in use. */
void model_occupancy_clear(struct model_occupancy *occupancy, uint64_t now);

/*
 * One is in use from cycle `start` on, and in cycle `end`, which is later, no longer. It is known
 * at `now`, not later than `start` and never decreasing from call to call of this and the next.
 */
void model_occupancy_add(struct model_occupancy *occupancy, uint64_t now, uint64_t start,
                         uint64_t end);
/* Counts the cycles before `now`. */
void model_occupancy_advance(struct model_occupancy *occupancy, uint64_t now);

/* The same to the end of counting: what changes in cycle `end` is not counted. It may come again.
 */
void model_occupancy_end(struct model_occupancy *occupancy, uint64_t end);

/* Cycles so far with `least` or more in use, or with fewer. */
uint64_t model_occupancy_at_least(const struct model_occupancy *occupancy, uint32_t least);
uint64_t model_occupancy_below(const struct model_occupancy *occupancy, uint32_t least);

#endif
