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
