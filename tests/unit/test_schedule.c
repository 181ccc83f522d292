/* test_schedule: events on counters and in passes; nothing twice, none lost, no pass too many. */
#include "../../kernel/engine/counted_plan.h"
#include "../../kernel/lib/random.h"
#include "../../kernel/pmu/event.h"
#include "../../kernel/pmu/schedule.h"
#include "fake_platform.h"
#include "kit.h"

#define GENERAL(n) ((1ull << (n)) - 1)
#define FIXED(n) (GENERAL(n) << 32)
#define ALL_ARCHITECTURAL 0x1fff

static const struct counter_set intel_4 = {.usable = GENERAL(4) | FIXED(3),
                                           .architectural = ALL_ARCHITECTURAL};
static const struct counter_set intel_8_ht_off = {
    .usable = GENERAL(8) | FIXED(3), .architectural = ALL_ARCHITECTURAL, .ht_off = true};
static const struct counter_set intel_6 = {
    .usable = GENERAL(6) | FIXED(2), .architectural = ALL_ARCHITECTURAL, .umask2 = true};
static const struct counter_set intel_10 = {
    .usable = GENERAL(10) | FIXED(2), .architectural = ALL_ARCHITECTURAL, .umask2 = true};
static const struct counter_set amd_6 = {.usable = GENERAL(6)};
static const struct counter_set amd_4 = {.usable = GENERAL(4)};
static const struct counter_set holes = {.usable = 0x1a | FIXED(1), .architectural = 0x15};
static const struct counter_set one = {.usable = 0x4, .umask2 = true};
static const struct counter_set none;

static const struct counter_set *const sets[] = {
    &intel_4, &intel_8_ht_off, &intel_6, &intel_10, &amd_6, &amd_4, &holes, &one, &none};
#define SETS (sizeof sets / sizeof *sets)

struct list {
    const struct event *event[SCHEDULE_EVENTS_MAX + 1];
    unsigned count;
};

static struct schedule schedule;

static void add(struct list *list, const char *uarch, const char *key)
{
    const struct event *event = event_find(microarchitecture_named(uarch), key);
    if (!event)
        fail_msg("%s has no %s", uarch, key);
    list->event[list->count++] = event;
}

static void run_schedule(const struct list *list, const struct counter_set *set)
{
    memset(&schedule, 0xa5, sizeof schedule);
    assert_true(schedule_events(&schedule, list->event, list->count, set));
}

/* --- the rules, written down once more --- */

static bool may_count(const struct event *event, unsigned counter, const struct counter_set *set)
{
    uint64_t mask = event->counters;
    if (set->ht_off && event->counters_ht_off != 0)
        mask = event->counters_ht_off;
    if (!(mask >> counter & 1) || !(set->usable >> counter & 1))
        return false;
    return !event->wide || (counter < 32 && counter % 2 == 0 && (set->usable >> (counter + 1) & 1));
}

static uint64_t taken_by(const struct event *event, unsigned counter)
{
    return (event->wide ? 3ull : 1ull) << counter;
}

static enum placement expected_placement(const struct event *event, const struct counter_set *set)
{
    if (event->umask_ext != 0 && !set->umask2)
        return PLACEMENT_NO_UMASK2;
    if (event->architectural != 0 && !(set->architectural & 1u << (event->architectural - 1)))
        return PLACEMENT_VOID;
    for (unsigned counter = 0; counter < 63; counter++)
        if (may_count(event, counter, set))
            return PLACEMENT_DONE;
    return event->wide ? PLACEMENT_NO_PAIR : PLACEMENT_NO_COUNTER;
}

/* No event waits for a later pass while one of its counters is free in an earlier one. */
static void check(const struct list *list, const struct counter_set *set)
{
    uint64_t taken[SCHEDULE_EVENTS_MAX] = {0};
    for (unsigned i = 0; i < list->count; i++) {
        const struct assignment *a = &schedule.assignment[i];
        assert_int_equal(a->placement, expected_placement(list->event[i], set));
        if (a->placement != PLACEMENT_DONE)
            continue;
        assert_compare(a->pass, <, schedule.passes);
        assert_true(may_count(list->event[i], a->counter, set));
        assert_false(taken[a->pass] & taken_by(list->event[i], a->counter));
        taken[a->pass] |= taken_by(list->event[i], a->counter);
    }
    for (unsigned pass = 0; pass < schedule.passes; pass++)
        assert_compare(taken[pass], !=, 0);
    for (unsigned i = 0; i < list->count; i++)
        if (schedule.assignment[i].placement == PLACEMENT_DONE)
            for (unsigned pass = 0; pass < schedule.assignment[i].pass; pass++)
                for (unsigned counter = 0; counter < 63; counter++)
                    assert_false(may_count(list->event[i], counter, set) &&
                                 !(taken[pass] & taken_by(list->event[i], counter)));
}

/* --- passes --- */

/*
 * Returns what no schedule can do without (Hall's theorem): events that only some of the counters
 * can count have to share these, a wide one two of them.
 */
