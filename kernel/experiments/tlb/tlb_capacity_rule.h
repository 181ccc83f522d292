/* reach_rule: capacities, costs and ways of the TLB's levels, from chains through N pages. */
#ifndef MLPBOOT_EXPERIMENTS_REACH_RULE_H
#define MLPBOOT_EXPERIMENTS_REACH_RULE_H

#include "../../data/tables.h"
#include "../../data/verdict.h"

/* The pattern of these cases of experiment tlb: "chain-4k". What a TLB's entries cover is its
 * reach. */
#define REACH_PATTERN "chain"

/*
 * Metrics of their rows, in ticks. A sample is k loads, each from where the one before points to:
 * n lines in random order, round and round. `bytes`: addresses from a page to the next.
 */
#define REACH_CHAIN "chain"         /* a line of each of n pages */
#define REACH_AGAIN "chain_again"   /* the same, at both ends of a bracket, some rounds later */
#define REACH_DENSE "chain_dense"   /* n lines side by side, in few pages: what the caches take */
#define REACH_PIECES "chain_piece"  /* a line of each of n pieces of 4 KB of one large page */
#define REACH_ADDITIONS "additions" /* k additions, each of which waits for the one before */

/* Which level of the TLB ends. */
enum { REACH_DTLB, REACH_STLB, REACH_LEVELS };

/* Where N no longer fits into a level. Times are ticks of a load, less what the caches take. */
struct reach_level {
    bool found;
    int64_t last_low, first_high; /* neighbouring N around where the time leaves its level */
    double base, rise;            /* the time before, and by how much it is longer beyond */
    double error;                 /* of the rise: 95 % to either side */
    double above, spread;         /* of the last one within; of all of them, a deviation */
    double threshold;             /* what a time has to be above the base to have left it */
    double half;                  /* N where half of the rise is reached */
};

#define REACH_ATTEMPTS_MAX 3

/* All that one case's curve of pages side by side says. */
struct reach {
    size_t points;        /* values of N */
    int64_t largest;      /* of them; -1: none */
    uint64_t attempt;     /* it is from */
    double ticks_a_cycle; /* of the core; 0: not known, */
    double cycle_error;   /* and 95 % to either side */
    struct reach_level level[REACH_LEVELS];
};

void reach_find(const struct table *table, struct reach *reach);

/* Whether the time rises within a few N of a level's end, as where pages take turns in sets of
 * entries: the end is then placed to one N. Where it does not, only about. */
bool reach_is_hard(const struct reach_level *level);

/* Whether the ends of the level's bracket were looked at once more, and whether what was on one
 * side was on the other then. */
bool reach_was_seen(const struct table *table, const struct reach *reach, unsigned level);
bool reach_was_other(const struct table *table, const struct reach *reach, unsigned level);

/* The neighbouring N around where pages so many bytes apart leave a level. False: they do not. */
bool reach_find_apart(const struct table *table, const struct reach *reach, int64_t bytes,
                      unsigned level, int64_t *last_low, int64_t *first_high);

/* As struct rule has them. */
void reach_judge(const struct table *table, struct verdict_list *verdicts);
bool reach_gives(const struct variant *of, const char *name);

/* Whether a case is one of these. */
bool reach_is(const struct variant *of);

#endif
