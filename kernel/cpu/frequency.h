/* frequency: what the core really runs at, by its own counts and by the P-state in force; and how
 * fast the time-stamp counter runs, from what the processor itself says. */
#ifndef MLPBOOT_CPU_FREQUENCY_H
#define MLPBOOT_CPU_FREQUENCY_H

#include "processor.h"

/* Starts as zeroes. */
struct frequency {
    uint64_t aperf, mperf; /* at the start */
    double of_nominal;     /* core cycles for each cycle of the nominal clock; 0: not known */
    const char *why_not;   /* why that is not known; NULL */
    bool has_p_state;
    unsigned p_state; /* Intel: the ratio of the bus clock in force; AMD: the P-state's number */
};

/*
 * Before and after work that keeps the core awake: APERF counts core cycles and MPERF those of the
 * nominal clock, neither while the core sleeps. Intel SDM 3B, "Hardware feedback" (E7H, E8H, and
 * 198H for the ratio); AMD APM 2, "Hardware performance monitoring and control" (E7H, E8H,
 * C001_0063 for the P-state). Ring 0 with our own IDT loaded.
 */
void frequency_start(struct frequency *frequency, const struct processor *processor);
void frequency_end(struct frequency *frequency, const struct processor *processor);

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
