/* model_tlb: which pages are translated without a walk; fully associative, least recently used
 * goes. */
#ifndef MLPBOOT_MODEL_TLB_H
#define MLPBOOT_MODEL_TLB_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL_CROWD_PAGES_MAX 16384

struct model_tlb_entry {
    uint32_t page;
    uint32_t before, after; /* in order of use */
    uint64_t ready;         /* when its walk ends */
};

/*
 * Entry 0 is the ring's end. A crowd, used at once and in order, is not entered page by page: the
 * youngest `crowded` pages of first..last, less those marked since, are older than every entry.
 */
struct model_tlb {
    struct model_tlb_entry *entry;
    uint32_t capacity, used, unused; /* `unused`: first of a list through `after`; 0: none */
    uint32_t *entry_of;              /* by page; 0: none */
    uint64_t pages;
    uint64_t crowd_base, crowd_first, crowd_last; /* pages */
    uint32_t crowded, generation;
    uint32_t mark[MODEL_CROWD_PAGES_MAX]; /* by page - crowd_base; the generation: not there now */
};

/* False: not enough memory. A TLB that was not opened may be closed if it is zeroed. */
bool model_tlb_open(struct model_tlb *tlb, uint32_t capacity, uint64_t pages);
void model_tlb_close(struct model_tlb *tlb);

/* When the page's walk ends or ended, through `ready`. False: none was known; the caller sets it.
 */
bool model_tlb_use(struct model_tlb *tlb, uint32_t page, uint64_t **ready);
void model_tlb_forget(struct model_tlb *tlb, uint32_t page);
/* Forgets all pages. One that was not opened may be emptied if it is zeroed. */
void model_tlb_empty(struct model_tlb *tlb);
/* As using pages first to first + count - 1, in this order; at most MODEL_CROWD_PAGES_MAX. */
void model_tlb_crowd(struct model_tlb *tlb, uint64_t first, uint32_t count);

#endif
