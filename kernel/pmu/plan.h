/* plan: checks a pass against the unit and computes the values of its registers. */
#ifndef MLPBOOT_PMU_PLAN_H
#define MLPBOOT_PMU_PLAN_H

#include "unit.h"

struct counter_use {
    const struct event *event;
    uint8_t counter; /* numbered as in unit.h */
    bool closes;     /* counts core cycles, and stops all counters when it overflows */
};

/* Holds everything of a pass that is written to registers. */
struct counter_plan {
    uint64_t selector[COUNTER_GENERAL_MAX]; /* enabled; 0: not used */
    uint64_t fixed_control;                 /* the nibbles of the fixed counters used */
    uint64_t chosen; /* the counters that count, for a wide event both of a pair */
    uint8_t closing; /* the counter that closes; COUNTERS_MAX: none does */
};

/* Fills *plan. Returns NULL, or the reason: a counter is not usable, is used twice, or cannot count
 * its event; selectors cannot express it; or a counter closes where an overflow cannot stop all at
 * once. */
const char *counter_plan_make(struct counter_plan *plan, const struct counter_unit *unit,
                              const struct counter_use *use, unsigned count);

#endif
