/* mlp_rule: reorder buffer, MLP and fill buffers from a table of N loads by K fillers. */
#ifndef MLPBOOT_EXPERIMENTS_MLP_RULE_H
#define MLPBOOT_EXPERIMENTS_MLP_RULE_H

#include "../answer.h"

/*
 * Adds the verdicts of one case. It reads times of metric `tsc` only.
 *
 * The rule (IIT Delhi, "Experiments on memory-level parallelism", 2018): with N = 2, time jumps at
 * the first K at which the last load no longer fits in the reorder buffer with the first. Let C be
 * the time beyond the jump, two serialized accesses. The first N whose time with the smallest K
 * reaches C is MLP + 1: of means, as published. Beside it stand `fill_buffers`, the last N before
 * the fastest samples jump, and `mlp_sustained`, the latency over what each load adds where they
 * are many (Little's law).
 *
 * Dependent loads take T(n) = n * M + C: `sequential_slope` is M, ticks a load, and
 * `sequential_constant` C, timer and start-up, by least squares, with the 95 % intervals that the
 * residual implies.
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
