/* tlb_capacity_rule: capacities, costs and ways of TLB levels, by chains through N pages. */
#ifndef MLPBOOT_EXPERIMENTS_TLB_CAPACITY_RULE_H
#define MLPBOOT_EXPERIMENTS_TLB_CAPACITY_RULE_H

#include "../../engine/edge.h"
#include "../answer.h"

/* The pattern of these cases of experiment tlb: "chain-4k". */
#define CAPACITY_PATTERN "chain"

/*
 * Metrics of their rows, in ticks. A sample is a pointer chase of k loads, round and round through
 * n lines in random order. `bytes`: the distance of neighbouring pages.
 */
#define CAPACITY_CHAIN "chain"       /* one line in each of n pages */
#define CAPACITY_AGAIN "chain_again" /* the same at both ends of a bracket, some rounds later */
#define CAPACITY_DENSE "chain_dense" /* n neighbouring lines in few pages: the caches' time */

enum { CAPACITY_DTLB, CAPACITY_STLB, CAPACITY_LEVELS };

/* The end of a level of the TLB. Times are ticks of a load, less the caches' time. */
struct capacity_level {
    bool found;
    int64_t last_low, first_high; /* neighbouring N around the end */
    double base, rise;            /* the level's time, and how much longer the next level takes */
    double error;                 /* of the rise: 95 % to either side */
    double above, spread;         /* time at last_low above the base; deviation of all points */
    double approach;              /* time at last_low above that of the N before at its pace, */
    double departure;             /* and of the next N above it, */
    double next;                  /* which is so much above the base, at last_low's pace */
    double threshold;             /* a time this far above the base has left the level */
    double half;                  /* N with half of the rise, */
    double leap;                  /* and what the time rises to it from the N before */
};

/* All that the curve of neighbouring pages of one case says. */
struct capacity {
    size_t points;         /* values of N */
    int64_t largest;       /* the largest N; -1: absent */
    uint64_t attempt;      /* it is from */
    struct interval cycle; /* ticks of a core cycle; value 0: unknown */
    double hit;            /* ticks of a hit in the first level, the timer's share included */
    struct capacity_level level[CAPACITY_LEVELS];
    double hidden; /* ticks: the most that misses of a level before the first's end may cost */
};

void capacity_find(const struct table *table, struct capacity *capacity);

/* True if the time rises within a few N, as where pages compete for sets: the end is exact. */
bool capacity_is_hard(const struct capacity_level *level);

/* Returns what later looks at both ends of a level's bracket say. */
enum edge_later capacity_later(const struct table *table, const struct capacity *capacity,
                               unsigned level);

/* Finds the neighbouring N around where pages `bytes` apart leave a level. False: they do not. */
bool capacity_find_apart(const struct table *table, const struct capacity *capacity, int64_t bytes,
                         unsigned level, int64_t *last_low, int64_t *first_high);

/* Judges the cases of chains. */
extern const struct question capacity_questions[];
void capacity_judge(const struct evidence *evidence);

/* True for the cases above. */
bool capacity_is_case(const struct variant *variant);

#endif
