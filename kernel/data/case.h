/* case: what was varied besides a sweep, and its name in files. */
#ifndef MLPBOOT_DATA_CASE_H
#define MLPBOOT_DATA_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME_BYTES 96 /* of an experiment, a case, a metric, with the final NUL: none has more */

enum page_size { PAGE_4K, PAGE_2M, PAGE_1G, PAGE_SIZES };

#define LINE_BYTES 64 /* of the caches of every x86-64 processor so far */

/* 4 KB, and 512 times as much from each size to the next. */
static inline uint64_t page_bytes(enum page_size page)
{
    return 1ull << (12 + 9 * page);
}

/* The TLB's state of a sample's pages when the sample starts. */
enum tlb_state {
    TLB_NATURAL, /* many other pages of the array were used since: as in a pass over all of it */
    TLB_WARM,    /* every page was just used through another of its lines */
    TLB_COLD,    /* every page's translation was just invalidated; its entries are in the caches */
    TLB_WALKMEM, /* as cold, and the last-level entries themselves are in memory */
    TLB_STATES
};

/* How the timestamps of a sample are kept apart from its body. */
enum probe_order {
    ORDER_LFENCE, /* LFENCE RDTSC LFENCE body RDTSCP LFENCE; a virtual machine does not trap it */
    ORDER_CPUID   /* CPUID RDTSC body RDTSCP CPUID, as published (Paoloni, Intel 324264-001) */
};

/* The setting of prefetchers, or of turbo; leave: as they are found. */
enum setting_choice { SETTING_LEAVE, SETTING_ON, SETTING_OFF };

enum memory_place {
    MEMORY_LOCAL,  /* the own node's, or the only one there is */
    MEMORY_NODE,   /* that of the node with this number */
    MEMORY_REMOTE, /* another node's, had there been one */
};

enum access {
    ACCESS_LOAD,
    ACCESS_PREFETCH, /* PREFETCHT0, and a load behind them all */
    ACCESS_STORE,    /* a store that misses: the line is read first (write-allocate) */
    ACCESS_NT,       /* a non-temporal store: past the caches */
    ACCESSES
};

/* The work of the core's other threads meanwhile, in cases that choose it. */
enum sibling_work {
    SIBLING_UNNAMED, /* it is not; the configuration says what they do */
    SIBLING_IDLE,    /* asleep */
    SIBLING_BUSY,    /* NOPs, and nothing of memory */
    SIBLING_LOADING, /* loads from memory */
    SIBLING_WORKS
};

/* A case ("case" itself is a word of C). All zeroes but for the texts is the plainest of all. */
struct variant {
    char experiment[NAME_BYTES]; /* not part of its name */
    char pattern[NAME_BYTES];    /* of patterns, shuffle; a filler; where there are no pages, all */
    bool has_page;               /* what follows only means something with one */
    enum page_size page;
    enum tlb_state tlb;
    bool prefetch_off;
    enum memory_place memory;
    uint32_t node; /* with MEMORY_NODE */
    enum access access;
    char label[NAME_BYTES]; /* the user's own */
    enum probe_order order;
    bool dependent;            /* each load needs the one before */
    enum sibling_work sibling; /* with or without pages, as all that follows */
    uint32_t generators; /* other cores that keep the memory busy; 0: the case is not of that */
    bool has_core;       /* one of several processors measured, that with this APIC id */
    uint32_t core;
    bool shared; /* measured while the core was shared with its sibling */
};

/* Writes the name: "2m", "4k-warm-nopf-node1-store-label-cpuid-dependent-core2-shared",
 * "linear-2m", "nop-busy", "read-2m-cores3". No other function makes a name; cuts what does not
 * fit. Returns `name`. */
const char *case_name(const struct variant *variant, char name[NAME_BYTES]);

/* Takes a name below NAME_BYTES characters apart: case_name gives it again. The first page size
 * ends the pattern; what is no word of ours is the label. `experiment` stays. */
void case_read(const char *name, struct variant *to);

/* True if they are the same case of the same experiment. */
bool case_same(const struct variant *a, const struct variant *b);

/* Below 0 where `a` is the plainer of two, above where `b` is: by the words of their names from the
 * last to the page size (none, then each in the order of its enum or number), by pages (2m, 1g,
 * 4k), and then by pattern and label. 0: both have one name. */
int case_compare(const struct variant *a, const struct variant *b);

/* Equal cases have equal ones. */
uint64_t case_hash(const struct variant *variant);

/* Returns the part of a label, between dashes, that is a word of case names ("warm", "node1",
 * "core2"), and its length: a case with that label would be read as another one. NULL: no such
 * word. */
const char *case_reserved_word(const char *label, size_t *length);

/* Words of names and of the configuration, each in the order of its enum; NULL at the end. */
extern const char *const page_names[PAGE_SIZES + 1];
extern const char *const tlb_names[TLB_STATES + 1];
extern const char *const order_names[];
extern const char *const access_names[ACCESSES + 1];

#endif
