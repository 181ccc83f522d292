/* structure_rule: the size of each structure from the K at which its own filler jumps. */
#ifndef MLPBOOT_ANALYSIS_STRUCTURE_RULE_H
#define MLPBOOT_ANALYSIS_STRUCTURE_RULE_H

#include "../data/row.h"
#include "../data/verdict.h"

extern const char *const structure_verdict_names[];

/*
 * Adds one verdict for each case, named for the structure that its filler uses up. A structure that
 * is not smaller than the reorder buffer cannot be seen: doubt, with the least it can be. `rows`
 * are all rows of the experiment, each case's together. Pure.
 */
void structures_compare(const struct row *rows, size_t count, struct verdict_list *verdicts);

#endif
