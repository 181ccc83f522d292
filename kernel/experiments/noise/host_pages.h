/* host_pages: finds whether a host maps a large page of ours by small pages of its own. */
#ifndef MLPBOOT_EXPERIMENTS_HOST_PAGES_H
#define MLPBOOT_EXPERIMENTS_HOST_PAGES_H

#include "../../engine/measurement.h"

/*
 * Times loads from 256 pieces of 4 KB of one 2 MB page, and from as many lines side by side. Both
 * fit into any first cache. One translation serves all of a large page; of 256 small ones no first
 * level of a TLB has room. False too where no 2 MB page can be had, or after a fault. Takes about a
 * millisecond; not from inside `quietly`.
 */
bool host_pages_are_small(struct measurement *m);

#endif
