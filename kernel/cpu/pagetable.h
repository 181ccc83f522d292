/* pagetable: builds page tables of our own beside the firmware's. Pure: no register is touched. */
#ifndef MLPBOOT_CPU_PAGETABLE_H
#define MLPBOOT_CPU_PAGETABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "../lib/random.h"
#include "../platform.h"

#define PTE_PRESENT (1ull << 0)
#define PTE_WRITE (1ull << 1)
#define PTE_ACCESSED (1ull << 5)
#define PTE_DIRTY (1ull << 6)
#define PTE_LARGE (1ull << 7)
#define PTE_NX (1ull << 63)
#define PTE_FRAME 0x000ffffffffff000ull

/*
 * Tables in memory that we own: `pages` pages at `at`, whatever they hold, which the processor sees
 * at `physical`. The first is the root.
 */
struct page_tables {
    uint64_t *at;
    uint64_t physical;
    uint32_t pages, used;
    unsigned levels; /* 4, or 5 with CR4.LA57 */
};

/* Pages that mapping `bytes` needs at most, the root and the upper levels included. */
uint32_t pagetable_pages_needed(uint64_t bytes, enum page_size page);

/*
 * Starts with a copy of the firmware's root, so that everything it maps stays mapped by its own
 * lower tables, which are shared and never written. Only the lower half is taken: the upper half
 * cannot be identity mapped, and edk2 fills it where the processor has 48 physical bits or more.
 * `pages` must be at least 1.
 */
void pagetable_init(struct page_tables *tables, uint64_t *at, uint64_t physical, uint32_t pages,
                    unsigned levels, const uint64_t *firmware_root);

/*
 * The lowest address of a range that the root leaves empty (512 GB with 4 levels, 256 TB with 5),
 * canonical, in the upper half. 0 when there is none left.
 */
uint64_t pagetable_free_range(const struct page_tables *tables);

/*
 * Maps `bytes` at `virtual` to the frames from `physical` on; `flags` are PTE_WRITE and PTE_NX. All
 * must be multiples of the page's size. Accessed and dirty bits are set in advance, so that no
 * first access has to. False, possibly half mapped: out of pages, or something is mapped there.
 */
bool pagetable_map(struct page_tables *tables, uint64_t virtual, uint64_t physical, uint64_t bytes,
                   enum page_size page, uint64_t flags);

/* Puts the frames of `count` 4 KB pages from `virtual` on in a random order. All must be mapped. */
void pagetable_shuffle(struct page_tables *tables, uint64_t virtual, uint64_t count,
                       struct random *random);

/*
 * The entry that maps `virtual`, and its page's size. NULL where none of our tables does, a table
 * of the firmware's included.
 */
uint64_t *pagetable_entry(const struct page_tables *tables, uint64_t virtual, enum page_size *page);

#endif
