/* plan: puts an event's fields to their places, and gives each use of a pass what it needs. */
#include "plan.h"

#include <stddef.h>

#include "../lib/string.h"

#define USR (1ull << 16)
#define OS (1ull << 17)
#define INTERRUPT (1ull << 20)
#define CMASK_SHIFT 24
#define AMD_SELECT_HIGH_SHIFT 32
#define UMASK2_SHIFT 40
/* Widens the even counter before it, for events above 15 per cycle. AMD PPR 17h, PMCxFFF. */
#define SELECTOR_MERGE 0xf004000ffull
#define FIXED_NIBBLE 3ull /* OS and USR, no interrupt */
#define FIXED_INTERRUPT 8ull

/*
 * Computes a general counter's selector, enabled. USR and OS are both set: with one alone some
 * processors miss counts (nanoBench). The interrupt bit is left to take_general. Returns NULL, or
 * the reason why this unit's selectors cannot express the event. Intel SDM 3B, IA32_PERFEVTSELx;
 * AMD APM 2, 13.2.1.
 */
static const char *encode(const struct counter_unit *unit, const struct event *event,
                          uint64_t *value)
{
    bool is_intel = unit->kind == COUNTERS_INTEL || unit->kind == COUNTERS_INTEL_GLOBAL;
    uint64_t high = event->select >> 8;
    if (high > (is_intel ? 0 : 15))
        return "the event's number does not fit into the selector";
    if (event->umask_ext != 0 && !unit->umask2)
        return "the event needs UMASK2, which this processor lacks";
    *value = (event->select & 0xff) | (uint64_t)event->umask << 8 | USR | OS | SELECTOR_ENABLE |
             (uint64_t)event->cmask << CMASK_SHIFT | high << AMD_SELECT_HIGH_SHIFT |
             (uint64_t)event->umask_ext << UMASK2_SHIFT;
    return NULL;
}

static const char *take_counter(struct counter_plan *plan, const struct counter_unit *unit,
                                unsigned counter)
{
    if (counter >= COUNTERS_MAX || !(unit->usable & COUNTER_BIT(counter)))
        return "the counter is not usable here";
    if (plan->chosen & COUNTER_BIT(counter))
        return "the counter is used twice in one pass";
    plan->chosen |= COUNTER_BIT(counter);
    return NULL;
}

static const char *take_merged(struct counter_plan *plan, const struct counter_unit *unit,
                               unsigned even)
{
    if (unit->kind != COUNTERS_AMD_EXTENDED && unit->kind != COUNTERS_AMD_GLOBAL)
        return "only AMD's extended counters can be merged";
    if (even % 2 != 0)
        return "only an even counter can be widened by the next one";
    const char *why = take_counter(plan, unit, even + 1);
    if (why == NULL)
        plan->selector[even + 1] = SELECTOR_MERGE;
    return why;
}

static const char *take_general(struct counter_plan *plan, const struct counter_unit *unit,
                                const struct counter_use *use)
{
    const char *why = encode(unit, use->event, &plan->selector[use->counter]);
    if (why == NULL && use->event->wide)
        why = take_merged(plan, unit, use->counter);
    if (use->closes)
        plan->selector[use->counter] |= INTERRUPT;
    return why;
}

static const char *take_use(struct counter_plan *plan, const struct counter_unit *unit,
                            const struct counter_use *use)
{
    const char *why = take_counter(plan, unit, use->counter);
    if (why != NULL)
        return why;
    if (!(use->event->counters & COUNTER_BIT(use->counter)))
        return "the counter cannot count this event";
    if (use->closes && unit->no_freeze != NULL)
        return unit->no_freeze;
    if (use->closes)
        plan->closing = use->counter;
    if (use->counter < COUNTER_FIXED)
        return take_general(plan, unit, use);
    plan->fixed_control |= (FIXED_NIBBLE | (use->closes ? FIXED_INTERRUPT : 0))
                           << 4 * (use->counter - COUNTER_FIXED);
    return NULL;
}

const char *counter_plan_make(struct counter_plan *plan, const struct counter_unit *unit,
                              const struct counter_use *use, unsigned count)
{
    const char *why = NULL;
    memset(plan, 0, sizeof *plan);
    plan->closing = COUNTERS_MAX;
    for (unsigned i = 0; i < count && why == NULL; i++)
        why = take_use(plan, unit, &use[i]);
    return why;
}
