/* address_space: our page tables, with the code area and all windows in them. */
#ifndef MLPBOOT_EFI_ADDRESS_SPACE_H
#define MLPBOOT_EFI_ADDRESS_SPACE_H

#include "../kernel/cpu/memory_type.h"
#include "../kernel/cpu/pagetable.h"
#include "../kernel/cpu/processor.h"
#include "../kernel/platform.h"
#include "memory.h"

/* Frames that windows lie over. */
struct region {
    uint64_t physical, bytes;
    uint32_t node;    /* as asked for */
    unsigned windows; /* how many; 0: not in use */
};

/* One window's. */
struct mapping {
    const uint8_t *base; /* NULL: not in use */
    struct region *region;
    uint64_t bytes;  /* of the region that it shows */
    uint64_t frames; /* page i has frame i modulo this; UINT64_MAX: each has one of its own */
    struct table_pool pool;
};

struct address_space {
    const struct processor *processor;
    const struct memory_range *place; /* where the next window has to lie; NULL: anywhere */
    unsigned places;
    uint64_t no_execute;  /* PTE_NX, where the processor has it */
    uint64_t code_frames; /* of the code area */
    struct page_tables tables;
    struct table_pool pool;    /* of the root and the code area */
    uint64_t array_at;         /* the physical address of the last window mapped */
    struct memory_types types; /* set by the caller before the first window is mapped */
    const char *types_unknown; /* NULL, or why they are not */
    char type_refusal[96];     /* of the last window refused for its type; empty: none was */
    struct region region[WINDOWS_MAX];
    struct mapping mapping[WINDOWS_MAX];
};

/* Builds the tables and maps the code area. Returns NULL, or the reason. */
const char *address_space_open(struct address_space *space, const struct processor *processor,
                               struct code_area *code);

/* Gives back what address_space_open took, also where that failed; no window is mapped any more. */
void address_space_close(struct address_space *space);

/*
 * As map_window and unmap_window in platform.h, but for request->node, which `place` stands for.
 * Memory that is not write-back, or not known to be, is refused.
 */
const char *address_space_map(struct address_space *space, const struct window_request *request,
                              struct window *window);
void address_space_unmap(struct address_space *space, struct window *window);

/* The physical address in the entry for an address of a window, and the page's size; 0: none.
 */
uint64_t address_space_frame(const struct address_space *space, const uint8_t *at,
                             enum page_size *page);

/* The physical address of a mapped window's lowest frame, and the bytes of all its frames: less
 * than those of its pages where pages share frames. */
uint64_t address_space_physical(const struct address_space *space, const struct window *window);
uint64_t address_space_bytes(const struct address_space *space, const struct window *window);

/* The value for CR3: our root, brought up to date with the firmware's, whose is loaded. */
uint64_t address_space_root(struct address_space *space);

#endif
