/* structures_rule: the size of each structure from the K at which its own filler jumps. */
#ifndef MLPBOOT_EXPERIMENTS_STRUCTURES_RULE_H
#define MLPBOOT_EXPERIMENTS_STRUCTURES_RULE_H

#include "../data/tables.h"
#include "../data/verdict.h"

extern const char *const structures_verdict_names[];

/*
 * Adds one verdict for each case, whose pattern is a filler's name, named for the structure that
 * the filler uses up (see probe/filler.h). A structure that is not smaller than the reorder buffer
 * cannot be seen: doubt, with the least it can be. Pure.
 */
void structures_compare(const struct tables *tables, struct verdict_list *verdicts);

#endif
