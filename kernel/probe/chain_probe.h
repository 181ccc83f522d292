/* chain_probe: N pointer chains followed side by side, between two timestamps. */
#ifndef MLPBOOT_PROBE_CHAIN_PROBE_H
#define MLPBOOT_PROBE_CHAIN_PROBE_H

#include "timing.h"

#define CHAINS_MAX 11
#define CHAINS_COUNTED_MAX 4 /* where counters are read: they take registers too */

struct chain_shape {
    unsigned chains; /* N, 1 to CHAINS_MAX, or CHAINS_COUNTED_MAX: loads in flight together */
    unsigned steps;  /* loads of each chain, one after the other */
    struct timing timing;
};

/*
 * Writes the probe: a function that takes the address of N pointers in RDI, replaces each `steps`
 * times by what it points to, writes them back, and returns the elapsed ticks in RAX. It changes
 * only registers that a called function may change. Returns its length, 0 if `room` is too small.
 */
size_t chain_probe_emit(uint8_t *code, size_t room, const struct chain_shape *shape);

#endif
