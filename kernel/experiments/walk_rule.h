/* walk_rule: time per access of each walk, and of one walk against another. */
#ifndef MLPBOOT_ANALYSIS_WALK_RULE_H
#define MLPBOOT_ANALYSIS_WALK_RULE_H

#include <stdbool.h>

#include "../data/row.h"
#include "../data/verdict.h"

/*
 * Rows of experiment `walk`, `bytes` the array's size. tsc and ns: one sample is the time of k
 * accesses; rows whose k is the number of words hold whole walks. sum: of the words read, one
 * sample a whole walk. Counts are of k accesses.
 */
#define WALK_SUM "sum"

extern const char *const walk_verdict_names[];

/* What the words that walk_fill writes add up to; exact for a power of two from 4 MB to 64 GB. */
double walk_sum(int64_t bytes);

/* The row of a metric with pieces of walks, or with whole ones; NULL: there is none with samples.
 */
const struct row *walk_row(const struct row *rows, size_t count, const char *metric,
                                  bool whole);

/*
 * Adds a case's ns_per_access and ticks_per_access, the median of the pieces over their accesses,
 * and cpi, cycles over instructions where they were counted. A walk whose words do not add up to
 * what the array holds has no time: `error`. Pure.
 */
void walk_judge(const struct row *rows, size_t count, struct verdict_list *verdicts);

/*
 * Adds page_over_linear, heap_over_linear and random_over_linear: each pattern's ticks against
 * those of `linear` with the same pages and prefetchers. `rows` of all cases, each case's together.
 * Pure.
 */
void walk_compare(const struct row *rows, size_t count, struct verdict_list *verdicts);

#endif
