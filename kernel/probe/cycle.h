/* cycle: a closed chain of pointers through every line of an array once, in random order. */
#ifndef MLPBOOT_PROBE_CYCLE_H
#define MLPBOOT_PROBE_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

#include "../data/case.h"

/* The first 8 bytes of each line hold the next line's address. */
struct cycle {
    uint8_t *base;
    uint64_t lines;
    unsigned bits;  /* the smallest power of two that is not below `lines` */
    uint64_t index; /* of those 2^bits, how many are dealt with */
    uint8_t *last;  /* line whose successor comes next; NULL before the first */
};

/* Starts a cycle through the whole lines of `bytes` at `base`, 64-byte aligned: 1 to 2^31 lines.
 * Writes nothing yet. */
void cycle_start(struct cycle *cycle, uint8_t *base, uint64_t bytes);

/* Goes on linking, for up to `count` steps of a few nanoseconds. True: the cycle is closed. */
bool cycle_extend(struct cycle *cycle, uint64_t count);

/* Returns a line near that place of the cycle, in lines from its start: off by as much as chance
 * spreads lines, by 0 for a power of two of them. Any `place` below 2^32; it wraps. */
uint8_t *cycle_line(const struct cycle *cycle, uint64_t place);

#endif
