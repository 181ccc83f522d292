/* counted: what the counters say of points, in as many passes as the events need. */
#ifndef MLPBOOT_ENGINE_COUNTED_H
#define MLPBOOT_ENGINE_COUNTED_H

#include "../lib/json.h"
#include "task.h"

/*
 * Counts every event that tells something of memory (counted_plan.h) at each counted point of a
 * group, once, and adds a row for each; metric is the event's key. Of the `levels` points, the
 * cycles with at least 1, 2, 3, ... fill buffers in use: `stage` of each row is the threshold.
 * Nothing happens where nothing can be counted, and a pass that the counters refuse is left out and
 * said on the console. False: a fault or a lack of memory, said in the measurement's `failure`.
 */
bool counted_measure(struct task *task, uint32_t group);

/*
 * Why spans of cycles (struct task, in_spans) cannot be counted here, found out by programming the
 * first pass of them; NULL: they can. Not inside `quietly`.
 */
const char *counted_span_refusal(struct platform *platform);

/*
 * For a visit that runs a compiled loop: one sample number `i`, the loop counted from outside, and
 * with it the call of `run` and the reading of the counters, some hundred instructions.
 */
void counted_run(struct platform *platform, void (*run)(void *context), void *context,
                 const struct samples *samples, unsigned i);

/* For run.json's open object: what is counted here, and what is not and why. */
void counted_describe(const struct platform *platform, struct json *json);

#endif
