/* memory_rule: how long does a load from memory take, with and without page walks? */
#ifndef MLPBOOT_EXPERIMENTS_MEMORY_RULE_H
#define MLPBOOT_EXPERIMENTS_MEMORY_RULE_H

#include "cache_levels.h"

/* Concludes a load's time in ticks, or in core cycles, without walks, by arrays of both sizes. */
void memory_judge_latency(const struct table *table, struct cache_level_sizes sizes,
                          bool is_in_cycles, enum reason doubt, struct verdict *verdict);

/* Concludes the time of a load of a random line of the larger array, walks included, in ticks. */
void memory_judge_random(const struct table *table, struct cache_level_sizes sizes,
                         enum reason doubt, struct verdict *verdict);

#endif
