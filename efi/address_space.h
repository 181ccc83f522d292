/* address_space: our page tables, with the array's window and the code area in them. */
#ifndef MLPBOOT_EFI_ADDRESS_SPACE_H
#define MLPBOOT_EFI_ADDRESS_SPACE_H

#include "../kernel/cpu/pagetable.h"
#include "../kernel/cpu/processor.h"
#include "../kernel/platform.h"
#include "memory.h"

/* One at a time; everything but `code` is only meaningful while a window is mapped. */
struct address_space {
    const struct processor *processor;
    const struct memory_range *place; /* where the next window has to lie; NULL: anywhere */
    unsigned places;
    struct page_tables tables;
    uint64_t pool, pool_bytes;     /* the tables' memory */
    uint64_t region, region_bytes; /* the array's memory as allocated */
    uint64_t physical;             /* of the window's first byte */
    uint64_t code_frames;
};

/* Allocates the code area's frames. Returns NULL, or the reason. */
const char *address_space_open(struct address_space *space, const struct processor *processor,
                               struct code_area *code);

/* As map_window and unmap_window in platform.h; moves the code area's addresses as well. */
const char *address_space_map(struct address_space *space, uint64_t bytes, enum page_size page,
                              enum frame_order frames, uint64_t seed, struct window *window,
                              struct code_area *code);
void address_space_unmap(struct address_space *space);

/* What the entry for an address of the window says stands behind it, and how large a page; 0: none.
 */
uint64_t address_space_frame(const struct address_space *space, const uint8_t *at,
                             enum page_size *page);

/* What to load into CR3: our root, or the firmware's while no window is mapped. */
uint64_t address_space_root(const struct address_space *space);

#endif
