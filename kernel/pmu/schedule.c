/*
 * schedule: counters first, passes second. With P passes a counter can count P events, so events
 * are matched to counters of capacity P by augmenting paths (H. W. Kuhn, "The Hungarian method for
 * the assignment problem", 1955): an event that finds its counters full makes one counted there
 * move on. P is the least for which all find a place. The events of a counter then take different
 * passes; those bound to something shared choose first.
 */
#include "schedule.h"

#include <stddef.h>

#include "../lib/string.h"

#define COUNTERS 64
#define FIRST_FIXED 32
#define EVEN_COUNTERS 0x55555555ull

struct work {
    const struct event *const *wanted;
    struct assignment *of;
    unsigned count, passes;
    uint64_t allowed[SCHEDULE_EVENTS_MAX]; /* counters; 0 for an event that is left out */
    bool placed[SCHEDULE_EVENTS_MAX];      /* on the counter that of[] names */
    uint8_t load[COUNTERS];                /* events on it */
};

static const char *const reasons[] = {
    [PLACEMENT_DONE] = "counted",
    [PLACEMENT_NO_COUNTER] = "no usable counter can count it",
    [PLACEMENT_NO_PAIR] = "no usable pair of counters can count it",
    [PLACEMENT_NO_UMASK2] = "the processor has no UMASK2",
    [PLACEMENT_VOID] = "the processor says that it does not work",
    [PLACEMENT_MERGE] = "it counts nothing itself",
};

const char *placement_reason(enum placement placement)
{
    return reasons[placement];
}

static uint64_t allowed_counters(const struct event *event, const struct counter_set *counters)
{
    uint64_t may = event->counters;
    if (counters->ht_off && event->counters_ht_off)
        may = event->counters_ht_off;
    may &= counters->usable;
    return event->wide ? may & EVEN_COUNTERS & counters->usable >> 1 : may;
}

static enum placement judge(const struct event *event, const struct counter_set *counters)
{
    if (event->select == EVENT_SELECT_MERGE)
        return PLACEMENT_MERGE;
    if (event->umask_ext && !counters->umask2)
        return PLACEMENT_NO_UMASK2;
    if (event->architectural && !(counters->architectural >> (event->architectural - 1) & 1))
        return PLACEMENT_VOID;
    if (allowed_counters(event, counters))
        return PLACEMENT_DONE;
    return event->wide ? PLACEMENT_NO_PAIR : PLACEMENT_NO_COUNTER;
}

static void put(struct work *work, unsigned event, unsigned counter)
{
    work->of[event].counter = counter;
    work->placed[event] = true;
    work->load[counter]++;
    if (work->wanted[event]->wide)
        work->load[counter + 1]++;
}

/*
 * The counter with the fewest events, so that events wanted side by side come into one pass where
 * they can; a fixed one rather than a general one. COUNTERS when all are full.
 */
static unsigned counter_with_room(const struct work *work, unsigned event)
{
    unsigned best = COUNTERS;
    for (unsigned i = 0; i < COUNTERS; i++) {
        unsigned counter = (i + FIRST_FIXED) % COUNTERS;
        if (!(work->allowed[event] >> counter & 1) || work->load[counter] >= work->passes)
            continue;
        if (best == COUNTERS || work->load[counter] < work->load[best])
            best = counter;
    }
    return best;
}

static bool place(struct work *work, unsigned event, uint64_t *visited);

/* One of a full counter's events goes elsewhere; wide ones stay, being half on another. */
static bool make_room(struct work *work, unsigned counter, uint64_t *visited)
{
    for (unsigned i = 0; i < work->count; i++) {
        if (!work->placed[i] || work->of[i].counter != counter || work->wanted[i]->wide)
            continue;
        if (place(work, i, visited)) {
            work->load[counter]--;
            return true;
        }
    }
    return false;
}

/* Each counter is visited once for one new event, so that this is as deep as there are counters. */
static bool place(struct work *work, unsigned event, uint64_t *visited)
{
    unsigned counter = counter_with_room(work, event);
    for (unsigned full = 0; full < COUNTERS && counter == COUNTERS; full++) {
        if (!((work->allowed[event] & ~*visited) >> full & 1))
            continue;
        *visited |= 1ull << full;
        if (make_room(work, full, visited))
            counter = full;
    }
    if (counter == COUNTERS)
        return false;
    put(work, event, counter);
    return true;
}

/* In the order of choice: what takes two counters, what takes the shared register, the others. */
enum rank { RANK_WIDE, RANK_OFFCORE, RANK_OTHER, RANKS };

static enum rank rank_of(const struct event *event)
{
    if (event->wide)
        return RANK_WIDE;
    return event->offcore_rsp ? RANK_OFFCORE : RANK_OTHER;
}

static bool choose_counters(struct work *work)
{
    memset(work->placed, 0, sizeof work->placed);
    memset(work->load, 0, sizeof work->load);
    for (enum rank rank = 0; rank < RANKS; rank++)
        for (unsigned i = 0; i < work->count; i++) {
            uint64_t visited = 0;
            if (!work->allowed[i] || rank_of(work->wanted[i]) != rank)
                continue;
            if (!place(work, i, &visited))
                return false;
        }
    return true;
}

/* The register that offcore events share is one more thing taken, beside the counters. */
#define OFFCORE_TAKEN (1ull << (COUNTERS - 1))

static uint64_t needs(const struct work *work, unsigned event)
{
    uint64_t own = 1ull << work->of[event].counter;
    if (work->wanted[event]->wide)
        own |= own << 1;
    return work->wanted[event]->offcore_rsp ? own | OFFCORE_TAKEN : own;
}

static bool choose_pass(struct work *work, unsigned event, uint64_t *taken)
{
    for (unsigned pass = 0; pass < work->passes; pass++)
        if (!(taken[pass] & needs(work, event))) {
            taken[pass] |= needs(work, event);
            work->of[event].pass = pass;
            return true;
        }
    return false;
}

static bool choose_passes(struct work *work)
{
    uint64_t taken[SCHEDULE_EVENTS_MAX] = {0};
    for (enum rank rank = 0; rank < RANKS; rank++)
        for (unsigned i = 0; i < work->count; i++)
            if (work->allowed[i] && rank_of(work->wanted[i]) == rank &&
                !choose_pass(work, i, taken))
                return false;
    return true;
}

/* The reason why an event is left out, or what it may use; the number that is not left out. */
static unsigned choose_events(struct work *work, const struct counter_set *counters)
{
    unsigned left = 0;
    for (unsigned i = 0; i < work->count; i++) {
        work->of[i].placement = judge(work->wanted[i], counters);
        if (work->of[i].placement != PLACEMENT_DONE)
            continue;
        work->allowed[i] = allowed_counters(work->wanted[i], counters);
        left++;
    }
    return left;
}

bool schedule_events(struct schedule *schedule, const struct event *const *wanted, unsigned count,
                     const struct counter_set *counters)
{
    if (count > SCHEDULE_EVENTS_MAX)
        return false;
    memset(schedule, 0, sizeof *schedule);
    struct work work = {.wanted = wanted, .of = schedule->of, .count = count};
    if (choose_events(&work, counters) == 0)
        return true;
    /* Ends: with as many passes as events each can have one for itself. */
    do
        work.passes++;
    while (!choose_counters(&work) || !choose_passes(&work));
    schedule->passes = work.passes;
    return true;
}
