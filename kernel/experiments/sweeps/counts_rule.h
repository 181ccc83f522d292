/* counts_rule: the counters' view of memory-level parallelism, beside that of time. */
#ifndef MLPBOOT_EXPERIMENTS_COUNTS_RULE_H
#define MLPBOOT_EXPERIMENTS_COUNTS_RULE_H

#include "../../analysis/curve.h"
#include "../answer.h"

/*
 * Answers from a case's counted rows. `payload_surplus`: instructions counted, less those of the
 * probe without loads and with the smallest K, less those emitted; the largest deviation of any
 * point, 0 where every instruction was executed once.
 */
extern const struct question counts_payload[];

/*
 * Answers from those of N loads and K fillers. `reading_cost`: core cycles from one reading of the
 * counters to the next with no load between, from the first decile to the last. `mlp_counted`:
 * misses outstanding on average while there is one, with the most loads: the ratio of
 * L1D_PEND_MISS.PENDING and its cycles (Startin 2018; AMD's miss address buffers likewise).
 * `fill_buffers_seen`: the highest number of them in use in some cycle of the median sample.
 */
extern const struct question counts_of_loads[];

/* Adds the answers to either list, if anything was counted. */
void counts_judge(const struct evidence *evidence, const struct question *questions);

/* Tells the ratio that `mlp_counted` is, of the rows with the coordinates n, k, bytes and stage of
 * `point`, with its 95 % interval and a doubt. False: one half is missing. */
bool counts_find_ratio(const struct table *table, const struct row *point, struct interval *ratio,
                       enum reason *doubt);

#endif
