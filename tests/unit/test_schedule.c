/* test_schedule: events on counters and in passes; nothing twice, nothing lost, no pass too many.
 */
#include "../../kernel/lib/random.h"
#include "../../kernel/pmu/event_table.h"
#include "../../kernel/pmu/schedule.h"
#include "fake_platform.h"
#include "kit.h"

#define GENERAL(n) ((1ull << (n)) - 1)
#define FIXED(n) (GENERAL(n) << 32)
#define ALL_ARCHITECTURAL 0x1fff
#define LISTS 15          /* random ones for each microarchitecture and set of counters */
#define BRUTE_FORCE_MAX 6 /* events for which every schedule is tried */

static const struct counter_set intel_4 = {.usable = GENERAL(4) | FIXED(3),
                                           .architectural = ALL_ARCHITECTURAL};
static const struct counter_set intel_8_ht_off = {
    .usable = GENERAL(8) | FIXED(3), .architectural = ALL_ARCHITECTURAL, .ht_off = true};
static const struct counter_set intel_10 = {
    .usable = GENERAL(10) | FIXED(4), .architectural = ALL_ARCHITECTURAL, .umask2 = true};
static const struct counter_set amd_6 = {.usable = GENERAL(6)};
static const struct counter_set amd_4 = {.usable = GENERAL(4)};
static const struct counter_set holes = {.usable = 0x1a | FIXED(1), .architectural = 0x15};
static const struct counter_set one = {.usable = 0x4, .umask2 = true};
static const struct counter_set none;

static const struct counter_set *const sets[] = {&intel_4, &intel_8_ht_off, &intel_10, &amd_6,
                                                 &amd_4,   &holes,          &one,      &none};
#define SETS (sizeof sets / sizeof *sets)

struct list {
    const struct event *event[SCHEDULE_EVENTS_MAX + 1];
    unsigned count;
};

static struct schedule schedule;
static struct random source;

static void add(struct list *list, const char *uarch, const char *key)
{
    const struct event *event = event_find(microarchitecture_named(uarch), key);
    if (!event)
        fail_msg("%s has no %s", uarch, key);
    list->event[list->count++] = event;
}

static struct list list_of(const char *uarch, const char *const *keys)
{
    struct list list = {0};
    for (; *keys != NULL; keys++)
        add(&list, uarch, *keys);
    return list;
}

#define LIST(uarch, ...) list_of(uarch, (const char *const[]){__VA_ARGS__, NULL})

static void run(const struct list *list, const struct counter_set *set)
{
    memset(&schedule, 0xa5, sizeof schedule);
    assert_true(schedule_events(&schedule, list->event, list->count, set));
}

