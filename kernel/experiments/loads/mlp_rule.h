/* mlp_rule: reorder buffer, MLP and fill buffers from a table of N loads by K fillers. */
#ifndef MLPBOOT_EXPERIMENTS_MLP_RULE_H
#define MLPBOOT_EXPERIMENTS_MLP_RULE_H

#include "../../data/tables.h"
#include "../../data/verdict.h"

struct timer;

/* The verdicts of a table of N by K, in their order: name, unit, and the function that judges. */
#define MLP_TABLE_VERDICTS(X)                                                                      \
    X("one_load", "ticks", judge_one_load)                                                         \
    X("two_sequential", "ticks", judge_two_sequential)                                             \
    X("mlp", "loads", judge_mlp)                                                                   \
    X("time_at_mlp_plus_1", "ticks", judge_time_beyond)                                            \
    X("rob_cliff_k", "fillers", judge_cliff)                                                       \
    X("rob_entries", "entries", judge_rob)                                                         \
    X("fill_buffers", "buffers", judge_buffers)                                                    \
    X("mlp_sustained", "loads", judge_sustained)
#define MLP_VERDICT_NAME(name, ...) name,

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
void mlp_judge(const struct table *table, struct verdict_list *verdicts);

/* Returns one of MLP_TABLE_VERDICTS. */
struct verdict mlp_verdict(const struct table *table, const char *name);

/*
 * Adds `overhead` of every case against the plainest, and what numa_compare adds. The plainest is
 * the first by memory (local before others), prefetchers (not off), TLB (natural), order of
 * timestamps (LFENCE), pages (2m, 1g, 4k), and then by name.
 */
void mlp_compare(const struct tables *tables, struct verdict_list *verdicts);

/* Returns a doubt of a chain's constant, of one load or of buffers, as experiment.h says; NULL:
 * none. */
const char *mlp_doubt(const struct tables *tables, const struct timer *timer,
                      const struct verdict *v);

#endif
