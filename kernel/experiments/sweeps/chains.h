/* chains: one cycle of pointers through an array, and chains that follow it; of array and smt. */
#ifndef MLPBOOT_EXPERIMENTS_CHAINS_H
#define MLPBOOT_EXPERIMENTS_CHAINS_H

#include "../../data/tables.h"
#include "../../engine/task.h"
#include "../../probe/chain_probe.h"
#include "../../probe/cycle.h"

struct chains {
    struct platform *platform;
    bool rdtscp;
    struct cycle cycle; /* started by the user, */
    bool is_built;      /* and so far extended */
    uint64_t place;     /* where in it the next chain begins */
    uint64_t settling;  /* runs that are left of it */
    uint8_t *at[CHAINS_MAX];
};

/* Bytes of an array that is gone through again before each visit: so much of a cache the harness
 * may use up between visits. */
#define CHAINS_REWALKED (256u << 10)

#define CHAINS_BETWEEN 3 /* sizes at a time, in quarters of the way */

/* Returns how many sizes to measure next, and which: within an edge, until its ends are close. */
unsigned chains_next_sizes(const struct table *table, uint64_t bytes[CHAINS_BETWEEN]);

/* The following functions are for inside `quietly`. */

/* Starts a cycle over so many bytes of a window; chains_prepare does the rest. */
void chains_start(struct chains *chains, uint8_t *base, uint64_t bytes);

/* Builds the cycle and then follows all of it, until `end` by the time-stamp
 * counter: the caches then hold what they will hold. True: it is done. */
bool chains_prepare(struct chains *chains, uint64_t end);

/* Follows all of the cycle that was built, from where the last chain ended. */
void chains_walk(struct chains *chains);

/* Samples of so many chains side by side, `steps` loads of each. */
void chains_sample(struct chains *chains, unsigned count, unsigned steps, struct samples *samples);

#endif