static void assert_at(unsigned i, unsigned pass, unsigned counter)
{
    assert_int_equal(schedule.of[i].placement, PLACEMENT_DONE);
    assert_int_equal(schedule.of[i].pass, pass);
    assert_int_equal(schedule.of[i].counter, counter);
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

static enum placement expected_placement(const struct event *event, const struct counter_set *set)
{
    if (event->select == 0xfff)
        return PLACEMENT_MERGE;
    if (event->umask_ext != 0 && !set->umask2)
        return PLACEMENT_NO_UMASK2;
    if (event->architectural != 0 && !(set->architectural & 1u << (event->architectural - 1)))
        return PLACEMENT_VOID;
    for (unsigned counter = 0; counter < 63; counter++)
        if (may_count(event, counter, set))
            return PLACEMENT_DONE;
    return event->wide ? PLACEMENT_NO_PAIR : PLACEMENT_NO_COUNTER;
}

/* One pass of the schedule: false where it counts nothing. */
static bool check_pass(const struct list *list, unsigned pass)
{
    uint64_t taken = 0;
    unsigned events = 0, offcore = 0;
    for (unsigned i = 0; i < list->count; i++) {
        if (schedule.of[i].placement != PLACEMENT_DONE || schedule.of[i].pass != pass)
            continue;
        uint64_t needs = (list->event[i]->wide ? 3ull : 1ull) << schedule.of[i].counter;
        assert_false(taken & needs);
        taken |= needs;
        offcore += list->event[i]->offcore_rsp != 0;
        events++;
    }
    assert_true(offcore <= 1);
    return events > 0;
}

static void check(const struct list *list, const struct counter_set *set)
{
    for (unsigned i = 0; i < list->count; i++) {
        assert_int_equal(schedule.of[i].placement, expected_placement(list->event[i], set));
        if (schedule.of[i].placement != PLACEMENT_DONE)
            continue;
        assert_true(schedule.of[i].pass < schedule.passes);
        assert_true(may_count(list->event[i], schedule.of[i].counter, set));
    }
    for (unsigned pass = 0; pass < schedule.passes; pass++)
        assert_true(check_pass(list, pass));
}

/* --- every schedule, tried one after the other --- */

struct trial {
    const struct list *list;
    const struct counter_set *set;
    unsigned passes;
    uint64_t taken[BRUTE_FORCE_MAX];
    bool offcore[BRUTE_FORCE_MAX];
};

static bool possible(struct trial *t, unsigned i);

static bool possible_with(struct trial *t, unsigned i, unsigned pass, unsigned counter)
{
    const struct event *event = t->list->event[i];
    uint64_t needs = (event->wide ? 3ull : 1ull) << counter;
    if (!may_count(event, counter, t->set) || t->taken[pass] & needs ||
        (event->offcore_rsp && t->offcore[pass]))
        return false;
    bool before = t->offcore[pass];
    t->taken[pass] |= needs;
    t->offcore[pass] |= event->offcore_rsp != 0;
    bool found = possible(t, i + 1);
    t->taken[pass] &= ~needs;
    t->offcore[pass] = before;
    return found;
}

static bool possible(struct trial *t, unsigned i)
{
    if (i == t->list->count)
        return true;
    if (expected_placement(t->list->event[i], t->set) != PLACEMENT_DONE)
        return possible(t, i + 1);
    for (unsigned pass = 0; pass < t->passes; pass++)
        for (uint64_t left = t->set->usable; left; left &= left - 1)
            if (possible_with(t, i, pass, __builtin_ctzll(left)))
                return true;
    return false;
}

static void check_fewest(const struct list *list, const struct counter_set *set)
{
    struct trial t = {.list = list, .set = set, .passes = schedule.passes};
    assert_true(possible(&t, 0));
    if (schedule.passes == 0)
        return;
    t.passes--;
    assert_false(possible(&t, 0));
}

/* --- random lists --- */

static struct list random_list(const struct microarchitecture *uarch, unsigned count)
{
    struct list list = {.count = count};
    for (unsigned i = 0; i < count; i++)
        list.event[i] = event_at(uarch, (unsigned)random_below(&source, uarch->count));
    return list;
}

/* For half of the events, those that few counters can count or that share something. */
static struct list awkward_list(const struct microarchitecture *uarch, unsigned count)
{
    struct list list = random_list(uarch, count);
    for (unsigned i = 0; i < count; i += 2)
        for (unsigned tries = 0; tries < 200; tries++) {
            const struct event *event =
                event_at(uarch, (unsigned)random_below(&source, uarch->count));
            list.event[i] = event;
            if (event->offcore_rsp || event->wide ||
                __builtin_popcountll(event->counters & 0xffff) == 1)
                break;
        }
    return list;
}

TEST(random_lists)
{
    random_seed(&source, 1);
    for (unsigned u = 0; u < event_microarchitecture_count; u++)
        for (unsigned i = 0; i < LISTS * SETS; i++) {
            const struct microarchitecture *uarch = &event_microarchitectures[u];
            unsigned count = random_below(&source, SCHEDULE_EVENTS_MAX + 1);
            struct list list = i % 2 ? random_list(uarch, count) : awkward_list(uarch, count);
            run(&list, sets[i % SETS]);
            check(&list, sets[i % SETS]);
        }
}

TEST(fewest_passes)
{
    random_seed(&source, 2);
    for (unsigned u = 0; u < event_microarchitecture_count; u++)
        for (unsigned i = 0; i < LISTS * SETS; i++) {
            unsigned count = random_below(&source, BRUTE_FORCE_MAX + 1);
            struct list list = awkward_list(&event_microarchitectures[u], count);
            run(&list, sets[i % SETS]);
            check_fewest(&list, sets[i % SETS]);
        }
}

/* --- events that no vendor has --- */

#define INVENTED 24
static const struct counter_set invented_set = {.usable = GENERAL(4) | FIXED(2)};
static struct event invented[INVENTED];

/* Tied to any of six counters; some use the offcore register, and some are wide. */
static struct list invent(unsigned wide_in)
{
    struct list list = {.count = random_below(&source, INVENTED + 1)};
    for (unsigned i = 0; i < list.count; i++) {
        uint64_t mask = random_next(&source) & random_next(&source) & 0x3f;
        invented[i] = (struct event){
            .counters = (mask & 0xf) | (mask >> 4) << 32,
            .offcore_rsp = random_below(&source, 8) == 0,
            .wide = wide_in && random_below(&source, wide_in) == 0,
        };
        list.event[i] = &invented[i];
    }
    return list;
}

/*
 * Without wide events, by Hall's theorem: of any counters, at least as many passes as the events
 * that need one of just these have to share them; and one for each that uses the register.
 */
static unsigned fewest(const struct list *list, const struct counter_set *set)
{
    unsigned passes = 0, offcore = 0;
    for (uint64_t some = set->usable; some; some = (some - 1) & set->usable) {
        unsigned events = 0, counters = __builtin_popcountll(some);
        for (unsigned i = 0; i < list->count; i++) {
            uint64_t may = list->event[i]->counters & set->usable;
            events += may && !(may & ~some);
        }
        if ((events + counters - 1) / counters > passes)
            passes = (events + counters - 1) / counters;
    }
    for (unsigned i = 0; i < list->count; i++)
        offcore += list->event[i]->offcore_rsp && list->event[i]->counters & set->usable;
    return passes > offcore ? passes : offcore;
}

TEST(fewest_passes_of_invented_events)
{
    random_seed(&source, 3);
    for (unsigned i = 0; i < 10000; i++) {
        struct list list = invent(0);
        run(&list, &invented_set);
        check(&list, &invented_set);
        assert_int_equal(schedule.passes, fewest(&list, &invented_set));
    }
}

TEST(invented_wide_events)
{
    random_seed(&source, 5);
    for (unsigned i = 0; i < 10000; i++) {
        struct list list = invent(4);
        run(&list, &invented_set);
        check(&list, &invented_set);
    }
}

TEST(whole_tables)
{
    for (unsigned u = 0; u < event_microarchitecture_count; u++)
        for (unsigned s = 0; s < SETS; s++) {
            const struct microarchitecture *uarch = &event_microarchitectures[u];
            struct list list = {.count = uarch->count};
            assert_true(uarch->count <= SCHEDULE_EVENTS_MAX);
            for (unsigned i = 0; i < uarch->count; i++)
                list.event[i] = event_at(uarch, i);
            run(&list, sets[s]);
            check(&list, sets[s]);
        }
}

TEST(same_arguments_same_schedule)
{
    random_seed(&source, 4);
    struct list list = awkward_list(microarchitecture_named("haswell"), 40);
    run(&list, &intel_4);
    struct schedule before = schedule;
    run(&list, &intel_4);
    assert_memory_equal(&before, &schedule, sizeof schedule);
}

/* --- known cases --- */

static struct list mlp_ratio(const char *uarch)
{
    return LIST(uarch, "l1d_pend_miss_pending", "l1d_pend_miss_pending_cycles");
}

TEST(mlp_ratio_needs_two_passes)
{
    static const char *const names[] = {"sandybridge", "ivybridge", "haswell", "broadwell"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        struct list list = mlp_ratio(names[i]);
        run(&list, &intel_4);
        assert_int_equal(schedule.passes, 2);
        assert_at(0, 0, 2);
        assert_at(1, 1, 2);
        run(&list, &intel_8_ht_off);
        assert_int_equal(schedule.passes, 2);
    }
}

TEST(mlp_ratio_in_one_pass)
{
    struct list list = mlp_ratio("skylake");
    run(&list, &intel_4);
    assert_int_equal(schedule.passes, 1);
    assert_at(0, 0, 0);
    assert_at(1, 0, 1);
}

TEST(wide_event_takes_a_pair)
{
    struct list list = LIST("zen3", "load_l1_miss", "l1d_pend_miss_pending",
                            "l1d_pend_miss_pending_div4", "core_cycles_gp", "instructions_gp");
    run(&list, &amd_6);
    assert_int_equal(schedule.passes, 1);
    assert_at(1, 0, 0);
    for (unsigned i = 0; i < list.count; i++)
        assert_true(i == 1 || schedule.of[i].counter >= 2);
    add(&list, "zen3", "uops_retired");
    run(&list, &amd_6);
    assert_int_equal(schedule.passes, 2);
    check(&list, &amd_6);
}

TEST(wide_event_without_a_pair)
{
    const struct counter_set apart = {.usable = 0x15}, odd_first = {.usable = 0x6};
    struct list list = LIST("zen4", "l1d_pend_miss_pending");
    run(&list, &apart);
    assert_int_equal(schedule.passes, 0);
    assert_int_equal(schedule.of[0].placement, PLACEMENT_NO_PAIR);
    run(&list, &odd_first);
    assert_int_equal(schedule.of[0].placement, PLACEMENT_NO_PAIR);
}

TEST(merge_event_counts_nothing)
{
    struct list list = LIST("zen3", "merge_event", "instructions_gp");
    run(&list, &amd_6);
    assert_int_equal(schedule.of[0].placement, PLACEMENT_MERGE);
    assert_at(1, 0, 0);
}

TEST(offcore_events_go_apart)
{
    struct list list = LIST("cascadelake_sp", "ocr_demand_data_rd_any", "load_l1_hit",
                            "ocr_demand_data_rd_l3_miss", "ocr_demand_data_rd_local_dram");
    run(&list, &intel_4);
    assert_int_equal(schedule.passes, 3);
    check(&list, &intel_4);
}

TEST(fixed_counters)
{
    const struct event either = {.counters = 0xf | EVENT_FIXED(1), .select = 0x3c};
    struct list list = {.event = {&either}, .count = 1};
    run(&list, &intel_4);
    assert_at(0, 0, 33);
    add(&list, "haswell", "core_cycles"); /* only there: the other one moves */
    add(&list, "haswell", "instructions");
    add(&list, "haswell", "ref_cycles");
    run(&list, &intel_4);
    assert_int_equal(schedule.passes, 1);
    assert_at(0, 0, 0);
    assert_at(1, 0, 33);
    assert_at(2, 0, 32);
    assert_at(3, 0, 34);
    run(&list, &amd_4);
    assert_at(0, 0, 0);
    for (unsigned i = 1; i < 4; i++)
        assert_int_equal(schedule.of[i].placement, PLACEMENT_NO_COUNTER);
}

TEST(counters_of_the_sibling)
{
    struct list list = {0};
    const struct counter_set ht_on = {.usable = GENERAL(8)};
    add(&list, "haswell", "l1d_pend_miss_pending"); /* counter 2 in any case */
    for (unsigned i = 0; i < 7; i++)
        add(&list, "haswell", "core_cycles_gp");
    run(&list, &intel_8_ht_off);
    assert_int_equal(schedule.passes, 1);
    check(&list, &intel_8_ht_off);
    run(&list, &ht_on); /* not said: the upper four are not for them */
    assert_int_equal(schedule.passes, 2);
}

TEST(neighbours_share_a_pass)
{
    struct list list = {0};
    for (unsigned i = 0; i < 11; i++)
        add(&list, "haswell", "core_cycles_gp");
    run(&list, &intel_4);
    assert_int_equal(schedule.passes, 3);
    for (unsigned i = 0; i < list.count; i++)
        assert_at(i, i / 4, i % 4);
}

TEST(umask2)
{
    struct list list = LIST("lunarlake_p", "load_l1_hit");
    run(&list, &intel_4);
    assert_int_equal(schedule.of[0].placement, PLACEMENT_NO_UMASK2);
    run(&list, &intel_10);
    assert_at(0, 0, 0);
}

TEST(architectural_event_that_is_void)
{
    struct counter_set set = intel_4;
    struct list list = LIST("architectural", "llc_miss");
    add(&list, "nehalem", "branch_misses_arch");
    run(&list, &set);
    assert_int_equal(schedule.passes, 1);
    set.architectural = ALL_ARCHITECTURAL & ~(1u << 4);
    run(&list, &set);
    assert_int_equal(schedule.of[0].placement, PLACEMENT_VOID);
    assert_int_equal(schedule.of[1].placement, PLACEMENT_DONE);
    set.architectural = ALL_ARCHITECTURAL & ~(1u << 6);
    run(&list, &set);
    assert_int_equal(schedule.of[0].placement, PLACEMENT_DONE);
    assert_int_equal(schedule.of[1].placement, PLACEMENT_VOID);
}

TEST(bounds)
{
    struct list list = random_list(microarchitecture_named("haswell"), SCHEDULE_EVENTS_MAX + 1);
    memset(&schedule, 0xa5, sizeof schedule);
    struct schedule before = schedule;
    assert_false(schedule_events(&schedule, list.event, list.count, &intel_4));
    assert_memory_equal(&before, &schedule, sizeof schedule);
    list.count = 0;
    run(&list, &intel_4);
    assert_int_equal(schedule.passes, 0);
    /* As many passes as there are events. */
    for (list.count = 0; list.count < SCHEDULE_EVENTS_MAX;)
        add(&list, "haswell", "l1d_pend_miss_pending");
    run(&list, &intel_4);
    assert_int_equal(schedule.passes, SCHEDULE_EVENTS_MAX);
    check(&list, &intel_4);
}

TEST(reasons)
{
    for (enum placement i = PLACEMENT_DONE; i <= PLACEMENT_MERGE; i++) {
        assert_true(strlen(placement_reason(i)) > 0);
        assert_null(strchr(placement_reason(i), ','));
        for (enum placement other = PLACEMENT_DONE; other < i; other++)
            assert_string_not_equal(placement_reason(i), placement_reason(other));
    }
}
