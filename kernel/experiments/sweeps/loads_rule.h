/* loads_rule: what the experiments with N loads and K fillers read off their tables alike. */
#ifndef MLPBOOT_EXPERIMENTS_LOADS_RULE_H
#define MLPBOOT_EXPERIMENTS_LOADS_RULE_H

#include "../../analysis/cliff.h"
#include "../../data/tables.h"
#include "../../data/verdict.h"

/*
 * Where the time of N = 2 jumps over K, since the second load no longer fits beside the first:
 * `beyond` is the time of two loads one after the other. Pure.
 */
void loads_cliff(const struct table *table, struct cliff *cliff);

/* Rows that were measured before, some rounds later: of two loads at both ends of the bracket a
 * jump over K is in, and far from it; and of the loads around a jump over N. */
#define LOADS_AGAIN "tsc_again"

/*
 * Whether those of the last attempt disagree with a jump that was found: what was on one side of it
 * is on the other now.
 */
bool loads_again_disagree(const struct table *table, const struct cliff *cliff);

/* Concludes a verdict by a jump that was found: ok with the method, or doubt with the reason. */
void loads_conclude_cliff(const struct table *table, const struct cliff *cliff,
                          struct verdict *verdict, const char *method);

/* The same from fewer points, and without an interval: for deciding what to measure next. The rows
 * may be in any order. */
void loads_locate(const struct table *table, struct cliff *cliff);

/*
 * Rows of the same loads with NOPs of eight bytes, at some K on either side of a jump that NOPs of
 * one byte have: where several of those share an entry of the reorder buffer, the others jump
 * elsewhere. NULL: they jump there, too; else the doubt. Tables of older versions have no such
 * rows, and no doubt.
 */
#define LOADS_LONG_NOPS "tsc_long_nop"
const char *loads_nops_doubt(const struct table *table, const struct cliff *cliff);

/* The last N before the fastest samples jump, since one load more has to wait for a buffer. */
struct loads_buffers {
    size_t points; /* values of N */
    int64_t largest_n;
    int64_t last, low, high; /* by the first percentile, and by the first decile too; 0: no jump */
    bool may_follow; /* there is none, and the most loads measured are faster than two in turn; of
                        other accesses, there is none */
};

void loads_find_buffers(const struct table *table, struct loads_buffers *buffers);

#define LOADS_WIDEST_JUMP 1 /* N, between the fastest samples and the fast ones */

/* The first row of that metric with samples; NULL: there is none. The second: of those whose N and
 * K are no farther away than a jump may be wide. Where the core has two states, each of them has
 * its own jump, and rows compared with it, in the table of the other one, too. */
const struct row *loads_find(const struct table *table, const char *metric);
const struct row *loads_find_near(const struct table *table, const char *metric, int64_t n,
                                  int64_t k);

/* Whether the rows that look at the loads around it again say so, too. `middle` is half way up what
 * time jumps by there. */
bool loads_jump_again(const struct table *table, const struct loads_buffers *buffers,
                      double *middle);

/* Whether time beyond a jump is above all times before it by as much as a jump has to be: where the
 * fastest samples scatter, it may only rise from the bottom of a dip. */
bool loads_jump_is_above(const struct table *table, const struct loads_buffers *buffers);

/* Rows of many times as many loads: by how much each of them adds. */
#define LOADS_MANY "tsc_many"

/* Concludes fill_buffers: `doubt` is of those that there are, NULL where `method` says what they
 * are. */
void loads_conclude_buffers(const struct loads_buffers *buffers, const char *doubt,
                            const char *method, struct verdict *verdict);

/* By how much the time of those rises with each. False: there are not two such rows. */
bool loads_slope(const struct table *table, const struct loads_buffers *buffers,
                 struct interval *slope);

/* Concludes mlp_sustained by Little's law: what is under way is the latency over the time from one
 * arrival to the next. `each` and `many` say what arrives, `how` how the latency is known. */
void loads_conclude_sustained(const struct interval *latency, const struct interval *slope,
                              const char *each, const char *many, const char *how,
                              struct verdict *verdict);

/*
 * Why those, of which there are some, need not be fill buffers; NULL. Rows of two loads with so
 * many loads between them that hit the caches show whether it is loads of any kind that have to
 * wait.
 */
#define LOADS_HITS "tsc_load_filler"
const char *loads_buffers_doubt(const struct table *table, const struct loads_buffers *buffers,
                                const struct cliff *cliff);

/* Rows of one load that was not evicted before, by the same code. Why the time of one that was need
 * not be that of memory; NULL. */
#define LOADS_CACHED "tsc_cached"
#define LOADS_LEAST_MISS 1.1 /* times that, timer included */
const char *loads_one_doubt(const struct table *table, const struct interval *one);

/* Rows of one load in parts of the memory, numbered by `stage`. By how much their centres differ,
 * as a standard deviation with its interval. False: there are not two of them. */
#define LOADS_PLACE "tsc_place"
bool loads_find_places(const struct table *table, struct interval *spread);

/* Whether there is a jump to answer from; where not, concludes the verdict with the reason. */
bool loads_have_cliff(const struct cliff *cliff, struct verdict *verdict);

#endif
