/* reach_rule: capacities, costs and ways of the TLB's levels, from chains through N pages. */
#ifndef MLPBOOT_EXPERIMENTS_REACH_RULE_H
#define MLPBOOT_EXPERIMENTS_REACH_RULE_H

#include "../data/tables.h"
#include "../data/verdict.h"

/* The pattern of these cases of experiment tlb: "chain-4k". What a TLB's entries cover is its
 * reach. */
#define REACH_PATTERN "chain"

/*
 * Metrics of their rows, in ticks. A sample is k loads, each from where the one before points to:
 * n lines in random order, round and round. `bytes`: addresses from a page to the next; `stage`:
 * the attempt, from 0 on.
 */
#define REACH_CHAIN "chain"        /* a line of each of n pages */
#define REACH_AGAIN "chain_again"  /* the same, at both ends of a bracket, some rounds later */
#define REACH_DENSE "chain_dense"  /* n lines side by side, in few pages: what the caches take */
#define REACH_PIECES "chain_piece" /* a line of each of n pieces of 4 KB of few large pages */
#define REACH_ADDITIONS "additions" /* k dependent additions, a core cycle each */

#endif
