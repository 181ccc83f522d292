/* stored_verdicts: what the rows of a stored table say. */
#ifndef MLPBOOT_HOSTED_STORED_VERDICTS_H
#define MLPBOOT_HOSTED_STORED_VERDICTS_H

#include "../../kernel/data/verdict.h"
#include "read_results.h"

/*
 * Judges a table, whose rows are sorted for that; what they say does not depend on their order
 * before. The caller frees verdicts->at, in any case.
 * False: not enough memory.
 */
bool stored_verdicts(struct results_table *table, struct verdict_list *verdicts);

#endif
