/* facts: what holds of the machine and the core whichever experiment asks. */
#ifndef MLPBOOT_EXPERIMENTS_FACTS_H
#define MLPBOOT_EXPERIMENTS_FACTS_H

#include "../data/tables.h"
#include "../data/verdict.h"

/* Starts as zeroes. */
struct facts {
    struct row empty[ORDER_CPUID + 1]; /* empty samples by the order of timestamps; without samples:
                                          not measured */
    double step;                       /* of the clock, in ticks; 0: not known */
    bool is_emulated;                  /* no time is a processor's */
    bool
        may_be_shared; /* the core was measured, and neither is it alone, nor its width published */
    bool is_guest;     /* of a hypervisor */
    bool has_small_pages; /* pieces of a large page take entries of their own in the TLB */
};

/* Takes from tables of any experiments what experiment floor's cases say, and what is known of
 * large pages; what they do not say stays. */
void facts_find(const struct tables *tables, struct facts *facts);

#endif
