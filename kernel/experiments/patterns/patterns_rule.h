/* patterns_rule: time per access in each order of accesses, and of one order against another. */
#ifndef MLPBOOT_EXPERIMENTS_PATTERNS_RULE_H
#define MLPBOOT_EXPERIMENTS_PATTERNS_RULE_H

#include "../../data/tables.h"
#include "../../data/verdict.h"
#include "../../lib/text.h"

/* Rows of experiment `patterns`, `bytes` the array's size; a case's pattern is linear, page, heap
 * or random. tsc and ns: one sample is the time of k accesses. A row with a `stage` is one whole
 * pass in that round; sum: of the words it read, likewise. Counts are of k accesses. */
#define PATTERNS_SUM "sum"

/* Returns the sum of what pattern_fill writes; exact for a power of two from 4 MB to 64 GB. */
double patterns_sum(int64_t bytes);

#endif
