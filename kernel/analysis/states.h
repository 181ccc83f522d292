/* states: whether the core is whole or shared, from the times of a fixed block. */
#ifndef MLPBOOT_ANALYSIS_STATES_H
#define MLPBOOT_ANALYSIS_STATES_H

#include <stdbool.h>
#include <stdint.h>

#include "../data/point.h"

#define STATES_BINS 1024
#define STATES_CHAINS 31

/*
 * All that was seen of the block in a run. Starts as zeroes but for `published`.
 *
 * A core that is not shared does the block at one pace; a sibling thread makes it anything up to
 * twice as slow, by what it happens to do. So the fastest pace that comes again and again is that
 * of the whole core, whatever processor it is: the second percentile of all. Where it is known what
 * the processor can do, `published`, and nothing came near it, the core was shared all the time.
 */
struct states {
    double published; /* cycles of the block on the whole core; 0: not known */
    uint32_t bin[STATES_BINS];
    uint64_t blocks, faster;     /* all, and those in bins below the fastest that counts */
    uint32_t fastest;            /* that bin */
    double chain[STATES_CHAINS]; /* ticks of the latest ones, in a ring */
    uint32_t chains;
    double cycle;                 /* in ticks, by their median */
    uint32_t visits[CORE_STATES]; /* so many were each */
};

/* A chain of additions took so many ticks: a core cycle each. */
void states_add_chain(struct states *states, double ticks_a_cycle);

/* Ticks in core cycles by the latest chains' median; 0 before the first. */
double states_cycles(const struct states *states, double ticks);

/* The block took so many cycles. */
void states_add_block(struct states *states, double cycles);

/* Up to so many cycles the block had the core to itself; 0 before the first. */
double states_limit(const struct states *states);

/* The state of a visit, and counts it: `count` blocks before it took these cycles, and as many
 * after it, both sorted. At least one. */
enum core_state states_of_visit(struct states *states, const double *before, const double *after,
                                unsigned count);

/* Of all visits, 0 to 1; NAN before the first. */
double states_share(const struct states *states, enum core_state state);

/* Whether fewer than a tenth of the visits were in a state: it is not worth waiting for, and what
 * seems to be the whole core may be one whose sibling did little by chance. */
bool states_are_rare(const struct states *states, enum core_state state);

/* Whether what is called whole is known to be. */
bool states_are_known(const struct states *states);

#endif
