/* cache_overlap_rule: how many independent loads of one level are under way at once. */
#ifndef MLPBOOT_EXPERIMENTS_CACHE_OVERLAP_RULE_H
#define MLPBOOT_EXPERIMENTS_CACHE_OVERLAP_RULE_H

#include "../answer.h"

/* Concludes a verdict in loads from the rows of random lines of arrays of `small` to `large` bytes,
 * which the level holds and `before`, the bytes of the caches before it, does not. `is_first`:
 * those are the first level, whose hits need no buffer. `latency`: of the level, in ticks, which
 * this verdict leans on; NULL: that of a chain through the same array, walks included. `cycles`:
 * the same in core cycles, which hold where the clock changes from array to array; NULL or no
 * value: ticks are compared. `doubt`: what speaks against the level. Skips it if no two such arrays
 * were measured. */
void cache_overlap_judge(const struct table *table, struct interval before, bool is_first,
                         uint64_t small, uint64_t large, const struct verdict *latency,
                         const struct verdict *cycles, enum reason doubt, struct verdict *verdict);

/* Concludes a verdict in lines by Little's law: `cycles` of a line's latency times `rate`, bytes a
 * cycle that are read in order. It leans on both. */
void cache_stream_judge(const struct verdict *cycles, const struct verdict *rate,
                        struct verdict *verdict);

#endif
