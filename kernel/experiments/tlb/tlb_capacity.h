/* tlb_capacity: chains through N pages, for the capacities, costs and ways of the TLB's levels. */
#ifndef MLPBOOT_EXPERIMENTS_TLB_CAPACITY_H
#define MLPBOOT_EXPERIMENTS_TLB_CAPACITY_H

#include "../../engine/measurement.h"

/* Adds a case for each page size and setting, and measures them. False: m->failure says why. */
bool capacity_measure(struct measurement *m);

/* Returns how many tasks that is. */
unsigned capacity_tasks(const struct measurement *m);

#endif
