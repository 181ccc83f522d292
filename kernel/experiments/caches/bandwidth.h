/* bandwidth: reads, writes and copies an array as fast as one core can; of experiment array. */
#ifndef MLPBOOT_EXPERIMENTS_BANDWIDTH_H
#define MLPBOOT_EXPERIMENTS_BANDWIDTH_H

#include "../../engine/task.h"

/* Bytes of an array that is gone through again before each visit: so much of a cache the harness
 * may use up between visits. */
#define BANDWIDTH_REWALKED (256u << 10)

struct bandwidth {
    struct measurement *m;
    unsigned width; /* bytes of an access */
    uint8_t *base;  /* NULL: no array */
    uint64_t bytes;
    uint64_t place; /* bytes that were gone through so far */
};

/* Adds the points of one size: rows as cache_bandwidth_rule.h says. The width is known. */
void bandwidth_add(const struct bandwidth *bandwidth, struct task *task, struct point point);

/* Starts an array of so many bytes, a multiple of 4 KB. */
void bandwidth_start(struct bandwidth *bandwidth, uint8_t *base, uint64_t bytes);

/* The following functions are for inside `quietly`. */

/* Finds the width that this processor may use; `context` is a struct bandwidth. */
void bandwidth_find_width(void *context);

/* Goes through all of the array once. */
void bandwidth_prepare(struct bandwidth *bandwidth);

/* Takes samples of a point, each from where the last one of any point ended: a line is only met
 * again after all others. */
void bandwidth_sample(struct bandwidth *bandwidth, const struct point *point,
                      struct samples *samples);

#endif
