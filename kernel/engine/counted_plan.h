/* counted_plan: chooses the events that are counted here, and their passes. */
#ifndef MLPBOOT_ENGINE_COUNTED_PLAN_H
#define MLPBOOT_ENGINE_COUNTED_PLAN_H

#include "../platform.h"
#include "../pmu/plan.h"
#include "../pmu/schedule.h"
#include "../probe/timing.h"

/* A caller may also set the events itself before they are scheduled. */
struct counted_plan {
    const struct event *event[SCHEDULE_EVENTS_MAX];
    unsigned events;
    struct counter_use closing; /* of spans: the first use of each pass; no event: no spans */
    struct schedule schedule;
};

/* Chooses the events of memory accesses that this core has. Here and below, platform->counters must
 * not be NULL. */
void counted_plan_choose(struct counted_plan *plan, const struct platform *platform);

/*
 * Chooses the events that show what a probe does cycle by cycle, and the counter of core cycles
 * that closes each span. False: no counter can count cycles.
 */
bool counted_plan_choose_spans(struct counted_plan *plan, const struct platform *platform);

/* Gives each event a counter and a pass. No pass has more counters than a probe registers. False:
 * no event can be counted. */
bool counted_plan_schedule(struct counted_plan *plan, const struct platform *platform);

/* Lists the uses of one pass, the closing use first, for platform->count; returns how many. */
unsigned counted_plan_uses(const struct counted_plan *plan, unsigned pass,
                           struct counter_use use[COUNTING_MAX]);

#endif
