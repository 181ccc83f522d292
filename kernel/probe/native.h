/* native: preparing and running a probe on the processor we stand on, in user mode or at ring 0. */
#ifndef MLPBOOT_PROBE_NATIVE_H
#define MLPBOOT_PROBE_NATIVE_H

#include "../platform.h"

/*
 * Members of struct platform (see there) for every platform that is a real processor. The first is
 * for one with CLFLUSHOPT, whose flushes need not wait for each other.
 */
lines_service native_evict_side_by_side, native_evict, native_touch_pages;
void native_crowd_tlb(struct platform *self, const struct window *window);
void native_publish_code(struct platform *self, size_t bytes);
uint64_t native_run_code(struct platform *self, uint8_t *base);

/* Work for `quietly` that ends in an illegal instruction (UD2), for proving the way out of a fault.
 */
void native_fault(void *unused);

/* Nothing after it starts before everything before it is done (LFENCE). */
void native_fence(void);

/* The time-stamp counter now, in order with what surrounds it (LFENCE RDTSC LFENCE). */
uint64_t native_ticks(void);

#endif
