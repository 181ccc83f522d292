/* model_occupancy: counts how many fill buffers, walkers ... are in use, cycle by cycle. */
#ifndef MLPBOOT_MODEL_OCCUPANCY_H
#define MLPBOOT_MODEL_OCCUPANCY_H

#include <stdbool.h>

#include "model_queue.h"

#define MODEL_LEVELS 256 /* a counter's mask goes up to 255 */

struct model_occupancy {
    struct model_queue changes;    /* starts and ends to come */
    uint64_t now;                  /* all cycles before are counted */
    uint32_t level;                /* in use at that time */
    uint64_t started, ended;       /* uses until then, that time included */
    uint64_t sum;                  /* of the level, over all cycles */
    uint64_t cycles[MODEL_LEVELS]; /* cycles by level; the last entry: that level or a higher one */
};

/* Makes room for `most` uses that have not ended. False: not enough memory. */
bool model_occupancy_open(struct model_occupancy *occupancy, uint64_t most);
void model_occupancy_close(struct model_occupancy *occupancy);

/* Forgets all; counting starts at `now`, with nothing in use. */
void model_occupancy_clear(struct model_occupancy *occupancy, uint64_t now);

/*
 * Adds a use of cycles `start` to `end` - 1, at least one. It is known at `now`, which is not later
 * than `start` and never decreases from call to call of this function and the next.
 */
void model_occupancy_add(struct model_occupancy *occupancy, uint64_t now, uint64_t start,
                         uint64_t end);
/* Counts the cycles before `now`. */
void model_occupancy_advance(struct model_occupancy *occupancy, uint64_t now);

/* Counts the cycles before `end` and no change in cycle `end`. May be called again. */
void model_occupancy_end(struct model_occupancy *occupancy, uint64_t end);

/* Returns the cycles so far with `least` or more in use. */
uint64_t model_occupancy_at_least(const struct model_occupancy *occupancy, uint32_t least);

#endif
