/* counted: counts events at points, in as many passes as the events need. */
#ifndef MLPBOOT_ENGINE_COUNTED_H
#define MLPBOOT_ENGINE_COUNTED_H

#include "task.h"

/*
 * Counts every event of memory accesses (counted_plan.h) at each counted point of a group, once,
 * and adds a row for each; metric is the event's key. At `levels` points it counts the cycles with
 * at least 1, 2, 3, ... fill buffers in use: `stage` of each row is the threshold. Does nothing if
 * nothing can be counted. Leaves a pass out that the counters refuse, and says so on the console.
 * False: a fault or a lack of memory; the measurement's `failure` has the reason.
 */
bool counted_measure(struct task *task, uint32_t group);

/* Programs the first pass of spans (struct task, in_spans). Returns NULL, or why spans cannot be
 * counted. Not inside `quietly`. */
const char *counted_span_refusal(struct platform *platform);

/*
 * Takes sample number `i` of a compiled loop. The counters are read outside the loop, so the count
 * includes the call of `run` and reading the counters, some hundred instructions.
 */
void counted_run(struct platform *platform, void (*run)(void *context), void *context,
                 const struct samples *samples, unsigned i);

#endif
