/* accesses_rule: what mlp says of lines that are prefetched or stored instead of loaded. */
#ifndef MLPBOOT_EXPERIMENTS_ACCESSES_RULE_H
#define MLPBOOT_EXPERIMENTS_ACCESSES_RULE_H

#include "../../data/tables.h"
#include "../../data/verdict.h"
#include "../../lib/text.h"

/* Rows of as many accesses that need no buffer, or one at a time. */
#define ACCESSES_PREFETCH_HITS                                                                     \
    "tsc_prefetch_hits" /* prefetches that hit, and a load that misses                             \
                         */
#define ACCESSES_STORE_HITS                                                                        \
    "tsc_store_filler"                 /* two stores that miss, and between them k that hit */
#define ACCESSES_EMPTY "tsc_empty"     /* none at all, and the fence behind them */
#define ACCESSES_IN_TURN "tsc_in_turn" /* lines written whole one after the other */

/* What could contradict that a jump over N is that of buffers. */
struct access_control {
    const char *metric;
    bool is_of_two; /* two accesses and as many fillers as buffers; else two accesses more */
    const char *doubt;
};

/* What is different from access to access. */
struct access_kind {
    const char *each, *many; /* names of one and of several */
    /* Rows that one has to be slower than, and the doubt where it is not. */
    const char *base_metric;
    const char *base_doubt;
    bool has_fence; /* behind it; so there are rows of that alone */
    struct access_control control;
    const char *one, *buffers; /* methods of one_access and fill_buffers; NULL of loads */
    bool all_arrive;           /* however many there are, so that Little's law holds */
};

extern const struct access_kind access_kinds[ACCESSES];

/* What is compared with a jump behind so many: N and K; `least_k` is that of the curve over N. */
struct access_point {
    int64_t n, k;
};
struct access_point access_control_at(const struct access_control *control, int64_t buffers,
                                      int64_t least_k);

#define ACCESSES_ONE "one_access"

/*
 * Adds the verdicts of a case whose access is none of loads: `one_access`, the time of N = 1;
 * `fill_buffers`, the last N before the fastest samples jump; and of STORE `mlp_sustained`, by
 * Little's law; the others may be given up, or leave faster than they arrive. Pure.
 *
 * Of PREFETCH it counts misses of any kind that are under way beside the load that tells. Stores
 * wait in the store queue until their line is there, which is asked for meanwhile: it is what can
 * be asked for at a time. Lines written past the caches wait in write-combining buffers until they
 * are whole. One more of those than there are has to leave before, in parts, each by itself (Intel
 * Optimization Reference Manual, "Write Combining").
 */
void accesses_judge(const struct table *table, struct verdict_list *verdicts);

#endif
