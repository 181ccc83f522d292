/* loads_rule: what the experiments with N loads and K fillers read off their tables alike. */
#ifndef MLPBOOT_EXPERIMENTS_LOADS_RULE_H
#define MLPBOOT_EXPERIMENTS_LOADS_RULE_H

#include "../analysis/cliff.h"
#include "../data/tables.h"
#include "../data/verdict.h"

/*
 * Where the time of N = 2 jumps over K, since the second load no longer fits beside the first:
 * `beyond` is the time of two loads one after the other. Pure.
 */
void loads_cliff(const struct table *table, struct cliff *cliff);

/* The same from fewer points, and without an interval: for deciding what to measure next. The rows
 * may be in any order. */
void loads_locate(const struct table *table, struct cliff *cliff);

/*
 * Rows of the same loads with NOPs of eight bytes, at some K on either side of a jump that NOPs of
 * one byte have: where several of those share an entry of the reorder buffer, the others jump
 * elsewhere. NULL: they jump there, too; else the doubt. Tables of older versions have no such
 * rows, and no doubt.
 */
#define LOADS_LONG_NOPS "tsc_long_nop"
const char *loads_nops_doubt(const struct table *table, const struct cliff *cliff);

/* Whether there is a jump to answer from; where not, concludes the verdict with the reason. */
bool loads_have_cliff(const struct cliff *cliff, struct verdict *verdict);

/* Both as experiment.h says, for a console of 80 columns. Medians, N down and K across (at most ten
 * values of K), and the curve of N = 2. */
void loads_show(const struct table *table, struct text *text);

/* The curve of N = 2 alone. */
void loads_show_curve(const struct table *table, struct text *text);

#endif
