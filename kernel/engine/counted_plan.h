/* counted_plan: the events that are counted here, shared out over passes. */
#ifndef MLPBOOT_ENGINE_COUNTED_PLAN_H
#define MLPBOOT_ENGINE_COUNTED_PLAN_H

#include "../platform.h"
#include "../pmu/plan.h"
#include "../pmu/schedule.h"
#include "../probe/counting.h"

#define COUNTED_EVENTS_MAX 64 /* in one plan */

/* Some 1.3 KB. The events may also be set by hand before they are scheduled. */
struct counted_plan {
    const struct event *event[COUNTED_EVENTS_MAX];
    unsigned events;
    struct counter_use closing; /* of spans: the first of each pass; no event: they are none */
    struct schedule schedule;
};

/*
 * Of the events that tell something of memory those that this core has; of the first so many of
 * them alone, unless `first` is 0. Here and below, platform->counters must not be NULL.
 */
void counted_plan_choose(struct counted_plan *plan, const struct platform *platform,
                         unsigned first);

/*
 * The events that tell what a probe does cycle by cycle, and the counter of core cycles that closes
 * each span. False: no counter can count cycles.
 */
bool counted_plan_choose_spans(struct counted_plan *plan, const struct platform *platform);

/*
 * Gives each event a counter and a pass, with no more counters in one than a probe has registers
 * for. False: nothing can be counted.
 */
bool counted_plan_schedule(struct counted_plan *plan, const struct platform *platform);

/* The events of one pass: their indices in *which, in the order of that pass's counters, without
 * the one that closes. */
unsigned counted_plan_pass(const struct counted_plan *plan, unsigned pass,
                           unsigned which[COUNTING_MAX]);

/* The same as platform->count takes them. */
unsigned counted_plan_uses(const struct counted_plan *plan, unsigned pass,
                           struct counter_use use[COUNTING_MAX]);

#endif
