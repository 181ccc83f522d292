/* model_memory: how long a load of a window takes: TLB and walkers, caches and fill buffers. */
#ifndef MLPBOOT_MODEL_MEMORY_H
#define MLPBOOT_MODEL_MEMORY_H

#include "../../kernel/platform.h"
#include "model_activity.h"
#include "model_cache.h"
#include "model_generators.h"
#include "model_limits.h"
#include "model_prefetch.h"
#include "model_random.h"
#include "model_translation.h"

#define MODEL_CROWD_PAGES_MAX 16384

struct model_fill_buffer {
    uint64_t free_at; /* when its line is there */
    uint32_t line;
};

/* State that the memories of all windows share. */
struct model_common {
    const struct model_parameters *parameters;
    struct model_activity *activity;    /* where it is recorded */
    struct random noise, slow;          /* in the order of the memories' use */
    struct model_limits now;            /* of buffers, the first so many may be used */
    double next_line;                   /* cycle from which memory may be asked for another one */
    struct model_generators generators; /* which ask it, too */
    bool is_prefetching;
    struct model_translation translation; /* without a first level: each memory has `tlb` */
    uint64_t opened;                      /* memories so far */
};

struct model_memory {
    const struct model_parameters *parameters;
    struct model_common *common;
    struct model_cache cache[MODEL_CACHE_LEVELS]; /* a level without sets is not there */
    struct model_store tlb;                       /* where the model has no two levels */
    struct model_prefetch prefetch;
    /* Fill buffers. `of_loads`: the part that loads may use, if prefetches may use more;
     * `of_stores`: those of stores, if they have their own. Else NULL. */
    struct model_fill_buffer *buffer, *of_loads, *of_stores;
    uint64_t remote;    /* what the window's memory takes more than the own node's */
    uint64_t last_fill; /* when the last of them all is free */
    uint64_t *walker_free_at;
    uint8_t *base;  /* of the window */
    uint64_t bytes; /* of addresses, from its first page to its last */
    enum page_size page;
    unsigned stride_shift;
    uint64_t pages, frames; /* as in struct model_layout */
    uint64_t number;        /* of all memories that were opened: its part of the TLBs' addresses */
    bool *entry_in_memory;  /* by page: its entry in the page table is in no cache */
    uint32_t *alias; /* by line: page + 1 that met it last; NULL: no line has two addresses */
};

/* Layout of a window: page i begins i * stride behind its base, and has frame i modulo `frames`. */
struct model_layout {
    uint64_t pages, frames;
    uint64_t stride; /* a power of two */
    uint64_t remote; /* cycles that its memory takes more */
};

/* Returns the layout that a request asks for, of whole pages, without `remote`. */
struct model_layout model_layout_of(const struct window_request *request);
/* Returns how many bytes of addresses it spans, from the first page to the last. */
uint64_t model_layout_span(const struct model_layout *layout, enum page_size page);

/* Opens a window, with empty caches of its own, and an empty TLB if it has one. Everything pointed
 * to must stay. False: not enough memory, and nothing to close. */
bool model_memory_open(struct model_memory *memory, struct model_common *common,
                       const struct window *window, const struct model_layout *layout);
void model_memory_close(struct model_memory *memory);

/* Leaves the window as many parts of the caches as `common` says. */
void model_memory_share(struct model_memory *memory);

static inline bool model_memory_has(const struct model_memory *memory, uint64_t address)
{
    return address - (uintptr_t)memory->base < memory->bytes;
}

/*
 * The two stages of a load of the window. Return when its translation is there, then when its data
 * is, and where that was found. Walkers and fill buffers go to the first that asks, so `now` must
 * never decrease, neither here nor in the two functions below.
 */
uint64_t model_memory_translate(struct model_memory *memory, uint64_t address, uint64_t now);
uint64_t model_memory_fetch(struct model_memory *memory, uint64_t address, uint64_t now,
                            enum model_place *place);

/* Brings what the second stage looks up into the host's caches. Changes nothing. */
void model_memory_expect(const struct model_memory *memory, uint64_t address);

/* Second stage of a prefetch: returns when it has a buffer, or is found to need no buffer. */
uint64_t model_memory_prefetch(struct model_memory *memory, uint64_t address, uint64_t now);
/* Second stage of a store: returns when it may write to the line. */
uint64_t model_memory_own(struct model_memory *memory, uint64_t address, uint64_t now);
/* Removes a line that was written past the caches from all of them. */
void model_memory_pass(struct model_memory *memory, uint64_t address);

/* Services of the platform between probes; they take no time. */
void model_memory_touch(struct model_memory *memory, uint64_t address);
void model_memory_evict(struct model_memory *memory, uint64_t address);
void model_memory_forget_page(struct model_memory *memory, uint64_t address);
void model_memory_evict_entry(struct model_memory *memory, uint64_t address);
/* Acts as a use of the 4 KB pages from there to the window's end; at most MODEL_CROWD_PAGES_MAX. */
void model_memory_crowd(struct model_memory *memory, uint64_t address);

#endif
