/* model_queue: operations by time, the earliest first; of equal times the older operation. */
#ifndef MLPBOOT_MODEL_QUEUE_H
#define MLPBOOT_MODEL_QUEUE_H

#include <stdint.h>

struct model_event {
    uint64_t time;
    uint32_t number; /* of the operation */
    uint32_t stage;  /* of what it does next; as the user likes */
};

/* A binary heap in the user's memory, which must be large enough. */
struct model_queue {
    struct model_event *event;
    uint32_t count;
};

void model_queue_add(struct model_queue *queue, struct model_event event);
/* The earliest; there must be one. */
struct model_event model_queue_take(struct model_queue *queue);

/* Places of a structure that are left in any order, each at a time that may be unknown. */
struct model_pool {
    struct model_queue leaving; /* by the time at which they leave */
    uint32_t staying;           /* until an unknown time */
};

/* Returns when one of `places` is free, at `when` or later; UINT64_MAX: unknown. */
uint64_t model_pool_room(struct model_pool *pool, uint32_t places, uint64_t when);

#endif
