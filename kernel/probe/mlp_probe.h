/* mlp_probe: the classic body, N-1 independent loads, K fillers, one load, between two timestamps.
 */
#ifndef MLPBOOT_PROBE_MLP_PROBE_H
#define MLPBOOT_PROBE_MLP_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBE_LOADS_MAX 64
#define PROBE_FILLERS_MAX 4096
#define PROBE_CODE_BYTES 8192 /* room for the largest probe */

/* How the timestamps are kept apart from the body. */
enum probe_order {
    ORDER_CPUID, /* CPUID RDTSC body RDTSCP CPUID, as published (Paoloni, Intel 324264-001) */
    ORDER_LFENCE /* LFENCE RDTSC LFENCE body RDTSCP LFENCE; a virtual machine does not trap it */
};

struct mlp_shape {
    unsigned loads;   /* N, 1 to PROBE_LOADS_MAX */
    unsigned fillers; /* K, 0 to PROBE_FILLERS_MAX */
    enum probe_order order;
    bool rdtscp; /* the processor has it; otherwise LFENCE RDTSC ends the interval */
};

/*
 * Writes the probe: a function that takes the base address in RDI, loads 8 bytes from
 * base + displacement[0..loads) in that order, and returns the elapsed ticks in RAX. It uses RAX,
 * RCX, RDX, R8 to R10 and keeps the rest. Returns its length in bytes, 0 if `room` is too small.
 */
size_t mlp_probe_emit(uint8_t *code, size_t room, const struct mlp_shape *shape,
                      const int32_t *displacement);

#endif
