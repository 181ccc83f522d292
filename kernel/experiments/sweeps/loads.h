/* loads: cases of loads at random lines, which mlp, structures, tlb, numa and smt share. */
#ifndef MLPBOOT_EXPERIMENTS_LOADS_H
#define MLPBOOT_EXPERIMENTS_LOADS_H

#include "../../engine/edge.h"
#include "../../engine/engine.h"
#include "../../probe/load_sampler.h"
#include "../settings.h"

/* The search's findings about a case's limits, from the whole core's rows, or the shared core's. */
struct loads_search {
    struct edge edge; /* the jump of N = 2 over K */
    uint8_t epochs;   /* later looks at it, apart in time */
    /* How often zeroed registers, many loads, and loads behind a store were asked for. */
    uint8_t compared, many, behind;
};

/* One case: where its loads fall, and what stands between them. */
struct loads_case {
    uint32_t number; /* in the measurement */
    struct load_sampler sampler;
    enum filler filler;
    enum data_state data;
    enum tlb_state tlb;
    bool finds_limits;             /* see loads_find_limits */
    int64_t most_dense;            /* every N from the first list's on is measured up to here */
    struct loads_search search[2]; /* by whether the rows are of the shared core */
};

/* All cases of an experiment, measured in the same rounds by engine_run. */
struct loads {
    struct measurement *m;
    struct task task;
    uint64_t least_k;
    enum filler nops; /* of tables of N by K */
};

/* Starts without cases. `refines`: adds points of N = 2 until its jump is placed to one filler. */
void loads_start(struct loads *loads, struct measurement *m, bool refines);

/* Adds a case named by setting->variant, whose access, order and dependence are the probe's; it
 * gets a window, new or mapped already. NULL: the setting or the platform refuses it. */
struct loads_case *loads_add_case(struct loads *loads, const struct setting *setting,
                                  const struct load_conditions *conditions, enum filler filler);

/* Adds a case for each filler, of two loads with K of them between, where a warm TLB costs nothing.
 * Beside a sibling small K are twice as dense, since half a structure is small, and others thinner.
 */
void loads_add_structures(struct loads *loads);

/* Adds a case named by setting->variant that is the first row and the first column of mlp's table:
 * each N with the smallest K, and N = 2 with each K, beside a sibling as above; it finds limits.
 * NULL: it cannot be had. */
struct loads_case *loads_add_cross(struct loads *loads, const struct setting *setting);

/*
 * Before the points of a case that is a table of N by K: what limits the loads is searched for.
 * zeroed registers are compared with NOPs; N with the smallest K is extended until the
 * fastest samples jump, and beyond. Adds what one access is compared with.
 */
void loads_find_limits(struct loads *loads, struct loads_case *c);

/* Adds a point of N loads with K fillers. */
void loads_add_point(struct loads *loads, const struct loads_case *c, uint64_t n, uint64_t k);

/* Every N with every K, of which N with the smallest K, and K with N = 2, are counted as well. */
void loads_add_table(struct loads *loads, const struct loads_case *c, const struct config_list *n,
                     const uint64_t *k, uint32_t k_count);

/* One load in each part of the window, where that has 4 KB pages to a part: whether the place in
 * memory matters. */
void loads_add_places(struct loads *loads, const struct loads_case *c);

/* The slowest of LOADS_TO_P99 and of LOADS_TO_P999 loads: no emulator has such a tail. */
void loads_add_tail(struct loads *loads, const struct loads_case *c);

/* A point that is measured in every epoch: how far times move by themselves. */
void loads_add_reference(struct loads *loads, const struct loads_case *c, uint64_t n, uint64_t k);

/* Returns as many loads as a search takes if 4 KB are enough for each; else those configured. */
uint64_t loads_most(const struct setting *setting, uint64_t configured);

/* Returns how long an experiment takes that measures so many seconds: with the looks at its jumps
 * that are apart in time. */
double loads_seconds(double measured);

#endif
