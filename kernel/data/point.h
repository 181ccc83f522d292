/* point: one place of a sweep. */
#ifndef MLPBOOT_DATA_POINT_H
#define MLPBOOT_DATA_POINT_H

#include "row.h"

/* A time, or a count, as a sample: what 32 bits do not hold is as long as they can tell. */
static inline uint32_t sample_of(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* Names what a point must deliver: a median; a divisor, four times as finely; the fastest samples
 * as well; or a rough value. */
enum point_needs { POINT_CENTER, POINT_SCALE, POINT_FASTEST, POINT_GLANCE };

struct point {
    uint32_t case_id;           /* number of its case in the measurement */
    uint32_t group;             /* points next to each other of one group share a preparation */
    uint32_t place;             /* in a table of the experiment's own, where it has one */
    int64_t n, k, bytes, stage; /* or ROW_NONE */
    uint32_t attempt;           /* at a search, see struct row */
    bool is_for_shared;         /* set by the engine: the shared core's rows asked for it */
    const char *metric, *unit;  /* of its row; NULL: tsc, and ticks */
    enum point_needs needs;     /* of samples */
};

/* The core gave a visit all of it, what a busy sibling thread left, or both in turn. */
enum core_state { CORE_WHOLE, CORE_SHARED, CORE_BETWEEN, CORE_STATES };

#endif
