/* accesses_rule: the verdicts of mlp on lines that are prefetched or stored instead of loaded. */
#ifndef MLPBOOT_EXPERIMENTS_ACCESSES_RULE_H
#define MLPBOOT_EXPERIMENTS_ACCESSES_RULE_H

#include "../answer.h"

/* Metrics of rows of as many accesses that need no buffer, or one at a time: */
#define ACCESSES_PREFETCH_HITS "tsc_prefetch_hits" /* that hit, and a load that misses */
#define ACCESSES_STORE_HITS "tsc_store_filler"     /* K stores that hit between two that miss */
#define ACCESSES_EMPTY "tsc_empty"                 /* no access, and the fence behind it */
#define ACCESSES_IN_TURN "tsc_in_turn"             /* lines written whole, one after the other */

/* A comparison that could contradict that a jump over N is that of buffers. */
struct access_control {
    const char *metric;
    bool is_of_two; /* two accesses and as many fillers as buffers; else two accesses more */
    enum reason doubt;
};

struct access_kind {
    const char *each, *many; /* names of one and of several */
    const char *base_metric; /* of rows that one access has to be slower than */
    bool has_fence;          /* behind it; so there are rows of that alone */
    struct access_control control;
    const char *one, *buffers; /* methods of one_access and fill_buffers; NULL of loads */
    bool all_arrive;           /* however many there are, so that Little's law holds */
};

extern const struct access_kind access_kinds[ACCESSES];

/* Returns the N and K to compare with a jump behind so many; `least_k`: of the curve over N. */
struct access_point {
    int64_t n, k;
};
struct access_point access_control_at(const struct access_control *control, int64_t buffers,
                                      int64_t least_k);

/* Answers to a case of no loads. */
extern const struct question accesses_questions[];
void accesses_judge(const struct evidence *evidence);

#endif
