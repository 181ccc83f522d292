/* levels: capacities and latencies of the caches from latency over array size. */
#ifndef MLPBOOT_ANALYSIS_LEVELS_H
#define MLPBOOT_ANALYSIS_LEVELS_H

#include <stdbool.h>

#include "../data/row.h"
#include "../data/verdict.h"

extern const char *const levels_verdict_names[];

/*
 * Adds for each case, from the latencies of one chain (N = 1): l1_bytes, l2_bytes, l3_bytes, each
 * the last size of a plateau (low) before the next size measured (high); l1_latency to
 * memory_latency in ticks, a plateau's median between its deciles, without what is close behind the
 * edge. `rows` are all rows of the experiment, each case's together. Pure.
 *
 * A level is `ok` only where it cannot well be something else. The sizes start at 8 KB or less. A
 * plateau is an octave long, even, and clearly below the next. Behind the last there is a plateau
 * of the memory's: with fewer than four it is open which level the last one is, with more one of
 * them may be the reach of the TLB. Capacities do not depend on pages: smaller ones must agree with
 * the largest measured, and 4 KB pages alone only show the first level.
 */
void levels_compare(const struct row *rows, size_t count, struct verdict_list *verdicts);

/* Sizes between which a plateau ends. */
struct levels_gap {
    uint64_t low, high; /* measured; nothing in between is */
};

/*
 * What to measure more closely: the first plateau's end that is not known to a quarter of itself.
 * `rows` of one case. False: there is none.
 */
bool levels_next_gap(const struct row *rows, size_t count, struct levels_gap *gap);

#endif
