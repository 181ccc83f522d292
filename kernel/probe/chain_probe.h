/* chain_probe: pointers followed between two timestamps: N chains side by side, the later part of
 * one, or one load of each. */
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

/* Writes a probe that takes the address of N pointers in RDI, replaces each `steps` times by what
 * it points to, writes them back, and returns the elapsed ticks in RAX. */
size_t chain_probe_emit(uint8_t *code, size_t room, const struct chain_shape *shape);

#define PAGE_CHAIN_LEAD_MAX 1024
#define PAGE_CHAIN_STEPS_MAX 2048

/* A chain whose later part alone is timed. */
struct page_chain_shape {
    unsigned lead;  /* loads before the first timestamp, up to PAGE_CHAIN_LEAD_MAX */
    unsigned steps; /* and those between the two, up to PAGE_CHAIN_STEPS_MAX; each needs the one
                       before */
    struct timing timing; /* ORDER_LFENCE; does not count */
};

/*
 * Writes a probe that takes the address of a pointer in RDI, replaces it as many times by what it
 * points to, writes it back, and returns the ticks of the later part in RAX. From the first load on
 * it touches no page but those that the pointers are on, so that a TLB which has no entry to spare
 * for the caller's is full of them when time begins.
 */
size_t page_chain_emit(uint8_t *code, size_t room, const struct page_chain_shape *shape);

/* Writes a probe of independent loads: it takes the address of so many pointers in RDI, loads 8
 * bytes from where each of them points, and returns the elapsed ticks in RAX. The addresses are
 * data, not code: every run may have others. */
size_t access_probe_emit(uint8_t *code, size_t room, unsigned accesses, struct timing timing);

#endif
