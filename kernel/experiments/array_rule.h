/* array_rule: capacities and latencies of the caches from latency over array size. */
#ifndef MLPBOOT_EXPERIMENTS_ARRAY_RULE_H
#define MLPBOOT_EXPERIMENTS_ARRAY_RULE_H

#include <stdbool.h>

#include "../data/tables.h"
#include "../data/verdict.h"
#include "../lib/text.h"

extern const char *const array_verdict_names[];

/*
 * Adds for each case, from the latencies of one chain (N = 1): l1_bytes, l2_bytes, l3_bytes, each
 * the last size of a plateau (low) before the next size measured (high); l1_latency to
 * memory_latency in ticks, a plateau's median between its deciles, without what is close behind the
 * edge. Pure.
 *
 * A level is `ok` only where it cannot well be something else. The sizes start at 8 KB or less. A
 * plateau is an octave long, even, and clearly below the next. Behind the last there is a plateau
 * of the memory's: with fewer than four it is open which level the last one is, with more one of
 * them may be the reach of the TLB. Capacities do not depend on pages: smaller ones must agree with
 * the largest measured, and 4 KB pages alone only show the first level.
 */
void array_compare(const struct tables *tables, struct verdict_list *verdicts);

/* Sizes between which a plateau ends. */
struct array_gap {
    uint64_t low, high; /* measured; nothing in between is */
};

/*
 * What to measure more closely: the first plateau's end that is not known to a quarter of itself.
 * The rows may be in any order. False: there is none.
 */
bool array_next_gap(const struct table *table, struct array_gap *gap);

/* As experiment.h says: ticks per load, sizes down and N across, and the curve of N = 1. */
void array_show(const struct table *table, struct text *text);

#endif
