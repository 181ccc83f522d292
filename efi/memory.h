/* memory: whole pages from the firmware. */
#ifndef MLPBOOT_EFI_MEMORY_H
#define MLPBOOT_EFI_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "../kernel/platform.h"

#define MEMORY_PAGE 4096ul

/*
 * `bytes` rounded up to pages, not zeroed, identity mapped by the firmware's tables. 0: there is
 * not enough. Only while the firmware's tables are loaded.
 */
uint64_t memory_allocate(uint64_t bytes);

/* True if the firmware ever gave memory that its tables do not map, which is given back at once. */
bool memory_was_unmapped(void);

/* The same, starting at a multiple of `align`, a power of two of at least a page. */
uint64_t memory_allocate_aligned(uint64_t bytes, uint64_t align);

/* Addresses from `start` to before `end`. */
struct memory_range {
    uint64_t start, end;
};

/* The intersection of two ranges; if empty, it ends at its start, or before. */
static inline struct memory_range memory_range_common(struct memory_range a, struct memory_range b)
{
    return (struct memory_range){a.start > b.start ? a.start : b.start,
                                 a.end < b.end ? a.end : b.end};
}

static inline uint64_t memory_range_bytes(struct memory_range range)
{
    return range.end > range.start ? range.end - range.start : 0;
}

/*
 * `bytes` in one piece that lies in one of the ranges, aligned as above, and with `in_gigabytes` so
 * that 1 GB pages may map it. Not zeroed. 0: no such memory is free.
 */
uint64_t memory_allocate_within(uint64_t bytes, uint64_t align, bool in_gigabytes,
                                const struct memory_range *range, unsigned ranges);
void memory_free(uint64_t address, uint64_t bytes);

/* From now on memory_free frees nothing: a processor that did not come back may still write. */
void memory_keep(void);
bool memory_is_kept(void);

/* Bytes of the memory in those ranges that the firmware's map calls free. */
uint64_t memory_free_within(const struct memory_range *range, unsigned ranges);

/* All there can be. */
extern const struct memory_range memory_everywhere;

/*
 * True if every byte of the range is RAM with write-back caching by the firmware's map, so that one
 * large page may cover it.
 */
bool memory_is_plain(uint64_t address, uint64_t bytes);

/* True if the gigabytes around a piece are RAM all over, so that 1 GB pages may map it. */
bool memory_in_gigabytes(uint64_t address, uint64_t bytes);

/*
 * True if every byte of the range may be read without harm: memory in the firmware's map, reserved
 * memory included, all of which is mapped (UEFI 2.10, 2.3.4), or a PC's ROM below 1 MB.
 */
bool memory_is_mapped(uint64_t address, uint64_t bytes);

/* Gives back what reading the map has taken; it is taken again when needed. */
void memory_close(void);

#endif
