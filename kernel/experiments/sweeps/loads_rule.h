/* loads_rule: what all experiments with N loads and K fillers read off their tables. */
#ifndef MLPBOOT_EXPERIMENTS_LOADS_RULE_H
#define MLPBOOT_EXPERIMENTS_LOADS_RULE_H

#include "../../analysis/cliff.h"
#include "../answer.h"

/* Metrics of rows beside the table's `tsc`: */
#define LOADS_AGAIN "tsc_again" /* measured before, some rounds later: around both jumps */
#define LOADS_ZEROES "tsc_zero" /* K zeroed registers between two loads, around the jump */
#define LOADS_MANY "tsc_many"   /* two to four times as many loads as there are buffers */
/* Two loads, and K of the first one's line between them: */
#define LOADS_SAME_LINE "tsc_same_line"
#define LOADS_CACHED FACTS_CACHED
#define LOADS_PLACE "tsc_place" /* one load in parts of the memory, numbered by `stage` */

/* N loads, and behind the first of them a store whose address needs it, or is known: */
#define LOADS_STORE_WAITS "tsc_store_waits"
#define LOADS_STORE_KNOWN "tsc_store_known"
/* A sample is the slowest of `stage` single loads, from memory; or that hit caches and TLB: */
#define LOADS_SLOWEST "tsc_slowest"
#define LOADS_SLOWEST_CACHED "tsc_slowest_cached"

/* The slowest of so many is as often above as below a percentile: 0.99^69 = 0.999^690 = 1/2. */
#define LOADS_TO_P99 69
#define LOADS_TO_P999 690
#define LOADS_AT_A_TIME (LOADS_TO_P99 / 3) /* of them in a visit to the sampler */

#define LOADS_WIDEST_JUMP 1 /* N or K: jumps no farther apart are one, by other samples, too */

/* Finds the jump of N = 2 over K, where the second load no longer fits beside the first; `beyond`:
 * the time of two serialized loads. Its interval reaches to where the fast and the slow samples
 * jump, to where later looks leave it, and to where earlier attempts placed it to one filler. */
void loads_cliff(const struct table *table, struct cliff *cliff);

/* Finds it by fewer points, without interval, to choose the next points. */
void loads_locate(const struct table *table, struct cliff *cliff);

/* True if the median of N = 2 rises by half or more from the least K to the next, and so does that
 * of the most K: no line can be fitted before such a jump. Sets these two K. */
bool loads_jump_at_once(const struct table *table, int64_t *least, int64_t *next);

/* True if there is a jump to answer from; if not, concludes the verdict with the reason. */
bool loads_have_cliff(const struct table *table, const struct cliff *cliff,
                      struct verdict *verdict);

/* Names a row's center: the median, or the middle between a clock's steps. */
const char *loads_center_name(const struct row *row);

/* Skips a verdict for what was not measured, and because of a sibling thread if that was so. */
void loads_skip_missing(const struct table *table, const char *missing, struct verdict *verdict);

/* Returns how far a jump at that K may move from one moment to another and is still an answer, with
 * the interval that is due: fillers. */
int64_t loads_slack(int64_t k);

/* True if later looks of the last attempt find a K farther away than that on the other side of the
 * jump. */
bool loads_again_disagree(const struct table *table, const struct cliff *cliff);

/* Returns why the jump may not be where it seems. */
enum reason loads_cliff_doubt(const struct table *table, const struct cliff *cliff);

/* Returns the doubt where zeroed registers do not jump where NOPs do, to one entry: a core may pack
 * several NOPs into one entry of the reorder buffer. */
enum reason loads_zeroes_doubt(const struct table *table, const struct cliff *cliff);

/* The last N before the fastest samples jump, since one load more has to wait for a buffer. */
struct loads_buffers {
    size_t points; /* values of N */
    int64_t largest_n;
    int64_t last, next; /* before the jump of the first percentile, and beyond; 0: no jump */
    int64_t low, high;  /* of `last`, by the first decile, too */
    double before;      /* ticks of the fastest samples before the jump in later looks, */
    double rise;        /* and by how much they rise there again; 0: they do not */
    bool is_steep;      /* by more than half of a load's time: a load that waits for a buffer waits
                           for most of another load; one that waits for a walker, for a walk */
    bool is_one;        /* no jump, but two loads take half as long again as one, or more */
    bool has_risen;     /* the most loads measured take as long as two serialized ones */
    bool may_follow;    /* there is no jump yet, and the most loads measured are faster than two
                           serialized ones; of other accesses, there is no jump */
};
void loads_find_buffers(const struct table *table, struct loads_buffers *buffers);

/* Returns the first row of a metric whose N and K are no farther away than a jump may be wide;
 * NULL: none. Each core state has its own jump; both tables hold the rows compared with either. */
const struct row *loads_find_near(const struct table *table, const char *metric, int64_t n,
                                  int64_t k);

/* Returns why the jump of a case with 4 KB pages may be that of walks. */
enum reason loads_walks_doubt(const struct table *table, const struct loads_buffers *buffers);

/* True if as many loads of one line keep another miss waiting: the load queue ends no later than
 * the fill buffers, of which these need but one. */
bool loads_fill_queue(const struct table *table, const struct loads_buffers *buffers,
                      const struct cliff *cliff);

/* Returns why that many loads need not be the fill buffers. */
enum reason loads_buffers_doubt(const struct table *table, const struct loads_buffers *buffers,
                                const struct cliff *cliff);

/* Concludes fill_buffers, by `method`; `doubt` counts where there is a jump, and then what the
 * clock and the case without prefetchers say. */
void loads_conclude_buffers(const struct evidence *evidence, const struct loads_buffers *buffers,
                            enum reason doubt, const char *method, struct verdict *verdict);

/* Tells by how much time rises with each of many loads. False: there are not two such rows. */
bool loads_slope(const struct table *table, const struct loads_buffers *buffers,
                 struct interval *slope);

/* Concludes mlp_sustained by Little's law: the latency over the time from one arrival to the next.
 * `each` and `many` name what arrives, `how` says how the latency is known. */
void loads_conclude_sustained(struct interval latency, struct interval slope, const char *each,
                              const char *many, const char *how, struct verdict *verdict);

/* Returns why the time of one access is not known to be that of memory, or is not known within
 * PRECISE_WITHIN; `metric`: of what is faster. */
enum reason loads_one_doubt(const struct table *table, const char *metric, struct interval one);

/* The loads that take as long behind a store whose address waits for the first of them as behind
 * one whose address is known; 0: none. */
struct loads_behind {
    int64_t passed, waited; /* the most N that do, and the fewest that take half a load longer */
    bool is_unclear;        /* some N may do either */
};
void loads_find_behind(const struct table *table, struct loads_behind *behind);

/* Tells the standard deviation of LOADS_PLACE's centres, with interval. False: fewer than 2. */
bool loads_find_places(const struct table *table, struct interval *spread);

#endif
