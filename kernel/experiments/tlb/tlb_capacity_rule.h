/* capacity_rule: capacities, costs and ways of the TLB's levels, from chains through N pages. */
#ifndef MLPBOOT_EXPERIMENTS_TLB_CAPACITY_RULE_H
#define MLPBOOT_EXPERIMENTS_TLB_CAPACITY_RULE_H

#include "../../data/tables.h"
#include "../../data/verdict.h"

/* The pattern of these cases of experiment tlb: "chain-4k". What a TLB's entries cover is its
 * capacity. */
#define CAPACITY_PATTERN "chain"

/*
 * Metrics of their rows, in ticks. A sample is k loads, each from where the one before points to:
 * n lines in random order, round and round. `bytes`: addresses from a page to the next; `stage`: of
 * an attempt that was begun again, even ones of the whole core's table, odd ones of the shared
 * one's.
 */
#define CAPACITY_CHAIN "chain"         /* a line of each of n pages */
#define CAPACITY_AGAIN "chain_again"   /* the same, at both ends of a bracket, some rounds later */
#define CAPACITY_DENSE "chain_dense"   /* n lines side by side, in few pages: what the caches take \
                                        */
#define CAPACITY_PIECES "chain_piece"  /* a line of each of n pieces of 4 KB of one large page */
#define CAPACITY_ADDITIONS "additions" /* k additions, each of which waits for the one before */

/* Which level of the TLB ends. */
enum { CAPACITY_DTLB, CAPACITY_STLB, CAPACITY_LEVELS };

/* Where N no longer fits into a level. Times are ticks of a load, less what the caches take. */
struct capacity_level {
    bool found;
    int64_t last_low, first_high; /* neighbouring N around where the time leaves its level */
    double base, rise;            /* the time before, and by how much it is longer beyond */
    double error;                 /* of the rise: 95 % to either side */
    double above, spread;         /* of the last one within; of all of them, a deviation */
    double threshold;             /* what a time has to be above the base to have left it */
    double half;                  /* N where half of the rise is reached */
};

#define CAPACITY_ATTEMPTS_MAX 3

/* All that one case's curve of pages side by side says. */
struct capacity {
    size_t points;        /* values of N */
    int64_t largest;      /* of them; -1: none */
    int64_t stage;        /* of the attempt it is from; ROW_NONE: the first */
    double ticks_a_cycle; /* of the core; 0: not known, */
    double cycle_error;   /* and 95 % to either side */
    struct capacity_level level[CAPACITY_LEVELS];
};

void capacity_find(const struct table *table, struct capacity *capacity);

/* Whether the time rises within a few N of a level's end, as where pages take turns in sets of
 * entries: the end is then placed to one N. Where it does not, only about. */
bool capacity_is_hard(const struct capacity_level *level);

/* Whether the ends of the level's bracket were looked at once more, and whether what was on one
 * side was on the other then. */
bool capacity_was_seen(const struct table *table, const struct capacity *capacity, unsigned level);
bool capacity_was_other(const struct table *table, const struct capacity *capacity, unsigned level);

/* The neighbouring N around where pages so many bytes apart leave a level. False: they do not. */
bool capacity_find_apart(const struct table *table, const struct capacity *capacity, int64_t bytes,
                         unsigned level, int64_t *last_low, int64_t *first_high);

/* The attempt after that one, of a table. */
int64_t capacity_next_stage(const struct table *table, int64_t stage);

/* As struct rule has them. */
void capacity_judge(const struct table *table, struct verdict_list *verdicts);
bool capacity_gives(const struct variant *of, const char *name);

/* Whether a case is one of these. */
bool capacity_is_case(const struct variant *of);

#endif
