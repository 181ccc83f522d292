/* model_queue: sifting up and down. */
#include "model_queue.h"

#include <stdbool.h>

static bool is_before(const struct model_event *a, const struct model_event *b)
{
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

void model_queue_add(struct model_queue *queue, struct model_event event)
{
    uint32_t at = queue->count++;
    while (at > 0 && is_before(&event, &queue->event[(at - 1) / 2])) {
        queue->event[at] = queue->event[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    queue->event[at] = event;
}

struct model_event model_queue_take(struct model_queue *queue)
{
    struct model_event first = queue->event[0], last = queue->event[--queue->count];
    uint32_t at = 0;
    for (uint32_t below = 1; below < queue->count; below = 2 * at + 1) {
        if (below + 1 < queue->count && is_before(&queue->event[below + 1], &queue->event[below]))
            below++;
        if (!is_before(&queue->event[below], &last))
            break;
        queue->event[at] = queue->event[below];
        at = below;
    }
    queue->event[at] = last;
    return first;
}

/* Forgets all that have left by `when`. A later one still holds its place. */
uint64_t model_pool_room(struct model_pool *pool, uint32_t places, uint64_t when)
{
    while (pool->leaving.count > 0 && pool->leaving.event[0].time <= when)
        model_queue_take(&pool->leaving);
    if (pool->leaving.count + pool->staying < places)
        return when;
    return pool->leaving.count > 0 ? pool->leaving.event[0].time : UINT64_MAX;
}
