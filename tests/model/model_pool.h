/* model_pool: places of a structure that are left in any order, each at a time that may be unknown.
 */
#ifndef MLPBOOT_MODEL_POOL_H
#define MLPBOOT_MODEL_POOL_H

#include "model_queue.h"

struct model_pool {
    struct model_queue leaving; /* by the time at which they leave */
    uint32_t staying;           /* until an unknown time */
};

/* Returns when one of `places` is free, at `when` or later; UINT64_MAX: unknown. */
uint64_t model_pool_room(struct model_pool *pool, uint32_t places, uint64_t when);

#endif
