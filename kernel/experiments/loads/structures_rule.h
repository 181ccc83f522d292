/* structures_rule: the sizes of structures by where each filler's time jumps. */
#ifndef MLPBOOT_EXPERIMENTS_STRUCTURES_RULE_H
#define MLPBOOT_EXPERIMENTS_STRUCTURES_RULE_H

#include "../../data/tables.h"
#include "../../data/verdict.h"

/*
 * Adds one verdict for each case that is `like` this one but for its pattern, a filler's name. It
 * is named for the structure that the filler uses up (probe/filler.h). A structure that is not
 * smaller than the others that its filler uses, the reorder buffer above all, is not seen: doubt,
 * with the least it can be. Each state of the core is compared with itself.
 */
void structures_compare(const struct tables *tables, const struct variant *like,
                        struct verdict_list *verdicts);

/* True if a case's pattern is a filler that gives the verdict of that name. */
bool structures_give(const struct variant *variant, const char *name);

#endif
