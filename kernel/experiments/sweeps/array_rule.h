/* array_rule: capacities and latencies of the caches from latency over array size. */
#ifndef MLPBOOT_EXPERIMENTS_ARRAY_RULE_H
#define MLPBOOT_EXPERIMENTS_ARRAY_RULE_H

#include <stdbool.h>

#include "../../data/tables.h"
#include "../../data/verdict.h"

/*
 * Metrics of rows besides `tsc`: ticks of `n` independent accesses to random lines; and one row of
 * a case that was measured on a hypervisor, with its name in place of the unit.
 */
#define ARRAY_RANDOM "tsc_random"
#define ARRAY_HYPERVISOR "hypervisor"

/* Adds `l1_bytes` and `l2_bytes` of one case, by its own rows alone. */
void array_judge_capacities(const struct table *table, struct verdict_list *verdicts);

/* Neighbouring measured sizes that a plateau ends between. */
struct array_gap {
    uint64_t low, high;
};

/* Finds the first plateau's end that is not known to a quarter of itself. The rows may be in any
 * order. False: there is none. */
bool array_next_gap(const struct table *table, struct array_gap *gap);

/* Returns the largest size, if the last plateau's time needs larger ones; 0: it does not. */
uint64_t array_ends_at(const struct table *table);

#endif
