/* states: tells whether the core is whole or shared by the times of a fixed block. */
#ifndef MLPBOOT_ANALYSIS_STATES_H
#define MLPBOOT_ANALYSIS_STATES_H

#include <stdbool.h>
#include <stdint.h>

#include "../data/point.h"

#define STATES_BINS 1024
#define STATES_CHAINS 31

/*
 * All times of the block in a run. Starts as zeroes except for `published`.
 *
 * The whole core runs the block at one pace; a busy sibling thread makes it up to twice as slow. So
 * on any processor the fastest pace that comes again and again is the whole core's: the second
 * percentile of all. If the processor's pace is known, `published`, and no block came near it, the
 * core was shared all the time.
 */
struct states {
    double published; /* cycles of the block on the whole core; 0: not known */
    uint32_t bin[STATES_BINS];
    uint64_t blocks, faster;     /* all, and those in bins below `fastest` */
    uint32_t fastest;            /* the fastest bin that counts */
    double chain[STATES_CHAINS]; /* ticks a cycle of the latest chains, in a ring */
    uint32_t chains;
    double cycle;                 /* their median */
    uint32_t visits[CORE_STATES]; /* how many had each state */
};

/* Adds a chain of additions, each of one core cycle. */
void states_add_chain(struct states *states, double ticks_a_cycle);

/* Returns ticks in core cycles, by the latest chains' median; 0 before the first. */
double states_cycles(const struct states *states, double ticks);

/* Adds a time of the block. */
void states_add_block(struct states *states, double cycles);

/* Returns the most cycles of a block that had the core to itself; 0 before the first. */
double states_limit(const struct states *states);

/* Counts a visit and returns its state. `before`, `after`: sorted cycles of `count` >= 1 blocks. */
enum core_state states_of_visit(struct states *states, const double *before, const double *after,
                                unsigned count);

/* Returns a state's share of all visits, 0 to 1; NAN before the first. */
double states_share(const struct states *states, enum core_state state);

/* True if fewer than a tenth of the visits had this state: it is not worth waiting for, and a
 * seemingly whole core may be one whose sibling did little by chance. */
bool states_are_rare(const struct states *states, enum core_state state);

/* True if the fastest pace is known to be the whole core's. */
bool states_are_known(const struct states *states);

#endif
