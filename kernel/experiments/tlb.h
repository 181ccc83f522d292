/* tlb: loads that hit the caches and miss the TLB. */
#ifndef MLPBOOT_EXPERIMENTS_TLB_H
#define MLPBOOT_EXPERIMENTS_TLB_H

#include <stdbool.h>

struct measurement;

/* As experiment.h says. One case per page size and TLB state. */
bool tlb_measure(struct measurement *m);

#endif
