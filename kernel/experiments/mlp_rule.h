/* mlp_rule: reorder buffer, MLP and fill buffers from a table of N loads by K fillers. */
#ifndef MLPBOOT_ANALYSIS_MLP_RULE_H
#define MLPBOOT_ANALYSIS_MLP_RULE_H

#include "../data/row.h"
#include "../data/verdict.h"

/* Of a case whose timestamps are ordered by CPUID, as published; by LFENCE without it. */
#define MLP_CPUID_SUFFIX "-cpuid"

/* The verdicts of a table, and of a chain (see chain.h); NULL at the end. */
extern const char *const mlp_verdict_names[];

/*
 * Adds the verdicts of one case. `rows` are that case's, in any order; only metric `tsc` is looked
 * at. Pure.
 *
 * The rule (IIT Delhi, "Experiments on memory-level parallelism", 2018): with N = 2, time jumps at
 * the first K at which the last load no longer fits in the reorder buffer with the first. Let C be
 * the time beyond the jump, two accesses one after the other. The first N whose time with the
 * smallest K reaches C is MLP + 1. Where time itself jumps on the way there, because no fill buffer
 * is left, the jump says it more sharply.
 */
void mlp_judge(const struct row *rows, size_t count, struct verdict_list *verdicts);

/*
 * Adds `overhead` of every case against the first, and what node_compare adds, from the rows of all
 * of them. Pure.
 */
void mlp_compare(const struct row *rows, size_t count, struct verdict_list *verdicts);

#endif
