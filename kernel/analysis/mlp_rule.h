/* mlp_rule: ROB cliff and MLP by the published rule. */
#ifndef MLPBOOT_ANALYSIS_MLP_RULE_H
#define MLPBOOT_ANALYSIS_MLP_RULE_H

#include "../report/results.h"

/* Their names, NULL at the end. */
extern const char *const mlp_verdict_names[];

/*
 * Adds the verdicts one_load, two_sequential, rob_cliff_k and mlp of one case. `rows` are that
 * case's, sorted by n, then k; only metric `tsc` is looked at. Pure.
 *
 * The rule (IIT Delhi, "Experiments on memory-level parallelism", 2018): with N = 2, time jumps at
 * the first K at which the last load no longer fits in the reorder buffer with the first. Let C be
 * the time beyond the jump, two accesses one after the other. The first N whose time with the
 * smallest K reaches C is MLP + 1.
 */
void mlp_judge(const struct result_row *rows, size_t count, struct verdict_list *verdicts);

#endif
