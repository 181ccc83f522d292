/* mlp_rule: reorder buffer, MLP and fill buffers from a table of N loads by K fillers. */
#ifndef MLPBOOT_EXPERIMENTS_MLP_RULE_H
#define MLPBOOT_EXPERIMENTS_MLP_RULE_H

#include "../answer.h"

/* Adds the verdicts of one case. */
extern const struct question mlp_questions[];
void mlp_judge(const struct evidence *evidence);

/*
 * Adds `overhead` of every case against the plainest, the first by case_compare: by the order of
 * timestamps (LFENCE), memory (local before others), prefetchers (not off), TLB (natural), pages
 * (2m, 1g, 4k), and then by name.
 */
void mlp_compare(const struct evidence *evidence);

#endif
