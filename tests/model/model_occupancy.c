/* model_occupancy: keeps starts and ends in the order of time, and counts cycles by level. */
#include "model_occupancy.h"

#include <stdlib.h>
#include <string.h>

enum change { CHANGE_START, CHANGE_END };

bool model_occupancy_open(struct model_occupancy *occupancy, uint64_t most)
{
    memset(occupancy, 0, sizeof(*occupancy));
    occupancy->changes.event = calloc(2 * most, sizeof(*occupancy->changes.event));
    return occupancy->changes.event != NULL;
}

void model_occupancy_close(struct model_occupancy *occupancy)
{
    free(occupancy->changes.event);
    occupancy->changes.event = NULL;
}

void model_occupancy_clear(struct model_occupancy *occupancy, uint64_t now)
{
    *occupancy = (struct model_occupancy){
        .changes = {.event = occupancy->changes.event},
        .now = now,
    };
}

static void pass(struct model_occupancy *occupancy, uint64_t until)
{
    uint32_t level = occupancy->level;
    uint64_t cycles = until - occupancy->now;
    occupancy->cycles[level < MODEL_LEVELS ? level : MODEL_LEVELS - 1] += cycles;
    occupancy->sum += level * cycles;
    occupancy->now = until;
}

void model_occupancy_advance(struct model_occupancy *occupancy, uint64_t now)
{
    while (occupancy->changes.count > 0 && occupancy->changes.event[0].time <= now) {
        struct model_event change = model_queue_take(&occupancy->changes);
        pass(occupancy, change.time);
        if (change.stage == CHANGE_START) {
            occupancy->level++;
            occupancy->started++;
        } else {
            occupancy->level--;
            occupancy->ended++;
        }
    }
    pass(occupancy, now);
}

void model_occupancy_end(struct model_occupancy *occupancy, uint64_t end)
{
    if (occupancy->now >= end)
        return;
    model_occupancy_advance(occupancy, end - 1);
    pass(occupancy, end);
}

void model_occupancy_add(struct model_occupancy *occupancy, uint64_t now, uint64_t start,
                         uint64_t end)
{
    /* Uses that have ended make room. */
    model_occupancy_advance(occupancy, now);
    model_queue_add(&occupancy->changes, (struct model_event){start, 0, CHANGE_START});
    model_queue_add(&occupancy->changes, (struct model_event){end, 0, CHANGE_END});
}

uint64_t model_occupancy_at_least(const struct model_occupancy *occupancy, uint32_t least)
{
    uint64_t cycles = 0;
    for (uint32_t level = least; level < MODEL_LEVELS; level++)
        cycles += occupancy->cycles[level];
    return cycles;
}
