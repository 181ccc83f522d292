/* cache_levels: capacities and latencies of the caches, from latency over array size. */
#ifndef MLPBOOT_EXPERIMENTS_CACHE_LEVELS_H
#define MLPBOOT_EXPERIMENTS_CACHE_LEVELS_H

#include <stdbool.h>

#include "../../data/tables.h"
#include "../../data/verdict.h"

/*
 * Metrics of rows besides `tsc`: ticks of `n` independent accesses to random lines; and one row of
 * a case that was measured on a hypervisor, with its name in place of the unit.
 */
#define CACHE_LEVELS_RANDOM "tsc_random"
#define CACHE_LEVELS_HYPERVISOR "hypervisor"

/* The verdicts of a case, NULL at the end. */
extern const char *const cache_level_verdicts[];

/*
 * Adds l1_bytes to l3_bytes and l1_latency to memory_latency of each case, from one chain (N = 1):
 * a plateau's last size; and its median and spread in ticks, without the sizes close behind the
 * edge.
 *
 * A level is `ok` only if it can hardly be anything else. The sizes start at 8 KB or less. A
 * plateau is an octave long, even, and clearly below the next. Behind the last cache's plateau is
 * memory's: with fewer than four it is open which level the last one is, with more, one of them may
 * be the reach of the TLB. Capacities do not depend on pages: smaller ones must agree with the
 * largest measured, and 4 KB pages alone only show the first level. On a hypervisor the third level
 * needs two page sizes that agree.
 */
void cache_levels_judge(const struct tables *tables, struct verdict_list *verdicts);

/* Adds `l1_bytes` and `l2_bytes` of one case, by its own rows alone. */
void cache_levels_judge_alone(const struct table *table, struct verdict_list *verdicts);

/* Neighbouring measured sizes that a plateau ends between. */
struct cache_level_gap {
    uint64_t low, high;
};

/* Finds the first plateau's end not known to a quarter; rows in any order. False: there is none. */
bool cache_levels_next_gap(const struct table *table, struct cache_level_gap *gap);

/* Returns the largest size, if the last plateau's time needs larger ones; 0: it does not. */
uint64_t cache_levels_end_at(const struct table *table);

#endif
