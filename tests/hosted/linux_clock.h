/* linux_clock: how fast the time-stamp counter runs. */
#ifndef MLPBOOT_HOSTED_LINUX_CLOCK_H
#define MLPBOOT_HOSTED_LINUX_CLOCK_H

#include <stdint.h>

/*
 * Ticks of the time-stamp counter per second of CLOCK_MONOTONIC_RAW, to a few parts in 100,000.
 * Takes 50 to 60 ms of this processor. The caller stays on one processor.
 */
uint64_t linux_ticks_per_second(void);

#endif
