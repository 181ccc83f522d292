/* facts: what holds of the machine and the core whichever experiment asks. */
#ifndef MLPBOOT_EXPERIMENTS_FACTS_H
#define MLPBOOT_EXPERIMENTS_FACTS_H

#include "../data/tables.h"
#include "../data/verdict.h"

/* Metrics of rows that tell them, of floor's case core beside those of noise/floor_rule.h: 1,
 * pieces of 4 KB of a large page have translations of their own, since a hypervisor maps it by
 * small pages; 1, a hypervisor stands between the core and the machine; and of each level n of
 * caches the bytes that CPUID reports. (Older runs have the last two in cases of array and tlb.)
 * And of any case: one load that was not evicted before, by the code of one from memory. */
#define FACTS_SMALL_PAGES "small_host_pages"
#define FACTS_HYPERVISOR "hypervisor"
#define FACTS_CPUID "cpuid_cache"
#define FACTS_CACHED "tsc_cached"

#define FACTS_CACHES 5

/* Starts as zeroes. */
struct facts {
    struct row empty[ORDER_CPUID + 1]; /* empty samples by the order of timestamps; without samples:
                                          not measured */
    double step;                       /* of the clock, in ticks; 0: not known */
    double cycle;                      /* ticks of a core cycle in floor; 0: not known */
    bool is_emulated;                  /* no time is a processor's */
    enum reason slow_floor;            /* why what floor timed may not be the whole core's */
    bool may_be_shared;         /* it was measured, and is neither alone, nor its width published */
    bool was_shared;            /* in most of noise's looks */
    bool is_guest;              /* of a hypervisor */
    bool may_have_host;         /* one that maps its pages: it is a guest, or a model */
    bool has_small_pages;       /* pieces of a large page take entries of their own in the TLB */
    double cpuid[FACTS_CACHES]; /* bytes of each level of caches, as CPUID reports; 0: none */
};

/* Takes from tables of any experiments what they say; what they do not say stays. */
void facts_find(const struct tables *tables, struct facts *facts);

#endif
