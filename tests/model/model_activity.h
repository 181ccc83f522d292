/* model_activity: what the modelled core and its memory do while its counters count. */
#ifndef MLPBOOT_MODEL_ACTIVITY_H
#define MLPBOOT_MODEL_ACTIVITY_H

#include "model_occupancy.h"

/* Where a load found its data; in a fill buffer: its line was on its way for another one. */
enum model_place { PLACE_L1, PLACE_BUFFER, PLACE_L2, PLACE_L3, PLACE_MEMORY, MODEL_PLACES };

/* What is in use for a while. */
enum model_use {
    USE_BUFFERS,        /* fill buffers */
    USE_BUFFERS_L2_HIT, /* of these, with a line that is in the second-level cache, */
    USE_BUFFERS_L2_MISS,
    USE_QUEUE, /* loads that are ready but for a fill buffer */
    USE_WALKERS,
    MODEL_USES
};

#define MODEL_LOGGED_MAX 4096

/* Every use there was, for tests that count by themselves; what is beyond the room is not kept. */
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
    uint64_t end;                 /* what happens from that cycle on is not, either */
    uint64_t dispatched;          /* instructions */
    uint64_t executed;            /* of these, as far as somebody looked; */
    uint64_t executed_before;     /* by all runs but the last */
    struct model_log *log;        /* NULL: nobody keeps it */
    uint64_t instructions;        /* retired */
    uint64_t loads[MODEL_PLACES]; /* of these */
    struct model_occupancy use[MODEL_USES];
};

/* For at most `in_flight` loads at a time. False: not enough memory, and nothing to close. */
bool model_activity_open(struct model_activity *activity, uint64_t in_flight);
void model_activity_close(struct model_activity *activity);

/* All counts start from 0 at `now`, and stay as they are from `end` on. */
void model_activity_start(struct model_activity *activity, uint64_t now, uint64_t end);
void model_activity_stop(struct model_activity *activity);

/* A use from `start` to `end`, known at `now`, as model_occupancy_add has it. */
void model_activity_use(struct model_activity *activity, enum model_use use, uint64_t now,
                        uint64_t start, uint64_t end);
/* An instruction is dispatched at `now`. */
void model_activity_dispatch(struct model_activity *activity, uint64_t now);
/* An instruction retires; a load says from where, another one MODEL_PLACES. */
void model_activity_retire(struct model_activity *activity, enum model_place place);

/* Counts every use up to `now`. */
void model_activity_advance(struct model_activity *activity, uint64_t now);

#endif