static unsigned fewest(const struct list *list, const struct counter_set *set)
{
    uint64_t may[SCHEDULE_EVENTS_MAX] = {0};
    unsigned passes = 0;
    for (unsigned i = 0; i < list->count; i++)
        if (expected_placement(list->event[i], set) == PLACEMENT_DONE)
            for (unsigned counter = 0; counter < 63; counter++)
                if (may_count(list->event[i], counter, set))
                    may[i] |= taken_by(list->event[i], counter);
    for (uint64_t some = set->usable; some; some = (some - 1) & set->usable) {
        unsigned uses = 0, counters = __builtin_popcountll(some);
        for (unsigned i = 0; i < list->count; i++)
            if (may[i] && !(may[i] & ~some))
                uses += list->event[i]->wide ? 2 : 1;
        if ((uses + counters - 1) / counters > passes)
            passes = (uses + counters - 1) / counters;
    }
    return passes;
}

static struct list planned(const struct microarchitecture *uarch, const struct counter_set *set,
                           bool in_spans)
{
    static struct fake_platform fake;
    static struct counted_plan plan;
    struct list list = {0};
    fake_platform_open(&fake);
    fake_platform_offer(&fake, uarch, set->usable);
    if (in_spans)
        counted_plan_choose_spans(&plan, &fake.platform);
    else
        counted_plan_choose(&plan, &fake.platform);
    list.count = plan.events;
    memcpy(list.event, plan.event, plan.events * sizeof *plan.event);
    return list;
}

static struct list whole(const struct microarchitecture *uarch)
{
    struct list list = {.count = uarch->count};
    assert_compare(uarch->count, <=, SCHEDULE_EVENTS_MAX);
    for (unsigned i = 0; i < uarch->count; i++)
        list.event[i] = event_at(uarch, i);
    return list;
}

/*
 * Both lists that are counted, and all events, on every microarchitecture: first fit is allowed one
 * pass more than the fewest possible, and needs none.
 */
TEST(fewest_passes_on_every_microarchitecture)
{
    for (unsigned u = 0; u < event_microarchitecture_count; u++)
        for (unsigned i = 0; i < 3 * SETS; i++) {
            const struct microarchitecture *uarch = &event_microarchitectures[u];
            const struct counter_set *set = sets[i / 3];
            struct list list = i % 3 == 2 ? whole(uarch) : planned(uarch, set, i % 3);
            run_schedule(&list, set);
            check(&list, set);
            if (schedule.passes != fewest(&list, set))
                fail_msg("%s, set %u: %u passes in place of %u", uarch->name, i / 3,
                         schedule.passes, fewest(&list, set));
            struct schedule before = schedule;
            run_schedule(&list, set); /* the same arguments, the same schedule */
            assert_memory_equal(&before, &schedule, sizeof schedule);
        }
}

/* Events that no vendor has: tied to any of six counters; some are wide. */
TEST(invented_events)
{
    static const struct counter_set set = {.usable = GENERAL(4) | FIXED(2)};
    struct event invented[24];
    struct random source;
    random_seed(&source, 3);
    for (unsigned i = 0; i < 10000; i++) {
        struct list list = {.count = random_below(&source, 25)};
        for (unsigned j = 0; j < list.count; j++) {
            uint64_t mask = random_next(&source) & random_next(&source) & 0x3f;
            invented[j] = (struct event){.counters = (mask & 0xf) | (mask >> 4) << 32,
                                         .wide = i % 2 && random_below(&source, 4) == 0};
            list.event[j] = &invented[j];
        }
        run_schedule(&list, &set);
        check(&list, &set);
        unsigned least = fewest(&list, &set);
        assert_compare(schedule.passes, >=, least);
    }
}

/* --- known cases --- */

static const struct counter_set ht_on = {.usable = GENERAL(8)};
static const struct counter_set apart = {.usable = 0x15};
static const struct counter_set odd_first = {.usable = 0x6};
static const struct counter_set no_llc_reference = {
    .usable = GENERAL(4), .architectural = ALL_ARCHITECTURAL & ~(1u << 3)};
static const struct counter_set no_llc_miss = {.usable = GENERAL(4),
                                               .architectural = ALL_ARCHITECTURAL & ~(1u << 4)};

#define MLP_RATIO "l1d_pend_miss_pending l1d_pend_miss_pending_cycles"
#define ZEN3_FIVE                                                                                  \
    "load_l1_miss l1d_pend_miss_pending l1d_pend_miss_pending_div4 core_cycles_gp instructions_gp"
#define SEVEN(event) event " " event " " event " " event " " event " " event " " event

