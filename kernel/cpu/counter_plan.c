/* counter_plan: each use of a pass takes its counter, its selector and what else it needs. */
#include "counter_plan.h"

#include "../lib/string.h"
#include "selector.h"

#define FIXED_NIBBLE 3ull /* OS and USR, no interrupt */

static const char *take(struct counter_plan *plan, const struct counter_unit *unit,
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
    const char *why = take(plan, unit, even + 1);
    if (why == NULL)
        plan->selector[even + 1] = SELECTOR_MERGE;
    return why;
}

static const char *take_offcore(struct counter_plan *plan, const struct counter_unit *unit,
                                const struct event *event)
{
    unsigned n = selector_offcore(event);
    if (event->offcore_rsp == 0)
        return NULL;
    if (!(unit->offcore >> n & 1))
        return "the event needs an OFFCORE_RSP register that is not there";
    if (plan->offcore_used >> n & 1 && plan->offcore[n] != event->offcore_rsp)
        return "two events need one OFFCORE_RSP register";
    plan->offcore_used |= 1u << n;
    plan->offcore[n] = event->offcore_rsp;
    return NULL;
}

static const char *take_general(struct counter_plan *plan, const struct counter_unit *unit,
                                const struct counter_use *use)
{
    const char *why = selector_encode(unit, use->event, &plan->selector[use->counter]);
    if (why == NULL)
        why = take_offcore(plan, unit, use->event);
    if (why == NULL && use->merged)
        why = take_merged(plan, unit, use->counter);
    return why;
}

static const char *take_use(struct counter_plan *plan, const struct counter_unit *unit,
                            const struct counter_use *use)
{
    const char *why = take(plan, unit, use->counter);
    if (why != NULL)
        return why;
    if (!(use->event->counters & COUNTER_BIT(use->counter)))
        return "the counter cannot count this event";
    if (use->counter < COUNTER_FIXED)
        return take_general(plan, unit, use);
    plan->fixed_control |= FIXED_NIBBLE << 4 * (use->counter - COUNTER_FIXED);
    return use->merged ? "a fixed counter cannot be merged" : NULL;
}

const char *counter_plan_make(struct counter_plan *plan, const struct counter_unit *unit,
                              const struct counter_use *use, unsigned count)
{
    const char *why = NULL;
    memset(plan, 0, sizeof *plan);
    for (unsigned i = 0; i < count && why == NULL; i++)
        why = take_use(plan, unit, &use[i]);
    return why;
}
