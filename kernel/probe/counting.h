/* counting: the reading of performance counters around a probe's body, in registers only. */
#ifndef MLPBOOT_PROBE_COUNTING_H
#define MLPBOOT_PROBE_COUNTING_H

#include "../cpu/msr.h"
#include "encoder.h"

#define COUNTING_MAX 8 /* counters in one probe: a register each */

/* The readings of one probe. */
struct counting {
    unsigned count;                /* 1 to COUNTING_MAX */
    uint32_t select[COUNTING_MAX]; /* as RDPMC wants them in ECX */
    uint64_t *result;              /* that many; the low 32 bits of each are the count */
    /* Not 0: of a span of so many core cycles (struct platform, count_span). All counters start
     * when the probe writes `start`, and the first of them, which counts cycles, stops them. */
    uint64_t span;
    struct msr_value start;
};

/*
 * LFENCE, reads every counter in turn into a register of its own, LFENCE. The body must leave R8,
 * R9, R10, R12, R13, R14, RBX and RBP alone, and stands between encode_enter and encode_leave.
 * Writes RAX, RCX and RDX as well. A span starts with
 * its WRMSR alone, which nothing overtakes (Intel SDM 3A, serializing instructions; AMD APM 2,
 * 7.6.4), and what is behind it is the body.
 */
void encode_counting_start(struct encoder *e, const struct counting *counting);

/*
 * LFENCE, reads them again in the same order, subtracts, and only then writes to memory. A counter
 * sees, besides the body, the same number of instructions whatever the body is (nanoBench's
 * no_mem variant; Abel and Reineke 2020). Those of a span are read some 64 cycles after the body,
 * and stand still by then, unless it was longer than that.
 */
void encode_counting_stop(struct encoder *e, const struct counting *counting);

/*
 * A probe that has just run took sample number `i` of `count`: keeps what it counted, of all
 * samples by one counter, then by the next; where `counting` is NULL, the ticks that it returned.
 * In a span, the first are the cycles that it really lasted.
 */
void counting_keep(const struct counting *counting, uint64_t ticks, uint32_t *at, unsigned i,
                   unsigned count);

#endif
