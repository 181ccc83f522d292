/* timing: what stands around a probe's body: timestamps, or readings of counters. A probe is a
 * function that changes only registers that a called function may change; what emits it returns its
 * length, 0 if `room` is too small. */
#ifndef MLPBOOT_PROBE_TIMING_H
#define MLPBOOT_PROBE_TIMING_H

#include "../cpu/msr.h"
#include "../data/case.h"
#include "encoder.h"

#define COUNTING_MAX 8 /* counters in one probe: a register each */

struct platform;

/* The readings of counters in one probe, in registers only. */
struct counting {
    unsigned count;                /* 1 to COUNTING_MAX */
    uint32_t select[COUNTING_MAX]; /* as RDPMC wants them in ECX */
    uint64_t *result;              /* that many; the low 32 bits of each are the count */
    /* Not 0: of a span of so many core cycles (struct platform, count). All counters start
     * when the probe writes `start`, and the first of them, which counts cycles, stops them. */
    uint64_t span;
    struct msr_value start;
};

/*
 * Runs the published probe, which takes `argument`, for sample number `i` of `count`: keeps what it
 * counted, of all samples by one counter, then by the next; where `counting` is NULL, the ticks
 * that it returned. In a span, the first are the cycles that it really lasted. Inside `quietly`.
 */
void counting_sample(const struct counting *counting, struct platform *platform, uint8_t *argument,
                     uint32_t *at, unsigned i, unsigned count);

struct timing {
    const struct counting *counting; /* count instead of timing; NULL: time */
    enum probe_order order;
    bool rdtscp; /* the processor has it; otherwise LFENCE RDTSC ends the interval */
};

/*
 * Orders and takes the first timestamp, into R8 and R9. Writes RAX to RDX as well.
 *
 * To count: LFENCE, reads every counter in turn into a register of its own, LFENCE. The body must
 * leave R8, R9, R10, R12, R13, R14, RBX and RBP alone, and stands between encode_enter and
 * encode_leave. A span starts with its WRMSR alone, which nothing overtakes (Intel SDM 3A,
 * serializing instructions; AMD APM 2, 7.6.4), and what is behind it is the body.
 */
void encode_timer_start(struct encoder *e, struct timing timing);

/*
 * Takes the second, and leaves the ticks between in RAX. Writes RAX to RDX, R8 to R10.
 *
 * To count: LFENCE, reads them again in the same order, subtracts, and only then writes to memory.
 * A counter sees, besides the body, the same number of instructions whatever the body is
 * (nanoBench's no_mem variant; Abel and Reineke 2020). Those of a span are read some 64 cycles
 * after the body, and stand still by then, unless it was longer than that.
 */
void encode_timer_stop(struct encoder *e, struct timing timing);

/* Writes a probe that returns the time-stamp counter in RAX: the clock of whatever runs code here,
 * a model's too. */
size_t timing_emit_now(uint8_t *code, size_t room);

#endif
