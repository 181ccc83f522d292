/* timing: what stands around a probe's body: timestamps, or readings of counters. */
#ifndef MLPBOOT_PROBE_TIMING_H
#define MLPBOOT_PROBE_TIMING_H

#include "../data/case.h"
#include "counting.h"

struct timing {
    const struct counting *counting; /* count instead of timing; NULL: time */
    enum probe_order order;
    bool rdtscp; /* the processor has it; otherwise LFENCE RDTSC ends the interval */
};

/* Orders and takes the first timestamp, into R8 and R9. Writes RAX to RDX as well. */
void encode_timer_start(struct encoder *e, struct timing timing);

/* Takes the second, and leaves the ticks between in RAX. Writes RAX to RDX, R8 to R10. For
 * counting, see counting.h. */
void encode_timer_stop(struct encoder *e, struct timing timing);

/* Writes a function that returns the time-stamp counter in RAX: the clock of whatever runs code
 * here, a model's too. Returns its length, 0 if `room` is too small. */
size_t timing_emit_now(uint8_t *code, size_t room);

#endif
