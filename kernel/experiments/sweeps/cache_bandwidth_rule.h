/* cache_bandwidth_rule: bytes a core cycle, from whole passes over arrays of two sizes. */
#ifndef MLPBOOT_EXPERIMENTS_CACHE_BANDWIDTH_RULE_H
#define MLPBOOT_EXPERIMENTS_CACHE_BANDWIDTH_RULE_H

#include "../answer.h"

/*
 * Metrics of rows, in ticks: `k` lines of 64 bytes are read, written, or half of them read and half
 * written, by accesses of `n` bytes each, one after the other through an array of `bytes` bytes.
 * CORE_CLOCK_BANDWIDTH stands beside them.
 */
#define CACHE_BANDWIDTH_READ "read"
#define CACHE_BANDWIDTH_WRITE "write"
#define CACHE_BANDWIDTH_COPY "copy"

/* Metric of a row without samples: its unit is the reason why the above are missing. */
#define CACHE_BANDWIDTH_MISSING "bandwidth"

/* Concludes a verdict in bytes a cycle from the rows of that metric and of sizes `small` to
 * `large`. Skips it if there are not two sizes; `doubt`: what speaks against the level. If two
 * sizes of memory disagree, a cache may have a part in both: it is at most that of the larger. */
void cache_bandwidth_judge(const struct table *table, const char *metric, uint64_t small,
                           uint64_t large, bool is_memory, enum reason doubt,
                           struct verdict *verdict);

#endif
