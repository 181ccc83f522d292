/* counted_plan: finds this core's events of two lists, and gives them counters and passes. */
#include "counted_plan.h"

#include "../pmu/unit.h"

/* Names keys of events.csv: the second is counted if a microarchitecture lacks the first, unless it
 * has the third, where the second means something else. */
struct counted_event {
    const char *key, *otherwise, *unless;
};

/* The events worth counting beside a measurement of memory; add a line for a further event. */
static const struct counted_event counted_events[] = {
    /* The proof of the payload, and the clock. */
    {"instructions", "instructions_gp", NULL},
    {"core_cycles", "core_cycles_gp", NULL},
    /* Misses outstanding: the two halves of the MLP ratio first, to share a pass if possible. */
    {"l1d_pend_miss_pending", NULL, NULL},
    /* If the event adds a quarter of the misses, its cycles are the cycles with four misses. */
    {"l1d_pend_miss_pending_cycles", "l1d_pend_miss_pending_cycles_derived",
     "l1d_pend_miss_pending_div4"},
    {"l1d_pend_miss_fb_full", "l1d_pend_miss_fb_full_requests", NULL},
    {"offcore_outstanding_demand_data_rd", NULL, NULL},
    {"offcore_outstanding_demand_data_rd_cycles", NULL, NULL},
    {"mab_alloc_loads", NULL, NULL},
    /* Loads, and where they hit. */
    {"loads_retired", "loads_dispatched", NULL},
    {"load_l1_hit", NULL, NULL},
    {"load_l1_miss", NULL, NULL},
    {"load_fb_hit", NULL, NULL},
    {"load_l2_hit", NULL, NULL},
    {"load_l2_miss", NULL, NULL},
    {"load_l3_hit", NULL, NULL},
    {"load_l3_miss", "local_dram_loads", NULL},
    {"l2_requests_all", NULL, NULL},
    {"l2_requests_miss", NULL, NULL},
    {"llc_reference", NULL, NULL},
    {"llc_miss", NULL, NULL},
    /* Translation. */
    {"dtlb_stlb_hit", NULL, NULL},
    {"dtlb_walk_completed", NULL, NULL},
    {"dtlb_walk_pending", "dtlb_walk_duration", NULL},
    {"dtlb_walk_active", NULL, NULL},
    {"load_stlb_miss", NULL, NULL},
    /* Prefetches. */
    {"load_hit_hw_prefetch", "hw_prefetch_fills", NULL},
    {"l2_prefetch_all", "l2_hwpf_requests", NULL},
};

/* Events that are worth a curve over the cycles of one probe. */
static const struct counted_event span_events[] = {
    {"instructions", "instructions_gp", NULL},
    {"uops_issued", "uops_issued_int", NULL},
    {"uops_executed", NULL, NULL},
    {"loads_dispatched", NULL, NULL},
    {"loads_retired", NULL, NULL},
    {"l1d_pend_miss_pending", NULL, NULL},
    {"mab_alloc_loads", NULL, NULL},
    {"l2_demand_data_rd", "l2_requests_all", NULL},
    {"offcore_outstanding_demand_data_rd", NULL, NULL},
    {"dtlb_miss_causes_walk", "page_walker_alloc_dside", NULL},
    {"dtlb_walk_pending", "dtlb_walk_duration", NULL},
    {"dtlb_walk_completed", NULL, NULL},
};

static const struct counted_event cycles = {"core_cycles", "core_cycles_gp", NULL};

static uint64_t counters_of(const struct event *event, const struct counter_set *set)
{
    return event->counters | (set->ht_off ? event->counters_ht_off : 0u);
}

/* Finds the first choice; the second also if firmware keeps the counter that the first needs. */
static const struct event *choose_event(const struct counter_offer *offer,
                                        const struct counted_event *e)
{
    const struct event *first = event_find(offer->uarch, e->key);
    const struct event *second = NULL;
    if (e->otherwise != NULL && (e->unless == NULL || event_find(offer->uarch, e->unless) == NULL))
        second = event_find(offer->uarch, e->otherwise);
    bool usable = first != NULL && counters_of(first, &offer->set) & offer->set.usable;
    return usable || second == NULL ? first : second;
}

/* Returns the counters that can count any event of the plan; the others take no register. */
static uint64_t wanted_counters(const struct counted_plan *plan, const struct counter_set *set)
{
    uint64_t counters = 0;
    for (unsigned i = 0; i < plan->events; i++) {
        uint64_t may = counters_of(plan->event[i], set);
        counters |= plan->event[i]->wide ? may | may << 1 : may;
    }
    return counters;
}

/* Offers the fixed counters, and as many general ones as the probe has registers left. */
static struct counter_set offered_counters(const struct counted_plan *plan,
                                           const struct platform *platform)
{
    struct counter_set set = platform->counters->set;
    uint64_t kept = 0, choice = set.usable & wanted_counters(plan, &set);
    bool closes = plan->closing.event != NULL;
    unsigned count = closes;
    if (closes)
        choice &= ~(1ull << plan->closing.counter);
    for (unsigned i = 0; i < 64 && count < COUNTING_MAX; i++) {
        uint64_t counter = choice & 1ull << (i + COUNTER_FIXED) % 64;
        kept |= counter;
        count += counter != 0;
    }
    set.usable = kept;
    return set;
}

static void choose_events(struct counted_plan *plan, const struct platform *platform,
                          const struct counted_event *from, unsigned count)
{
    plan->closing = (struct counter_use){.event = NULL};
    plan->events = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct event *event = choose_event(platform->counters, &from[i]);
        if (event != NULL)
            plan->event[plan->events++] = event;
    }
}

void counted_plan_choose(struct counted_plan *plan, const struct platform *platform)
{
    choose_events(plan, platform, counted_events, sizeof counted_events / sizeof *counted_events);
}

/* Closes by the last counter that counts cycles: most events are tied to the first ones. */
bool counted_plan_choose_spans(struct counted_plan *plan, const struct platform *platform)
{
    const struct counter_set *set = &platform->counters->set;
    choose_events(plan, platform, span_events, sizeof span_events / sizeof *span_events);
    const struct event *event = choose_event(platform->counters, &cycles);
    uint64_t may = event != NULL ? counters_of(event, set) & set->usable : 0;
    if (may == 0)
        return false;
    plan->closing = (struct counter_use){
        .event = event, .counter = (uint8_t)(63 - __builtin_clzll(may)), .closes = true};
    return true;
}

bool counted_plan_schedule(struct counted_plan *plan, const struct platform *platform)
{
    struct counter_set set = offered_counters(plan, platform);
    return schedule_events(&plan->schedule, plan->event, plan->events, &set) &&
           plan->schedule.passes > 0;
}

unsigned counted_plan_uses(const struct counted_plan *plan, unsigned pass,
                           struct counter_use use[COUNTING_MAX])
{
    const struct assignment *a = plan->schedule.assignment;
    unsigned count = 0;
    if (plan->closing.event != NULL)
        use[count++] = plan->closing;
    for (unsigned i = 0; i < plan->events && count < COUNTING_MAX; i++)
        if (a[i].placement == PLACEMENT_DONE && a[i].pass == pass)
            use[count++] = (struct counter_use){.event = plan->event[i], .counter = a[i].counter};
    return count;
}
