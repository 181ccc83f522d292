/* schedule: which event is counted by which counter, and in which pass over the work. */
#ifndef MLPBOOT_PMU_SCHEDULE_H
#define MLPBOOT_PMU_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"

#define SCHEDULE_EVENTS_MAX 64 /* more than any microarchitecture has */

/* Describes what this processor offers; Intel SDM 3B, 20.2; AMD APM 2, 13.2. */
struct counter_set {
    uint64_t usable;        /* bit n: general counter n; EVENT_FIXED(n) */
    uint32_t architectural; /* bit n: CPUID 0AH has that event: EAX[31:24] > n and EBX[n] = 0 */
    bool umask2;            /* CPUID 23H: selectors have UMASK2 */
    bool ht_off;            /* switched off in firmware: the sibling's counters are ours too */
};

/* Lists what a platform can count: its core's events, and the counters that proved to work. */
struct counter_offer {
    const struct microarchitecture *uarch;
    struct counter_set set;
};

enum placement {
    PLACEMENT_DONE,
    PLACEMENT_NO_COUNTER, /* none of the usable counters can count it */
    PLACEMENT_NO_PAIR,    /* it is wide, and no even counter is usable with the odd one after it */
    PLACEMENT_NO_UMASK2,
    PLACEMENT_VOID, /* architectural, and CPUID says it does not work here */
};

/* Counter and pass mean something only with PLACEMENT_DONE. */
struct assignment {
    uint8_t placement; /* enum placement */
    uint8_t pass;      /* from 0 */
    uint8_t counter;   /* n: general counter n (a wide event takes n + 1 too); 32 + n: fixed n */
};

struct schedule {
    unsigned passes;                                   /* 0 if no event could be placed */
    struct assignment assignment[SCHEDULE_EVENTS_MAX]; /* in the order of the events wanted */
};

/*
 * Gives each event wanted a counter and a pass, or the reason why it has none. In one pass each
 * counter counts one event. A fixed counter is taken rather than a general one. Among events that
 * equally many counters can count, the first ones wanted come into the first pass with room. The
 * same arguments give the same schedule. Returns false, with nothing written, if there are more
 * than SCHEDULE_EVENTS_MAX. No event may be NULL.
 */
bool schedule_events(struct schedule *schedule, const struct event *const *wanted, unsigned count,
                     const struct counter_set *counters);

/* Returns a few words without a comma: "no usable counter can count it". */
const char *placement_reason(enum placement placement);

#endif
