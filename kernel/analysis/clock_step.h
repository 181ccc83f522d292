/* clock_step: in which steps a clock counts, from the intervals that it measured. */
#ifndef MLPBOOT_ANALYSIS_CLOCK_STEP_H
#define MLPBOOT_ANALYSIS_CLOCK_STEP_H

#include <stdint.h>

#define CLOCK_FINE 2 /* ticks: a clock of such steps, or its slips, do not matter */

/*
 * Returns the most frequent distance between neighbouring intervals, the smaller one of two; 1
 * where the intervals are no multiples of it; 0 where not even two of them differ. A common divisor
 * would fall for a single reading that is one off, as AMD's time-stamp counter has now and then.
 * Rare intervals are left out; next to each other they count as one where there are larger
 * distances, too. `sorted` rises.
 */
uint32_t clock_step(const uint32_t *sorted, uint32_t count);

#endif
