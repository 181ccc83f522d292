/* clock_step: in which steps a clock moves, from the intervals it measured. */
#ifndef MLPBOOT_ANALYSIS_CLOCK_STEP_H
#define MLPBOOT_ANALYSIS_CLOCK_STEP_H

#include <stdint.h>

/*
 * The distance between neighbouring intervals that comes most often, the smaller one of two: a
 * common divisor would fall for a single reading that is one off, as AMD's time-stamp counter has
 * now and then. Intervals that are rare are left out, and those next to each other are one where
 * there are larger distances too. Intervals have to be multiples of it, or else nothing but single
 * ticks is. `sorted` rises. 0: not even two intervals differ.
 */
uint32_t clock_step(const uint32_t *sorted, uint32_t count);

#endif
