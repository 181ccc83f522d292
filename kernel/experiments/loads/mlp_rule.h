/* mlp_rule: reorder buffer, MLP and fill buffers from a table of N loads by K fillers. */
#ifndef MLPBOOT_EXPERIMENTS_MLP_RULE_H
#define MLPBOOT_EXPERIMENTS_MLP_RULE_H

#include "../answer.h"

/*
 * Adds the verdicts of one case. It reads times of metric `tsc` only.
 *
 * `mlp` is of means, as published. Beside it stand `fill_buffers`, the last N before the fastest
 * samples jump, and `mlp_sustained`, the latency over what each load adds where they are many
 * (Little's law). `sequential_slope` is M, ticks a load, and `sequential_constant` C, by least
 * squares, with the 95 % intervals that the residual implies.
 */
extern const struct question mlp_questions[];
void mlp_judge(const struct evidence *evidence);

/*
 * Adds `overhead` of every case against the plainest, the first by case_compare: by the order of
 * timestamps (LFENCE), memory (local before others), prefetchers (not off), TLB (natural), pages
 * (2m, 1g, 4k), and then by name.
 */
void mlp_compare(const struct evidence *evidence);

#endif
