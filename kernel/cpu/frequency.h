/* frequency: what the core really runs at, by its own counts and by the P-state in force. */
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

#endif
