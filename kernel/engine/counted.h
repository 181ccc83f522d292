/* counted: what the counters say of a case's points, in as many passes as the events need. */
#ifndef MLPBOOT_EXPERIMENTS_COUNTED_H
#define MLPBOOT_EXPERIMENTS_COUNTED_H

#include "../probe/counting.h"
#include "../probe/sweep.h"
#include "counted_plan.h"
#include "measurement.h"

#define COUNTED_SAMPLES 50 /* of each point and pass: counts scatter less than times */

struct json;

/* Takes samples of a point with a probe that reads these counters; see sweep_visit. */
typedef void counted_visit(void *context, uint32_t point, const struct counting *counting,
                           uint32_t *samples, unsigned count);
/* Sets a row's coordinates. */
typedef void counted_place(void *context, uint32_t point, struct row *row);

struct counted {
    struct measurement *measurement;
    counted_visit *visit;
    counted_place *place;
    void *context;  /* of both */
    unsigned first; /* count only so many events, from the list's first on; 0: all */

    /* The rest is counted.c's own. */
    struct counted_plan plan;
    bool levels;                       /* the events are one, by rising threshold */
    bool refused[SCHEDULE_EVENTS_MAX]; /* passes that the counters did not take */
    const char *refusal;               /* why, of the last of them; NULL: none was */
    struct counting counting;
    uint64_t result[COUNTING_MAX];
};

/* Rows that counting so many points adds at most; 0 where nothing can be counted. */
uint64_t counted_rows(const struct platform *platform, uint64_t points);

/*
 * Counts every event that tells something of memory (counted_events.c) at each point, and adds a
 * row for each; metric is the event's key. Nothing happens where nothing can be counted, and a pass
 * that the counters refuse is left out and said on the console. False: a fault or a lack of memory,
 * said in the measurement's `failure`.
 */
bool counted_measure(struct counted *counted, uint32_t points);

/*
 * Likewise for point 0 alone, the cycles with at least 1, 2, 3, ... fill buffers in use: `stage` of
 * each row is the threshold. Where the unit has no such event nothing happens.
 */
bool counted_levels(struct counted *counted);

/* For run.json's open object: what is counted here, and what is not and why. */
void counted_describe(const struct platform *platform, struct json *json);

#endif
