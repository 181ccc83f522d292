/* walk_rule: time per access of each walk, and of one walk against another. */
#ifndef MLPBOOT_EXPERIMENTS_WALK_RULE_H
#define MLPBOOT_EXPERIMENTS_WALK_RULE_H

#include "../../data/tables.h"
#include "../../data/verdict.h"
#include "../../lib/text.h"

/*
 * Rows of experiment `walk`, `bytes` the array's size; a case's pattern is linear, page, heap or
 * random. tsc and ns: one sample is the time of k accesses; a row whose k is the number of words is
 * one whole walk, `stage` its round. sum: of the words it read, likewise. Counts are of k accesses.
 */
#define WALK_SUM "sum"

/* What the words that walk_fill writes add up to; exact for a power of two from 4 MB to 64 GB. */
double walk_sum(int64_t bytes);

#endif
