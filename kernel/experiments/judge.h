/* judge: verdicts from rows, experiment by experiment and case by case. */
#ifndef MLPBOOT_EXPERIMENTS_JUDGE_H
#define MLPBOOT_EXPERIMENTS_JUDGE_H

#include "../data/tables.h"
#include "noise/floor_rule.h"

/*
 * Adds the verdicts of every experiment among the tables, in their order: of each case, then those
 * that need several cases, then how far above the floor it is. All are of one core. What experiment
 * floor says among them is kept in `floor`, which starts as zeroes, for all others, these and those
 * judged later.
 */
void judge_tables(const struct tables *tables, struct floor *floor, struct verdict_list *verdicts);

/* How many verdicts that adds at most. */
size_t judge_verdicts_max(const struct tables *tables);

#endif
