/* judge: verdicts from rows, experiment by experiment and case by case. */
#ifndef MLPBOOT_EXPERIMENTS_JUDGE_H
#define MLPBOOT_EXPERIMENTS_JUDGE_H

#include "../data/tables.h"
#include "noise/floor_rule.h"

/* Adds the verdicts of every experiment among the tables, in their order: of each case, then those
 * that need several cases, then how far above the floor it is. All tables are of one core. `floor`,
 * which starts as zeroes, keeps what experiment floor says, for these and those judged later. */
void judge_tables(const struct tables *tables, struct floor *floor, struct verdict_list *verdicts);

/* Returns how many verdicts judge_tables adds at most. */
size_t judge_verdicts_max(const struct tables *tables);

#endif
