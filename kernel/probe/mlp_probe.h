/* mlp_probe: the classic body, N-1 loads, K fillers, one load, between two timestamps. */
#ifndef MLPBOOT_PROBE_MLP_PROBE_H
#define MLPBOOT_PROBE_MLP_PROBE_H

#include "filler.h"
#include "timing.h"

#define PROBE_LOADS_MAX 256
#define PROBE_FILLERS_MAX 4096
#define PROBE_CODE_BYTES 65536 /* room for the largest probe */

struct mlp_shape {
    unsigned loads;     /* N, 0 to PROBE_LOADS_MAX */
    unsigned fillers;   /* K, 0 to PROBE_FILLERS_MAX */
    enum filler filler; /* with WAITING_LOAD memory must hold zeroes */
    bool dependent;     /* each load's address needs the one before; memory must hold zeroes */
    struct timing timing;
};

/*
 * Writes the probe: a function that takes the base address in RDI, loads 8 bytes from
 * base + displacement[0..loads) in that order, and returns the elapsed ticks in RAX. It changes
 * only registers that a called function may change. Returns its length in bytes, 0 if `room` is too
 * small.
 */
size_t mlp_probe_emit(uint8_t *code, size_t room, const struct mlp_shape *shape,
                      const int32_t *displacement);

#endif
