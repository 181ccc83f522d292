/* model_counters: counts the events of a real processor by what they are in the model. */
#include "model_counters.h"

#include <stdio.h>
#include <string.h>

#include "model_clock.h"

#define COUNTER_WIDTH 48
#define COUNTER_START 0xffffff00u /* low halves soon wrap: only differences mean anything */

/* Fifth-generation Xeon (Emerald Rapids) has as many L1D_PEND_MISS and walk events as any. */
static const struct processor whose_events = {.vendor = VENDOR_INTEL, .family = 6, .model = 0xcf};

enum event_kind {
    KIND_CYCLES, /* which, without drift, are ticks as well */
    KIND_INSTRUCTIONS,
    KIND_LOADS,   /* retired; `what`: bits of the places where loads found their data */
    KIND_IN_USE,  /* the number in use, added up over cycles; `what`: enum model_use, as below */
    KIND_BUSY,    /* cycles with any in use */
    KIND_STARTED, /* uses that have started */
    KIND_ENDED,
    KIND_DISPATCHED, /* instructions */
    KIND_EXECUTED    /* instructions that are more than renamed */
};

struct model_event_kind {
    const char *key;
    uint8_t kind, what;
};

#define IN(place) (1u << PLACE_##place)
#define BEYOND_L3 (IN(L4) | IN(L5) | IN(MEMORY))
#define BEYOND_L2 (IN(L3) | BEYOND_L3)
#define BEYOND_L1 (IN(L2) | BEYOND_L2)

/* The vendor's events count a load whose line was on its way neither as a hit nor as a miss. */
static const struct model_event_kind kinds[] = {
    {"instructions", KIND_INSTRUCTIONS, 0},
    {"instructions_gp", KIND_INSTRUCTIONS, 0},
    {"uops_issued", KIND_DISPATCHED, 0},
    {"uops_executed", KIND_EXECUTED, 0},
    {"core_cycles", KIND_CYCLES, 0},
    {"core_cycles_gp", KIND_CYCLES, 0},
    {"l1d_pend_miss_pending", KIND_IN_USE, USE_BUFFERS},
    {"l1d_pend_miss_pending_cycles", KIND_IN_USE, USE_BUFFERS},
    {"l1d_pend_miss_fb_full", KIND_BUSY, USE_QUEUE},
    {"loads_retired", KIND_LOADS, IN(L1) | IN(BUFFER) | BEYOND_L1},
    {"load_l1_hit", KIND_LOADS, IN(L1)},
    {"load_l1_miss", KIND_LOADS, BEYOND_L1},
    {"load_fb_hit", KIND_LOADS, IN(BUFFER)},
    {"load_l2_hit", KIND_LOADS, IN(L2)},
    {"load_l2_miss", KIND_LOADS, BEYOND_L2},
    {"load_l3_hit", KIND_LOADS, IN(L3)},
    {"load_l3_miss", KIND_LOADS, BEYOND_L3},
    {"dtlb_walk_completed", KIND_ENDED, USE_WALKERS},
    {"dtlb_walk_pending", KIND_IN_USE, USE_WALKERS},
    {"dtlb_walk_active", KIND_IN_USE, USE_WALKERS},
    {"dtlb_stlb_hit", KIND_LOADS, 0}, /* the TLB has one level */
    {"l2_requests_all", KIND_STARTED, USE_BUFFERS},
    {"l2_requests_miss", KIND_STARTED, USE_BUFFERS_L2_MISS},
    {"l2_demand_data_rd", KIND_STARTED, USE_BUFFERS},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))
_Static_assert(KINDS <= MODEL_EVENTS_MAX, "an event for each");

static const struct model_event_kind *event_kind(const struct event *event)
{
    for (unsigned i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].key, event_keys[event->key]) == 0)
            return &kinds[i];
    return NULL;
}

/* Offers only events that the model counts, so that no plan has another one. */
static void offer(struct model_counters *counters)
{
    const struct microarchitecture *all = microarchitecture_find(&whose_events, CORE_ANY);
    counters->uarch.name = all->name;
    counters->uarch.pool = all->pool;
    counters->uarch.rows = counters->row;
    for (unsigned i = 0; i < all->count; i++)
        if (event_kind(event_at(all, i)) != NULL)
            counters->row[counters->uarch.count++] = all->rows[i];
    counters->offer.uarch = &counters->uarch;
    counters->offer.set.usable = counters->unit.usable;
    counters->offer.set.architectural = UINT32_MAX;
}

bool model_counters_open(struct model_counters *counters, const struct model_parameters *parameters)
{
    const uint64_t fixed = EVENT_FIXED(MODEL_FIXED_COUNTERS) - EVENT_FIXED(0);
    memset(counters, 0, sizeof(*counters));
    counters->unit.kind = COUNTERS_INTEL_GLOBAL;
    counters->closing = COUNTERS_MAX;
    counters->parameters = parameters;
    if (parameters->counters > 0)
        counters->unit.usable = fixed | (COUNTER_BIT(parameters->counters) - 1);
    offer(counters);
    return model_activity_open(&counters->activity, parameters->rob);
}

