/* mlp_rule: reorder buffer, MLP and fill buffers from a table of N loads by K fillers. */
#ifndef MLPBOOT_EXPERIMENTS_MLP_RULE_H
#define MLPBOOT_EXPERIMENTS_MLP_RULE_H

#include "../../data/tables.h"
#include "../../data/verdict.h"

/* Those that mlp_judge gives a table of N by K, in their order. */
#define MLP_TABLE_VERDICTS                                                                         \
    "one_load", "two_sequential", "mlp", "time_at_mlp_plus_1", "rob_cliff_k", "rob_entries",       \
        "fill_buffers", "mlp_sustained"

/*
 * Adds the verdicts of one case. Of time only metric `tsc` is looked at. Pure.
 *
 * The rule (IIT Delhi, "Experiments on memory-level parallelism", 2018): with N = 2, time jumps at
 * the first K at which the last load no longer fits in the reorder buffer with the first. Let C be
 * the time beyond the jump, two accesses one after the other. The first N whose time with the
 * smallest K reaches C is MLP + 1: of means, as published. Beside it stand `fill_buffers`, the last
 * N before the fastest samples jump, and `mlp_sustained`, the latency over what each load adds
 * where they are many (Little's law).
 *
 * Of dependent loads, T(n) = n * M + C: `sequential_slope` is M, ticks a load, and
 * `sequential_constant` C, timer and start-up, by least squares, with the 95 % intervals that the
 * residual implies.
 */
void mlp_judge(const struct table *table, struct verdict_list *verdicts);

/*
 * Adds `overhead` of every case against the plainest, and what numa_compare adds. The plainest is
 * the first by memory (local before others), prefetchers (not off), TLB (natural), order of
 * timestamps (LFENCE), pages (2m, 1g, 4k), and then by name. Pure.
 */
void mlp_compare(const struct tables *tables, struct verdict_list *verdicts);

/* Returns what speaks against a chain's constant or one load, as experiment.h says; NULL: nothing.
 */
const char *mlp_doubt(const struct tables *tables, const struct row *empty,
                      const struct verdict *v);

#endif
