/* model_activity: records what the modelled core and its memory do while its counters count. */
#ifndef MLPBOOT_MODEL_ACTIVITY_H
#define MLPBOOT_MODEL_ACTIVITY_H

#include "model_occupancy.h"

/* Says where a load found its data. PLACE_BUFFER: another load's miss had already requested it. */
enum model_place {
    PLACE_L1,
    PLACE_BUFFER,
    PLACE_L2,
    PLACE_L3,
    PLACE_L4,
    PLACE_L5,
    PLACE_MEMORY,
    MODEL_PLACES
};

/* Lists what is in use for a while. */
enum model_use {
    USE_BUFFERS,         /* fill buffers */
    USE_BUFFERS_L2_MISS, /* fill buffers whose line is not in the second-level cache */
    USE_QUEUE,           /* loads that only wait for a fill buffer */
    USE_WALKERS,
    MODEL_USES
};

#define MODEL_LOGGED_MAX 4096

/* Keeps every use, for tests that count by themselves, as far as there is room. */
struct model_log {
    struct {
        enum model_use use;
        uint64_t start, end;
    } at[MODEL_LOGGED_MAX];
    unsigned count;
};

struct model_activity {
    bool is_kept; /* false: what happens is not recorded */
    uint64_t start;
    uint64_t end;                 /* from this cycle on nothing is recorded */
    uint64_t dispatched;          /* instructions */
    uint64_t executed;            /* instructions, until the last look */
    uint64_t executed_before;     /* instructions, by all runs but the last */
    struct model_log *log;        /* NULL: no log */
    uint64_t instructions;        /* retired */
    uint64_t loads[MODEL_PLACES]; /* retired */
    struct model_occupancy use[MODEL_USES];
};

/* Makes room for `in_flight` loads at a time. False: not enough memory, and nothing to close. */
bool model_activity_open(struct model_activity *activity, uint64_t in_flight);
void model_activity_close(struct model_activity *activity);

/* Starts all counts from 0 at `now`; they stay as they are from `end` on. */
void model_activity_start(struct model_activity *activity, uint64_t now, uint64_t end);
void model_activity_stop(struct model_activity *activity);

/* Records a use from `start` to `end`, known at `now` as for model_occupancy_add. */
void model_activity_use(struct model_activity *activity, enum model_use use, uint64_t now,
                        uint64_t start, uint64_t end);
/* Records that an instruction is dispatched at `now`. */
void model_activity_dispatch(struct model_activity *activity, uint64_t now);
/* Records that an instruction retires; `place` of a load, MODEL_PLACES of any other. */
void model_activity_retire(struct model_activity *activity, enum model_place place);

/* Counts every use up to `now`. */
void model_activity_advance(struct model_activity *activity, uint64_t now);

#endif