void model_counters_close(struct model_counters *counters)
{
    model_activity_close(&counters->activity);
}

void model_counters_stop(struct model_counters *counters)
{
    memset(counters->counter, 0, sizeof(counters->counter));
    counters->counts_executed = false;
    counters->closing = COUNTERS_MAX;
    model_activity_stop(&counters->activity);
}

/* Sets one counter. False: the model does not count the event, or not with its mask. */
static bool set_counter(struct model_counter *counter, const struct event *event)
{
    const struct model_event_kind *kind = event_kind(event);
    if (kind == NULL)
        return false;
    if (event->cmask != 0 && kind->kind != KIND_IN_USE && kind->kind != KIND_BUSY)
        return false;
    *counter = (struct model_counter){.kind = kind, .cmask = event->cmask};
    return true;
}

static const char *refuse_event(struct model_counters *counters, const struct event *event)
{
    snprintf(counters->reason, sizeof(counters->reason), "the model does not count %s%s",
             event_keys[event->key], event_kind(event) != NULL ? " with such a mask" : "");
    model_counters_stop(counters);
    return counters->reason;
}

const char *model_counters_program(struct model_counters *counters, const struct counter_use *use,
                                   unsigned count, uint64_t now)
{
    struct counter_plan plan;
    const char *why = counter_plan_make(&plan, &counters->unit, use, count);
    model_counters_stop(counters);
    if (why != NULL)
        return why;
    for (unsigned i = 0; i < count; i++)
        if (!set_counter(&counters->counter[use[i].counter], use[i].event))
            return refuse_event(counters, use[i].event);
    for (unsigned i = 0; i < count; i++)
        counters->counts_executed |= counters->counter[use[i].counter].kind->kind == KIND_EXECUTED;
    counters->closing = plan.closing;
    if (counters->closing == COUNTERS_MAX)
        model_activity_start(&counters->activity, now, UINT64_MAX);
    return NULL;
}

void model_counters_set_span(struct model_counters *counters, uint64_t cycles)
{
    counters->span = cycles;
    model_activity_stop(&counters->activity);
}

bool model_counters_write(struct model_counters *counters, uint32_t index, uint64_t value,
                          uint64_t now)
{
    if (index != MODEL_GLOBAL_CONTROL || counters->closing == COUNTERS_MAX ||
        !(value >> counters->closing & 1))
        return false;
    model_activity_start(&counters->activity, now,
                         now + counters->span + counters->parameters->skid);
    return true;
}

static uint64_t loads_from(const struct model_activity *activity, unsigned places)
{
    uint64_t loads = 0;
    for (unsigned i = 0; i < MODEL_PLACES; i++)
        if (places >> i & 1)
            loads += activity->loads[i];
    return loads;
}

static uint64_t count_cycles(const struct model_parameters *parameters, uint64_t start,
                             uint64_t end)
{
    uint64_t stopped =
        model_clock_stopped(parameters, end) - model_clock_stopped(parameters, start);
    return end - start + stopped;
}

/* With a mask a counter counts the cycles that would add at least that much. */
static uint64_t count_activity(const struct model_counters *counters,
                               const struct model_counter *counter, uint64_t now)
{
    const struct model_activity *activity = &counters->activity;
    unsigned what = counter->kind->what, cmask = counter->cmask;
    switch ((enum event_kind)counter->kind->kind) {
    case KIND_CYCLES:
        return count_cycles(counters->parameters, activity->start,
                            now < activity->end ? now : activity->end);
    case KIND_INSTRUCTIONS:
        return activity->instructions;
    case KIND_LOADS:
        return loads_from(activity, what);
    case KIND_IN_USE:
        return cmask == 0 ? activity->use[what].sum
                          : model_occupancy_at_least(&activity->use[what], cmask);
    case KIND_BUSY: /* adds one at most */
        return cmask > 1 ? 0 : model_occupancy_at_least(&activity->use[what], 1);
    case KIND_STARTED:
        return activity->use[what].started;
    case KIND_ENDED:
        return activity->use[what].ended;
    case KIND_DISPATCHED:
        return activity->dispatched;
    case KIND_EXECUTED:
        return activity->executed;
    }
    return 0;
}

bool model_counters_read(struct model_counters *counters, uint32_t select, uint64_t now,
                         uint64_t *value)
{
    unsigned n = 0;
    while (n < COUNTERS_MAX && (counters->counter[n].kind == NULL || event_rdpmc(n) != select))
        n++;
    if (n == COUNTERS_MAX)
        return false;
    uint64_t count = 0, start = counters->closing == COUNTERS_MAX ? COUNTER_START : 0;
    if (counters->activity.is_kept) {
        model_activity_advance(&counters->activity, now);
        count = count_activity(counters, &counters->counter[n], now);
    }
    if (counters->closing == n)
        start -= counters->span;
    *value = (start + count) & ((UINT64_C(1) << COUNTER_WIDTH) - 1);
    return true;
}
