/* cycle: a closed chain of pointers through every line of an array once, in random order; or in one
 * that seldom needs a translation which the last accesses did not need. */
#ifndef MLPBOOT_PROBE_CYCLE_H
#define MLPBOOT_PROBE_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

#include "../data/case.h"

/* A paged cycle visits so many lines of each 4 KB page, of a few pages in turn, before other pages;
 * all pages come CYCLE_LAPS times. */
#define CYCLE_PAGE_LINES 8
#define CYCLE_PAGES 16
#define CYCLE_LAPS 8

/* The first 8 bytes of each line hold the next line's address. */
struct cycle {
    uint8_t *base;
    uint64_t lines;
    bool is_paged;
    unsigned bits;   /* the smallest power of two that is not below `lines` */
    uint64_t linked; /* so many lines, from the array's first on, have their successor */
};

/* Starts a cycle through the whole lines of `bytes` at `base`, 64-byte aligned: 1 to 2^31 lines; of
 * a paged one at least 1024, and `base` at a page. Writes nothing yet. */
void cycle_start(struct cycle *cycle, uint8_t *base, uint64_t bytes, bool is_paged);

/* Goes on linking, for up to `count` lines of a few nanoseconds. True: the cycle is closed. */
bool cycle_extend(struct cycle *cycle, uint64_t count);

/* Returns a line near that place of the cycle, in lines from its start: off by as much as chance
 * spreads lines, by 0 for a power of two of them. Any `place` below 2^32; it wraps. */
uint8_t *cycle_line(const struct cycle *cycle, uint64_t place);

#endif
