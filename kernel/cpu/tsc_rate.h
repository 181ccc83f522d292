/* tsc_rate: how fast the time-stamp counter runs, from what the processor itself says. */
#ifndef MLPBOOT_CPU_TSC_RATE_H
#define MLPBOOT_CPU_TSC_RATE_H

#include "processor.h"

/* Ticks per second, and in *source by which CPUID leaf or MSR; 0 and NULL: unknown. Not measured:
 * to be compared with a clock. Ring 0 with our own IDT loaded. Intel SDM 3B, 18.7.3, and 4,
 * MSR_PLATFORM_INFO; AMD PPR, MSRC001_0064; VMware's CPUID leaf 40000010H, which KVM shares. */
uint64_t tsc_rate(const struct processor *processor, const char **source);

/*
 * Which rate to take: that by the firmware's wait, unless the processor's own and that by another
 * clock agree with each other, to a thousandth, and not with it. 0: that one is not known.
 */
uint64_t tsc_rate_believed(uint64_t by_wait, uint64_t by_processor, double by_clock);

#endif