/* Each event of a list is at PASS.COUNTER, or has no place for a reason. */
static const struct {
    const char *uarch, *keys;
    const struct counter_set *set;
    const char *places;
} known[] = {
    {"haswell", MLP_RATIO, &intel_4, "0.2 1.2"},
    {"broadwell", MLP_RATIO, &intel_4, "0.2 1.2"},
    {"haswell", MLP_RATIO, &intel_8_ht_off, "0.2 1.2"},
    {"broadwell", MLP_RATIO, &intel_8_ht_off, "0.2 1.2"},
    {"skylake", MLP_RATIO, &intel_4, "0.0 0.1"},
    /* A wide event takes a pair of counters. */
    {"zen3", ZEN3_FIVE, &amd_6, "0.2 0.0 0.3 0.4 0.5"},
    {"zen3", ZEN3_FIVE " load_l2_miss", &amd_6, "0.2 0.0 0.3 0.4 0.5 1.0"},
    {"zen4", "l1d_pend_miss_pending", &apart, "no pair"},
    {"zen4", "l1d_pend_miss_pending", &odd_first, "no pair"},
    /* The upper four counters are the sibling's. Counter 2 is for the first event in any case. */
    {"haswell", "l1d_pend_miss_pending " SEVEN("core_cycles_gp"), &intel_8_ht_off,
     "0.2 0.0 0.1 0.3 0.4 0.5 0.6 0.7"},
    {"haswell", "l1d_pend_miss_pending " SEVEN("core_cycles_gp"), &ht_on,
     "0.2 0.0 0.1 0.3 1.0 1.1 1.2 1.3"},
    /* Neighbours share a pass. */
    {"haswell", SEVEN("core_cycles_gp") " core_cycles_gp core_cycles_gp", &intel_4,
     "0.0 0.1 0.2 0.3 1.0 1.1 1.2 1.3 2.0"},
    {"lunarlake_p", "load_l1_hit", &intel_4, "no umask2"},
    {"lunarlake_p", "load_l1_hit", &intel_10, "0.0"},
    /* An architectural event may be void. */
    {"architectural", "llc_reference llc_miss", &intel_4, "0.0 0.1"},
    {"architectural", "llc_reference llc_miss", &no_llc_reference, "void 0.0"},
    {"architectural", "llc_reference llc_miss", &no_llc_miss, "0.0 void"},
};

static const char *places_of(const struct list *list)
{
    static const char *const reasons[] = {"", "no counter", "no pair", "no umask2", "void"};
    static char places[256];
    size_t length = 0;
    for (unsigned i = 0; i < list->count; i++) {
        const struct assignment *a = &schedule.assignment[i];
        length += (size_t)sprintf(places + length, "%s%s", i > 0 ? " " : "", reasons[a->placement]);
        if (a->placement == PLACEMENT_DONE)
            length += (size_t)sprintf(places + length, "%u.%u", a->pass, a->counter);
    }
    return places;
}

TEST(known_cases)
{
    for (EACH(c, known)) {
        char keys[256], *rest = keys;
        struct list list = {0};
        strcpy(keys, c->keys);
        while (rest != NULL)
            add(&list, c->uarch, strsep(&rest, " "));
        run_schedule(&list, c->set);
        check(&list, c->set);
        assert_string_equal(places_of(&list), c->places);
    }
}

TEST(fixed_counters)
{
    const struct event either = {.counters = 0xf | EVENT_FIXED(1), .select = 0x3c};
    struct list list = {.event = {&either}, .count = 1};
    run_schedule(&list, &intel_4);
    assert_string_equal(places_of(&list), "0.33");
    add(&list, "haswell", "core_cycles"); /* only there, so it chooses first */
    add(&list, "haswell", "instructions");
    run_schedule(&list, &intel_4);
    assert_string_equal(places_of(&list), "0.0 0.33 0.32");
    run_schedule(&list, &amd_4);
    assert_string_equal(places_of(&list), "0.0 no counter no counter");
}

/* Of all that is counted there, too. */
TEST(mlp_ratio_in_one_pass)
{
    struct list list = planned(microarchitecture_named("skylake"), &intel_4, false);
    run_schedule(&list, &intel_4);
    assert_string_equal(event_keys[list.event[2]->key], "l1d_pend_miss_pending");
    assert_string_equal(event_keys[list.event[3]->key], "l1d_pend_miss_pending_cycles");
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(schedule.assignment[2 + i].pass, 0);
        assert_int_equal(schedule.assignment[2 + i].counter, i);
    }
}

TEST(bounds)
{
    struct list list = {0};
    run_schedule(&list, &intel_4);
    assert_int_equal(schedule.passes, 0);
    /* As many passes as there are events. */
    while (list.count < SCHEDULE_EVENTS_MAX)
        add(&list, "haswell", "l1d_pend_miss_pending");
    run_schedule(&list, &intel_4);
    assert_int_equal(schedule.passes, SCHEDULE_EVENTS_MAX);
    check(&list, &intel_4);
    add(&list, "haswell", "core_cycles_gp");
    struct schedule before = schedule;
    assert_false(schedule_events(&schedule, list.event, list.count, &intel_4));
    assert_memory_equal(&before, &schedule, sizeof schedule);
}

TEST(reasons)
{
    for (enum placement i = PLACEMENT_DONE; i <= PLACEMENT_VOID; i++) {
        assert_compare(strlen(placement_reason(i)), >, 0);
        assert_null(strchr(placement_reason(i), ','));
        for (enum placement other = PLACEMENT_DONE; other < i; other++)
            assert_string_not_equal(placement_reason(i), placement_reason(other));
    }
}
