/* judge: verdicts from a whole results table, case by case. */
#ifndef MLPBOOT_ANALYSIS_JUDGE_H
#define MLPBOOT_ANALYSIS_JUDGE_H

#include "floor_rule.h"

/*
 * Adds every experiment's verdicts, experiments and cases in the order of their first rows. Sorts
 * `rows` for that, so that their order does not matter otherwise. Rows of an experiment that is not
 * known add none.
 */
void judge_results(struct result_row *rows, size_t count, struct verdict_list *verdicts);

/*
 * The same in several steps: what experiment floor says in `rows` is kept in `floor`, which starts
 * as zeroes, for the experiments after it, here or in the next step. judge_results is one step.
 */
void judge_further(struct result_row *rows, size_t count, struct floor *floor,
                   struct verdict_list *verdicts);

#endif
