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

/* `pages` pages in one piece for tables, at `at`, which the processor sees at `physical`. */
struct table_pool {
    uint64_t *at;
    uint64_t physical;
    uint32_t pages, used;
    struct table_pool *next; /* an earlier one; private */
};

/*
 * Tables in memory that we own, the root being the first pool's first page. All tables below one of
 * the root's entries come from one pool: the last one added when the entry was first used.
 */
struct page_tables {
    uint64_t *root;
    struct table_pool *pools; /* the last one added first */
    unsigned levels;          /* 4, or 5 with CR4.LA57 */
};

/* Pages that mapping `count` pages, each so many addresses from the next, needs at most, the root
 * and the upper levels included. `stride` is a power of two. */
uint32_t pagetable_pages_needed(uint64_t count, uint64_t stride, enum page_size page);

/*
 * Starts with a copy of the firmware's root (see pagetable_refresh) in `pool`, which is set but for
 * `used` and `next`, has at least 1 page, and stays.
 */
void pagetable_init(struct page_tables *tables, struct table_pool *pool, unsigned levels,
                    const uint64_t *firmware_root);

/*
 * Copies the firmware's root, so that everything it maps stays mapped by its own lower tables,
 * which are shared and never written. Only the lower half is taken: the upper half cannot be
 * identity mapped, and edk2 fills it where the processor has 48 physical bits or more.
 */
void pagetable_refresh(struct page_tables *tables, const uint64_t *firmware_root);

/* Root entries that are first used from now on take their tables from `pool`, set as above. */
void pagetable_add_pool(struct page_tables *tables, struct table_pool *pool);

/*
 * Empties the root's entries whose tables are in the pool, which was added and may be freed then.
 * Other pools' mappings stay. The processor may know the old ones until CR3 is loaded.
 */
void pagetable_remove_pool(struct page_tables *tables, struct table_pool *pool);

/*
 * The lowest address of a range of at least `bytes` under entries that the root leaves empty (each
 * 512 GB with 4 levels, 256 TB with 5), canonical, in the upper half. 0 if all are used.
 */
uint64_t pagetable_free_range(const struct page_tables *tables, uint64_t bytes);

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
 * Bits of an entry, and of CR3, that are an address: PTE_FRAME but the bit by which an AMD
 * processor tells encrypted memory, CPUID 8000001FH EBX[5:0]. A guest's firmware sets it in its
 * tables (APM 2, 15.34.6), and this is asked before such a guest is refused.
 */
uint64_t pagetable_frame(void);

/*
 * True if tables that are identity mapped, the firmware's, map each of these addresses to itself,
 * with all of `rights` (0 or PTE_WRITE) at every level. `frame` is pagetable_frame().
 */
bool pagetable_maps(const uint64_t *root, unsigned levels, uint64_t frame, uint64_t start,
                    uint64_t bytes, uint64_t rights);

/* Returns our tables' entry that maps `virtual`, and its page's size, or NULL. */
uint64_t *pagetable_entry(const struct page_tables *tables, uint64_t virtual, enum page_size *page);

#endif
