/* judge: verdicts from rows, experiment by experiment and case by case. */
#ifndef MLPBOOT_EXPERIMENTS_JUDGE_H
#define MLPBOOT_EXPERIMENTS_JUDGE_H

#include "facts.h"

/* Adds the verdicts of every experiment among the tables, in their order: of each case, then those
 * that need several cases, then how far above the floor it is. Each that is ok was held against
 * what it needs: against the facts, its case, and the answer that it leans on. All tables are of
 * one core. `facts` keeps what was found, for these and those judged later. */
void judge_tables(const struct tables *tables, struct facts *facts, struct verdict_list *verdicts);

/* Returns how many verdicts judge_tables adds at most. */
size_t judge_verdicts_max(const struct tables *tables);

#endif
