/* walk_rule: time per access of each walk, and of one walk against another. */
#ifndef MLPBOOT_EXPERIMENTS_WALK_RULE_H
#define MLPBOOT_EXPERIMENTS_WALK_RULE_H

#include "../data/tables.h"
#include "../data/verdict.h"
#include "../lib/text.h"

/*
 * Rows of experiment `walk`, `bytes` the array's size; a case's pattern is linear, page, heap or
 * random. tsc and ns: one sample is the time of k accesses; rows whose k is the number of words
 * hold whole walks. sum: of the words read, one sample a whole walk. Counts are of k accesses.
 */
#define WALK_SUM "sum"

extern const char *const walk_verdict_names[];

/* What the words that walk_fill writes add up to; exact for a power of two from 4 MB to 64 GB. */
double walk_sum(int64_t bytes);

/*
 * Adds a case's ns_per_access and ticks_per_access, the median of the pieces over their accesses,
 * and cpi, cycles over instructions where they were counted. A walk whose words do not add up to
 * what the array holds has no time: `error`. Pure.
 */
void walk_judge(const struct table *table, struct verdict_list *verdicts);

/*
 * Adds page_over_linear, heap_over_linear and random_over_linear: each pattern's ticks against
 * those of `linear` in a case that is otherwise the same. Pure.
 */
void walk_compare(const struct tables *tables, struct verdict_list *verdicts);

/* As experiment.h says: everything per access, times and what was counted. */
void walk_show(const struct table *table, struct text *text);

#endif
