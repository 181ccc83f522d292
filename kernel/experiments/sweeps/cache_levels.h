/* cache_levels: capacities and latencies of the caches, from latency over array size. */
#ifndef MLPBOOT_EXPERIMENTS_CACHE_LEVELS_H
#define MLPBOOT_EXPERIMENTS_CACHE_LEVELS_H

#include <stdbool.h>

#include "../answer.h"

#define CACHE_LEVELS_MAX FACTS_CACHES /* memory is behind them */

/*
 * A metric of rows besides `tsc`, CORE_CLOCK and those of the bandwidth, of array size `bytes`:
 * ticks of `n` independent accesses to random lines.
 */
#define CACHE_LEVELS_RANDOM "tsc_random"

/* Another, of one chain like `tsc`: lines of few pages in turn (probe/cycle.h). */
#define CACHE_LEVELS_PAGED "tsc_paged"

/* The pattern of arrays of many sizes beside a sibling's work. */
#define CACHE_LEVELS_CHAIN "chain"

extern const struct question cache_level_questions[], cache_overlap_questions[];

/*
 * Adds the answers of each level of each case, from one chain (N = 1), and the bandwidth.
 *
 * A level is `ok` only if it can hardly be anything else. The sizes start at 8 KB or less. A
 * plateau is an octave long, even, and clearly below the next. Behind the last cache's plateau is
 * memory's, if the sizes go on far enough. How many caches there are the curve says; CPUID may
 * contradict it. Capacities do not depend on pages: smaller ones must agree with the largest
 * measured, and 4 KB pages alone only show the first level. On a hypervisor the last of three
 * caches needs two page sizes that agree, and a size that CPUID does not contradict.
 */
void cache_levels_judge(const struct evidence *evidence);

/* Adds `l1_bytes` and `l2_bytes` of one case, by its own rows alone. */
void cache_levels_judge_alone(const struct evidence *evidence);

/* Says which sizes an array still has to measure. */
struct cache_levels_plan {
    /* Neighbouring sizes around the first plateau's end, or step inside a plateau, that is not
     * known to a quarter; 0: all are known. */
    struct cache_level_gap {
        uint64_t low, high;
    } gap;
    /* A size to go on with, since the last plateau's time needs larger ones, a cache may hide
     * behind it, or memory has no sizes; 0: none. */
    uint64_t larger;
    unsigned levels; /* caches and memory; 0: no level was found */
    /* For each of those two sizes of arrays, multiples of 4 KB, that the level holds and the one
     * before it does not; 0: there is no room. */
    struct cache_level_sizes {
        uint64_t small, large;
    } sizes[CACHE_LEVELS_MAX + 1];
};
void cache_levels_plan(const struct table *table, const struct facts *facts,
                       struct cache_levels_plan *plan);

#endif
