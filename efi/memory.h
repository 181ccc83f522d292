/* memory: whole pages from the firmware. */
#ifndef MLPBOOT_EFI_MEMORY_H
#define MLPBOOT_EFI_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "../kernel/platform.h"

#define MEMORY_PAGE 4096ul

/*
 * MEMORY_CODE is for generated code, which only runs where tables of ours map its frames once more,
 * not writable. Where the firmware has them they are data to it like any other; and where they
 * would run all the same, it is asked not to let them (EFI_MEMORY_ATTRIBUTE_PROTOCOL).
 */
enum memory_use { MEMORY_DATA, MEMORY_CODE };

/* `bytes` rounded up to pages, not zeroed, identity mapped. 0: there is not enough. One piece at a
 * time may be MEMORY_CODE; it is freed in one piece. */
uint64_t memory_allocate(uint64_t bytes, enum memory_use use);

/* As data that starts at a multiple of `align`, a power of two of at least a page. */
uint64_t memory_allocate_aligned(uint64_t bytes, uint64_t align);

/* Addresses from `start` to before `end`. */
struct memory_range {
    uint64_t start, end;
};

/* What two ranges have in common; it ends where it starts, or before, where that is nothing. */
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
 * that 1 GB pages may map it. Not zeroed. 0: there is none.
 */
uint64_t memory_allocate_within(uint64_t bytes, uint64_t align, bool in_gigabytes,
                                const struct memory_range *range, unsigned ranges);
void memory_free(uint64_t address, uint64_t bytes);

/* Bytes of the memory in those ranges that the firmware's map calls free. */
uint64_t memory_free_within(const struct memory_range *range, unsigned ranges);

/* All there can be. */
extern const struct memory_range memory_everywhere;

/*
 * Whether every byte of the range is RAM with write-back caching by the firmware's map, so that one
 * large page may cover it.
 */
bool memory_is_plain(uint64_t address, uint64_t bytes);

/* Whether the gigabytes around a piece are RAM all over, so that 1 GB pages may map it. */
bool memory_in_gigabytes(uint64_t address, uint64_t bytes);

/*
 * Whether every byte of the range may be read without harm: memory in the firmware's map, reserved
 * memory included, all of which is mapped (UEFI 2.10, 2.3.4), or a PC's ROM below 1 MB.
 */
bool memory_is_mapped(uint64_t address, uint64_t bytes);

/* Gives back what reading the map has taken; it is taken again when needed. */
void memory_close(void);

#endif
