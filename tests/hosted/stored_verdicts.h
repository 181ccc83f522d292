/* stored_verdicts: what the rows of a stored table say. */
#ifndef MLPBOOT_HOSTED_STORED_VERDICTS_H
#define MLPBOOT_HOSTED_STORED_VERDICTS_H

#include "read_results.h"

/*
 * Judges a table, whose rows are sorted for that. The caller frees verdicts->at, in any case.
 * False: not enough memory.
 */
bool stored_verdicts(const struct results_table *table, struct verdict_list *verdicts);

#endif
