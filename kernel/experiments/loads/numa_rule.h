/* numa_rule: the cost of memory on another node against the own node's. */
#ifndef MLPBOOT_EXPERIMENTS_NUMA_RULE_H
#define MLPBOOT_EXPERIMENTS_NUMA_RULE_H

#include "../answer.h"

/*
 * Adds for every case on another node, against the case on the own one that is otherwise the same:
 * node_one_load_extra, node_two_loads_extra and node_ten_loads_extra, the differences of medians
 * with the smallest K; node_two_sequential_extra and node_mlp_extra, those of mlp's verdicts. (IIT
 * Delhi, "Experiments on memory-level parallelism", 2018, chapter 4.)
 */
extern const struct question numa_questions[];
void numa_compare(const struct evidence *evidence);

#endif
