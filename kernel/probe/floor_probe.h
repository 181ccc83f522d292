/* floor_probe: bodies that touch no memory: the timer, NOPs, and additions side by side or in turn.
 */
#ifndef MLPBOOT_PROBE_FLOOR_PROBE_H
#define MLPBOOT_PROBE_FLOOR_PROBE_H

#include "../platform.h"
#include "timing.h"

#define FLOOR_CHAINS_MAX 12 /* registers that a body may write beside those of the timer */

/* Writes a probe that takes two timestamps (RDTSC) with nothing between or around them, and returns
 * the ticks from the first to the second in RAX; unordered, it may be below zero. */
size_t floor_probe_emit_timer(uint8_t *code, size_t room);

struct floor_shape {
    unsigned chains;      /* registers added to in turn, 1 to FLOOR_CHAINS_MAX; 1: each add waits;
                             0: NOPs in place of additions */
    unsigned adds;        /* in all */
    struct timing timing; /* counts nothing but spans, for want of registers */
};

/* Likewise of stores that the next load reads, each of what the load before it read: a chain
 * through memory, or several side by side. The probe takes the address of 8 bytes for each chain in
 * RDI. Loads have another base than stores: some cores know equal operands for equal addresses, and
 * take the register in place of memory (AMD Zen 5: 0.7 cycles in place of 7; tried). */
struct forward_shape {
    unsigned chains;      /* 1 to FORWARD_CHAINS_MAX */
    unsigned pairs;       /* in all */
    struct timing timing; /* does not count */
};
#define FORWARD_CHAINS_MAX 2
size_t forward_probe_emit(uint8_t *code, size_t room, const struct forward_shape *shape);

/* Likewise with a body of register-to-register additions, without branches. Some cores add
 * constants while renaming (Intel Optimization Manual, Golden Cove): each adds a register that is
 * not written. The NOPs have 9 bytes: some cores fuse two shorter ones, as long as both together
 * have at most 15 (seen on Zen 4). */
size_t floor_probe_emit(uint8_t *code, size_t room, const struct floor_shape *shape);

#endif
