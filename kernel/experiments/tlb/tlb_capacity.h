/* reach: chains through N pages, for the capacities, costs and ways of the TLB's levels. */
#ifndef MLPBOOT_EXPERIMENTS_REACH_H
#define MLPBOOT_EXPERIMENTS_REACH_H

#include "../../engine/measurement.h"

/* Adds a case for each page size and setting, and measures them. False: m->failure says why. */
bool reach_measure(struct measurement *m);

/* How many tasks that is. */
unsigned reach_tasks(const struct measurement *m);

#endif
