/* counts_rule: the counters' view of memory-level parallelism, beside that of time. */
#ifndef MLPBOOT_EXPERIMENTS_COUNTS_RULE_H
#define MLPBOOT_EXPERIMENTS_COUNTS_RULE_H

#include <stdbool.h>

#include "../../analysis/curve.h"
#include "../../data/verdict.h"

/*
 * Adds verdicts from one case's counted rows, if there are any.
 *
 * `payload_surplus`: instructions counted, less those of the probe without loads, less those
 * emitted; the largest deviation of any point, 0 where every instruction was executed once.
 * `reading_cost`: core cycles from one reading of the counters to the next with no load between;
 * the interval is from the first decile to the last. `mlp_counted`: misses outstanding on average
 * while there is one, with the most loads: the ratio of L1D_PEND_MISS.PENDING and its cycles
 * (Startin 2018; AMD's miss address buffers likewise). `fill_buffers_seen`: the highest number of
 * them in use in some cycle of the median sample.
 */
void counts_judge(const struct table *table, struct verdict_list *verdicts);

/* Adds `payload_surplus` alone, of N loads and K fillers against the row without loads and with the
 * smallest K. False: nothing was counted, and nothing is added. */
bool counts_judge_payload(const struct table *table, struct verdict_list *verdicts);

/* Tells the ratio that `mlp_counted` is, of the rows with the coordinates n, k, bytes and stage of
 * `point`, with its 95 % interval and why it is in doubt, or NULL. False: one half is missing. */
bool counts_find_ratio(const struct table *table, const struct row *point, struct interval *ratio,
                       const char **doubt);

#endif
