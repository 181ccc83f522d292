/* states: tells whether the core is whole or shared by the times of a fixed block. */
#ifndef MLPBOOT_ANALYSIS_STATES_H
#define MLPBOOT_ANALYSIS_STATES_H

#include <stdbool.h>
#include <stdint.h>

#include "../data/point.h"

#define STATES_BINS 1024
#define STATES_CHAINS 31
#define STATES_PACE_OFF 1.2 /* times the published time of a block: more is no whole core's */

/*
 * All times of the block in a run, and what pairs of loads showed. Starts as zeroes except for
 * `published`, `is_alone`, `step` and `reach`.
 *
 * The whole core runs the block at one pace; a busy sibling thread makes it up to twice as slow. So
 * on any processor the fastest pace that comes again and again is the whole core's: the second
 * percentile of all. If the processor's pace is known, `published`, and no block came near it, the
 * core was shared all the time.
 *
 * A sibling that only waits for memory leaves the block alone, and still takes half of the reorder
 * buffer. So there is a second look: two loads that miss, with so many fillers between them that
 * both are in flight in the whole core and not in half of it. `reach` is the most fillers with
 * which any search found both in flight; at first the published entries of the reorder buffer,
 * without which a sibling that never sleeps passes for half a core (one in 300 modelled cores, and
 * a Zen 5 guest for ten seconds: 222 entries).
 */
struct states {
    double published; /* cycles of the block on the whole core; 0: not known */
    bool is_alone;    /* no other thread can have had a part of the core */
    double step;      /* of the clock, in ticks; 0: not known, or it does not matter */
    uint32_t bin[STATES_BINS];
    uint64_t blocks, faster;     /* all, and those in bins below `fastest` */
    uint32_t fastest;            /* the fastest bin that counts */
    double chain[STATES_CHAINS]; /* ticks a cycle of the latest chains, in a ring */
    uint32_t chains;
    double cycle;                 /* their median */
    double was_off;               /* the last chain, if it was off that: the clock may move */
    uint32_t visits[CORE_STATES]; /* how many had each state, */
    uint32_t pairs[CORE_STATES];  /* and each by the second look alone */
    uint32_t reach, candidate;    /* fillers; and those of the last search that found more */
};

/* Adds a chain of additions of so many core cycles. Two that agree, and are off all before them,
 * show that the clock has moved: only they count from then on. */
void states_add_chain(struct states *states, double ticks, unsigned cycles);

/* Returns ticks in core cycles, by the latest chains' median; 0 before the first. */
double states_cycles(const struct states *states, double ticks);

/* Adds a time of the block. */
void states_add_block(struct states *states, double cycles);

/* Returns the most cycles of a block that had the core to itself, read from a clock whose steps may
 * cut off nearly one of another block's time; 0 before the first. */
double states_limit(const struct states *states);

/* Adds what a search found: the most fillers with which two loads were in flight side by side.
 * Two searches that found more than `reach`, and agree, raise it; visits are then counted anew. */
void states_add_reach(struct states *states, uint32_t fillers);

/* Returns the fillers of the second look, 0.6 of the reach; 0: it is not known yet. */
uint32_t states_fillers(const struct states *states);

/* The second look's answer. */
enum pair_answer { PAIR_UNKNOWN, PAIR_SIDE_BY_SIDE, PAIR_IN_TURN };

/* The looks before a visit, or after it: sorted cycles of `count` >= 1 blocks, and the second. */
struct state_look {
    const double *cycles;
    unsigned count;
    enum pair_answer pair;
};

/* Counts a visit and returns its state: whole if both kinds of looks say so, before it and after
 * it; shared if second looks say so of both moments. A slow block beside a whole reorder buffer is
 * neither: something else than a sibling slowed it; unless blocks were never as fast as is
 * published, since then the reach was found in half a core. If second looks are unknown, the
 * sentinel decides alone. */
enum core_state states_of_visit(struct states *states, struct state_look before,
                                struct state_look after);

/* Returns the state that one look shows, and counts nothing. */
enum core_state states_of_look(const struct states *states, struct state_look look);

/* Returns a state's share of all visits, 0 to 1; NAN before the first. */
double states_share(const struct states *states, enum core_state state);

/* True if fewer than a tenth of the visits had this state: it is not worth waiting for, and a
 * seemingly whole core may be one whose sibling did little by chance. */
bool states_are_rare(const struct states *states, enum core_state state);

/* True if second looks found both states, each in five percent of the visits and in eight: then the
 * one with the larger reach is the whole core. If they found only one state, it may be either. */
bool states_both_were_seen(const struct states *states);

#endif
