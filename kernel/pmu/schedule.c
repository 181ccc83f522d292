/*
 * schedule: first fit. The events that the fewest counters can count choose first; each takes the
 * first pass in which one of its counters is free. On no microarchitecture of events.csv do the
 * lists of counted_plan.c then need more passes than the fewest possible (test_schedule).
 */
#include "schedule.h"

#include "../lib/string.h"

#define COUNTERS 64
#define FIXED_COUNTERS (~0ull << 32)
#define EVEN_COUNTERS 0x55555555ull

const char *placement_reason(enum placement placement)
{
    static const char *const reasons[] = {
        [PLACEMENT_DONE] = "counted",
        [PLACEMENT_NO_COUNTER] = "no usable counter can count it",
        [PLACEMENT_NO_PAIR] = "no usable pair of counters can count it",
        [PLACEMENT_NO_UMASK2] = "the processor has no UMASK2",
        [PLACEMENT_VOID] = "the processor says that it does not work",
    };
    return reasons[placement];
}

static uint64_t allowed_counters(const struct event *event, const struct counter_set *counters)
{
    uint64_t allowed = event->counters;
    if (counters->ht_off && event->counters_ht_off)
        allowed = event->counters_ht_off;
    allowed &= counters->usable;
    return event->wide ? allowed & EVEN_COUNTERS & counters->usable >> 1 : allowed;
}

static enum placement placement_of(const struct event *event, const struct counter_set *counters)
{
    if (event->umask_ext && !counters->umask2)
        return PLACEMENT_NO_UMASK2;
    if (event->architectural && !(counters->architectural >> (event->architectural - 1) & 1))
        return PLACEMENT_VOID;
    if (allowed_counters(event, counters))
        return PLACEMENT_DONE;
    return event->wide ? PLACEMENT_NO_PAIR : PLACEMENT_NO_COUNTER;
}

static unsigned count_bits(uint64_t set)
{
    unsigned count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

static uint64_t free_counters(uint64_t allowed, bool wide, uint64_t taken)
{
    return allowed & ~(taken | (wide ? taken >> 1 : 0));
}

/* Takes the first pass with a free counter, and of these a fixed one if there is one. */
static void place_event(struct assignment *assignment, bool wide, uint64_t allowed, uint64_t *taken)
{
    while (!free_counters(allowed, wide, taken[assignment->pass]))
        assignment->pass++;
    uint64_t free = free_counters(allowed, wide, taken[assignment->pass]);
    uint64_t fixed = free & FIXED_COUNTERS;
    assignment->counter = (uint8_t)__builtin_ctzll(fixed ? fixed : free);
    taken[assignment->pass] |= (wide ? 3ull : 1ull) << assignment->counter;
}

bool schedule_events(struct schedule *schedule, const struct event *const *wanted, unsigned count,
                     const struct counter_set *counters)
{
    uint64_t taken[SCHEDULE_EVENTS_MAX] = {0}; /* counters, of each pass */
    if (count > SCHEDULE_EVENTS_MAX)
        return false;
    memset(schedule, 0, sizeof *schedule);
    for (unsigned i = 0; i < count; i++)
        schedule->assignment[i].placement = placement_of(wanted[i], counters);
    for (unsigned choices = 1; choices <= COUNTERS; choices++)
        for (unsigned i = 0; i < count; i++) {
            struct assignment *assignment = &schedule->assignment[i];
            uint64_t allowed = allowed_counters(wanted[i], counters);
            if (assignment->placement != PLACEMENT_DONE || count_bits(allowed) != choices)
                continue;
            place_event(assignment, wanted[i]->wide, allowed, taken);
            if (assignment->pass >= schedule->passes)
                schedule->passes = assignment->pass + 1u;
        }
    return true;
}
