/* counted_loop: what the counters say of a compiled loop, read before and after it. */
#ifndef MLPBOOT_EXPERIMENTS_COUNTED_LOOP_H
#define MLPBOOT_EXPERIMENTS_COUNTED_LOOP_H

#include "../probe/distribution.h"
#include "counted_plan.h"
#include "measurement.h"

struct counted_loop {
    struct measurement *measurement;
    void (*prepare)(void *context); /* before each sample, not counted; NULL: there is nothing */
    void (*run)(void *context);     /* one sample: the next piece of the loop's work */
    void (*place)(void *context, struct row *row); /* sets a row's coordinates */
    void *context;                                        /* of these */
    uint32_t samples; /* at least, of all passes together: for a walk as a whole, its pieces */

    uint32_t wanted; /* set by counted_loop.c before the first `prepare`: samples of all passes */

    /* The rest is counted_loop.c's own. */
    struct counted_plan plan;
    struct distribution counts[COUNTED_EVENTS_MAX]; /* by event */
    uint32_t taken;                                 /* samples of all passes */
    const char *refusal;
};

/* Rows that counting one loop adds at most; 0 where nothing can be counted. */
uint64_t counted_loop_rows(const struct platform *platform);

/*
 * Runs the loop sample by sample, each under the next pass in turn, so that every event sees all of
 * the work evenly, COUNTED_SAMPLES times or more. Adds a row for each event; metric is its key, and
 * a sample what the counter moved by. In it are, beside the loop, the call of `run` and the reading
 * of the counters: some hundred instructions. Nothing happens where nothing can be counted; a pass
 * that the counters refuse is left out and said on the console. False: a fault or a lack of memory,
 * said in the measurement's `failure`.
 *
 * Not from inside `quietly`; `prepare` and `run` are called in it, and should take less than a
 * fifth of a second together.
 */
bool counted_loop_measure(struct counted_loop *loop);

#endif
