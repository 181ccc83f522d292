/* counts_rule: the counters' view of memory-level parallelism, beside that of time. */
#ifndef MLPBOOT_EXPERIMENTS_COUNTS_RULE_H
#define MLPBOOT_EXPERIMENTS_COUNTS_RULE_H

#include "../../analysis/curve.h"
#include "../answer.h"

/* Answers from a case's counted rows; and from those of N loads and K fillers. */
extern const struct question counts_payload[], counts_of_loads[];

/* Adds the answers to either list, if anything was counted. */
void counts_judge(const struct evidence *evidence, const struct question *questions);

/* Tells the ratio that `mlp_counted` is, of the rows with the coordinates n, k, bytes and stage of
 * `point`, with its 95 % interval and a doubt. False: one half is missing. */
bool counts_find_ratio(const struct table *table, const struct row *point, struct interval *ratio,
                       enum reason *doubt);

#endif
