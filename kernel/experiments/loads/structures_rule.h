/* structures_rule: the sizes of structures by where each filler's time jumps. */
#ifndef MLPBOOT_EXPERIMENTS_STRUCTURES_RULE_H
#define MLPBOOT_EXPERIMENTS_STRUCTURES_RULE_H

#include "../../data/tables.h"
#include "../../data/verdict.h"

/*
 * Adds one verdict for each case that is `like` this one but for its pattern, which is a filler's
 * name: named for the structure that the filler uses up (see probe/filler.h). A structure that is
 * not smaller than the others that its filler uses, the reorder buffer above all, cannot be seen:
 * doubt, with the least it can be. What one state of the core has is compared with what else it has
 * in that state. Pure.
 */
void structures_compare(const struct tables *tables, const struct variant *like,
                        struct verdict_list *verdicts);

#endif
