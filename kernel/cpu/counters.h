/* counters: the usable counters taken over, programmed for a pass, started, stopped and read. */
#ifndef MLPBOOT_CPU_COUNTERS_H
#define MLPBOOT_CPU_COUNTERS_H

#include "counter_plan.h"

struct counters {
    struct counter_unit unit;
    bool discovered;          /* the unit is described and its counters were tested */
    uint64_t stopped;         /* global control while ours stand still: firmware's own bits */
    uint64_t fixed_stopped;   /* fixed control likewise */
    uint64_t overflow_before; /* status bits that were set when we came */
    struct counter_plan plan; /* what is programmed */
};

/*
 * Programs a pass on counters taken by counters_enter since the journal was last undone; they are
 * left cleared and stopped. Writes no journal. Returns NULL, or the reason: a counter that is not
 * usable or cannot count this event, two events for one register, or a register that does not take
 * what is written to it, in which case nothing counts.
 */
const char *counters_program(struct counters *counters, const struct counter_use *use,
                             unsigned count);

/* All of the pass at once. False: a register did not take the write. */
bool counters_start(struct counters *counters);
bool counters_stop(struct counters *counters);

/* Sets the stopped counters of the pass to 0, and their overflow bits. False as above. */
bool counters_clear(struct counters *counters);

/* A counter's value by RDPMC. False when that faults; *value is then untouched. */
bool counters_read(const struct counters *counters, unsigned counter, uint64_t *value);

#endif
