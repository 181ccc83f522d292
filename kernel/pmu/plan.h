/* plan: a pass checked against the unit, as the values that go into its registers. */
#ifndef MLPBOOT_PMU_PLAN_H
#define MLPBOOT_PMU_PLAN_H

#include "unit.h"

/* One counter of a pass. */
struct counter_use {
    const struct event *event;
    uint8_t counter; /* numbered as in unit.h */
    bool merged;     /* AMD: an even counter widened by the next one, which is used up by it */
    bool closes;     /* counts core cycles, and stops all counters when it overflows */
};

/* Everything of a pass that is written to registers. */
struct counter_plan {
    uint64_t selector[COUNTER_GENERAL_MAX]; /* enabled; 0: not used */
    uint64_t fixed_control;                 /* the nibbles of the fixed counters used */
    uint64_t offcore[2];
    uint8_t offcore_used; /* bit n: offcore[n] */
    uint64_t chosen;      /* the counters that count, merged ones both */
    uint8_t closing;      /* the one that closes; COUNTERS_MAX: none does */
};

/*
 * Fills *plan. Returns NULL, or the reason: a counter that is not usable or cannot count its event,
 * an event that the selectors cannot express, two uses of one register, or one that closes where
 * counters cannot be stopped all at once.
 */
const char *counter_plan_make(struct counter_plan *plan, const struct counter_unit *unit,
                              const struct counter_use *use, unsigned count);

#endif
