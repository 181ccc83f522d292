/* bandwidth_probe: vector loads, stores or both through an array, between two timestamps. */
#ifndef MLPBOOT_PROBE_BANDWIDTH_PROBE_H
#define MLPBOOT_PROBE_BANDWIDTH_PROBE_H

#include "../data/generators.h"
#include "timing.h"

/* Bytes of a turn of the loop. Prefetchers may go by an instruction's address: 32 loads of 64 bytes
 * in a turn, each 2 KB further, read half as much (a Zen 5 guest: 6.3 bytes/cycle from memory, not
 * 12.6, and 35 from L2, not 55). */
#define BANDWIDTH_BLOCK 512

struct bandwidth_shape {
    enum generator_work work; /* GENERATOR_READ, _WRITE or _COPY */
    unsigned width;           /* bytes of a load or store: vector_width(), or fewer */
    uint8_t *base;            /* 64-byte aligned */
    uint64_t bytes;           /* a multiple of two blocks; a copy goes to the second half */
    uint64_t turns;           /* at least 1; each reads or writes a block, or copies half of one */
    struct timing timing;
};

/*
 * Writes a probe that takes an address in RDI, base + any whole number of steps below the span
 * (generator_span of a block and of the array), goes through the array from there, a step a turn,
 * round and round, and returns the elapsed ticks in RAX. A turn's body is straight, and the pointer
 * wraps without a branch. It writes the values that it read at its start: some processors need not
 * write back zeroes over zeroes.
 */
size_t bandwidth_probe_emit(uint8_t *code, size_t room, const struct bandwidth_shape *shape);

#endif
