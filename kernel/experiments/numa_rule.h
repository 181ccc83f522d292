/* node_rule: what memory on another node costs against the own node's. */
#ifndef MLPBOOT_ANALYSIS_NODE_RULE_H
#define MLPBOOT_ANALYSIS_NODE_RULE_H

#include "../data/row.h"
#include "../data/verdict.h"

/* Of a case whose memory is another node's; the node's number follows. */
#define NODE_SUFFIX "-node"

/* The verdicts below and mlp_judge's of a table; NULL at the end. */
extern const char *const node_verdict_names[];

/*
 * Adds for every case with NODE_SUFFIX, against the case of the same name without it:
 * node_one_load_extra, node_two_loads_extra and node_ten_loads_extra, the differences of medians
 * with the smallest K; node_two_sequential_extra and node_mlp_extra, those of the verdicts that
 * mlp_judge gave both cases, which must be in the list. `rows` are those of all measured cases, in
 * any order; only metric `tsc` is looked at. Pure. (IIT Delhi, "Experiments on memory-level
 * parallelism", 2018, chapter 4.)
 */
void node_compare(const struct row *rows, size_t count, struct verdict_list *verdicts);

#endif
