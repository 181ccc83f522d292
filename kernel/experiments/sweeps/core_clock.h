/* core_clock: the length of a core cycle, timed in the rounds of what has cycles for a unit. */
#ifndef MLPBOOT_EXPERIMENTS_CORE_CLOCK_H
#define MLPBOOT_EXPERIMENTS_CORE_CLOCK_H

#include "../../engine/task.h"

/* Metrics of rows without an N: ticks of `k` serialized additions, a core cycle each, which
 * curve_of_part tells; and the same in the rounds of an array's bandwidth, or, if that is not
 * measured, in those of its lines of few pages. */
#define CORE_CLOCK "additions"
#define CORE_CLOCK_BANDWIDTH "additions_between"

#define CORE_CLOCK_ERROR 0.005 /* no time in core cycles is surer, however little it scatters */

/* Adds two numbers of additions, far enough apart that timer and start-up cancel; the point has
 * case, group, place, bytes, needs, and the metric. */
void core_clock_add(struct task *task, struct point point);

/* True if a point is of additions. */
bool core_clock_is(const struct point *point);

/* Takes samples of such a point, or counts it, after a run that brings the code into the caches.
 * Inside `quietly` or `openly`. */
void core_clock_sample(const struct measurement *m, const struct point *point,
                       const struct samples *samples);

#endif
