/* page_chain_probe: one pointer chain, of which only the later part is timed. */
#ifndef MLPBOOT_PROBE_PAGE_CHAIN_PROBE_H
#define MLPBOOT_PROBE_PAGE_CHAIN_PROBE_H

#include "timing.h"

#define PAGE_CHAIN_LEAD_MAX 1024
#define PAGE_CHAIN_STEPS_MAX 2048

struct page_chain_shape {
    unsigned lead;  /* loads before the first timestamp, up to PAGE_CHAIN_LEAD_MAX */
    unsigned steps; /* and those between the two, up to PAGE_CHAIN_STEPS_MAX; each needs the one
                       before */
    struct timing timing; /* ORDER_LFENCE; does not count */
};

/*
 * Writes the probe: a function that takes the address of a pointer in RDI, replaces it as many
 * times by what it points to, writes it back, and returns the ticks of the later part in RAX. From
 * the first load on it touches no page but those that the pointers are on, so that a TLB which has
 * no entry to spare for the caller's is full of them when time begins. It changes only registers
 * that a called function may change. Returns its length, 0 if `room` is too small.
 */
size_t page_chain_emit(uint8_t *code, size_t room, const struct page_chain_shape *shape);

#endif
