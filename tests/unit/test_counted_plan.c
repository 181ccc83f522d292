/* test_counted_plan: which events are counted on which core, and in which passes. */
#include "../../kernel/engine/counted_plan.h"
#include "../../kernel/pmu/event.h"
#include "fake_platform.h"
#include "kit.h"

#define FIXED(n) (1ull << (COUNTER_FIXED + (n)))

static struct fake_platform fake;
static struct counted_plan plan;

static void start(const char *uarch, uint64_t usable)
{
    fake_platform_open(&fake);
    fake_platform_offer(&fake, microarchitecture_named(uarch), usable);
    counted_plan_choose(&plan, &fake.platform);
}

static void schedule(const char *uarch, uint64_t usable)
{
    start(uarch, usable);
    assert_true(counted_plan_schedule(&plan, &fake.platform));
}

static bool is_counted(const char *key)
{
    for (unsigned i = 0; i < plan.events; i++)
        if (strcmp(event_keys[plan.event[i]->key], key) == 0)
            return plan.schedule.assignment[i].placement == PLACEMENT_DONE;
    return false;
}

/* Returns the most events in one pass. */
static unsigned most(void)
{
    struct counter_use use[COUNTING_MAX];
    unsigned largest = 0;
    for (unsigned pass = 0; pass < plan.schedule.passes; pass++) {
        unsigned count = counted_plan_uses(&plan, pass, use);
        largest = count > largest ? count : largest;
    }
    return largest;
}

/* Some firmware, for example HP's, keeps fixed counter 1 to itself. */
TEST(the_second_choice)
{
    schedule("haswell", 0xf | FIXED(0) | FIXED(2));
    assert_true(is_counted("instructions"));
    assert_false(is_counted("core_cycles"));
    assert_true(is_counted("core_cycles_gp"));
    schedule("haswell", 0xf);
    assert_true(is_counted("instructions_gp"));
    schedule("zen2", 0x3f);
    assert_true(is_counted("instructions_gp"));
    assert_true(is_counted("core_cycles_gp"));
}

/* Fixed counters 2 and 3 (reference cycles, slots) count no event of the list. */
TEST(no_register_is_wasted)
{
    schedule("icelake", 0xff | FIXED(0) | FIXED(1) | FIXED(2) | FIXED(3));
    assert_in_range(most(), 7, COUNTING_MAX); /* six without their two */
    schedule("zen3", 0x3f);
    assert_true(is_counted("l1d_pend_miss_pending"));
}

/* Zen 3 counts cycles with four misses, but the ratio's divisor is the cycles with a miss. */
TEST(half_a_ratio_of_zen_3)
{
    schedule("zen3", 0x3f);
    assert_true(is_counted("l1d_pend_miss_pending"));
    assert_false(is_counted("l1d_pend_miss_pending_cycles_derived"));
    schedule("zen4", 0x3f);
    assert_true(is_counted("l1d_pend_miss_pending_cycles_derived"));
}

TEST(nothing_usable)
{
    start("haswell", 0);
    assert_false(counted_plan_schedule(&plan, &fake.platform));
    start("haswell", FIXED(2)); /* counts no event of the list */
    assert_false(counted_plan_schedule(&plan, &fake.platform));
}

/* An unknown processor counts no cycles that could close a pass. */
TEST(no_spans_without_cycles)
{
    static const struct microarchitecture unknown = {.name = "unknown"};
    fake_platform_open(&fake);
    fake_platform_offer(&fake, &unknown, 0x3f | FIXED(0) | FIXED(1));
    assert_false(counted_plan_choose_spans(&plan, &fake.platform));
}

/* Each event that is placed is in one pass, once. No pass has more counters than a probe has
 * registers, and no counter counts two events of a pass. */
static void check_passes(bool closes)
{
    unsigned seen[SCHEDULE_EVENTS_MAX] = {0};
    for (unsigned pass = 0; pass < plan.schedule.passes; pass++) {
        struct counter_use use[COUNTING_MAX];
        unsigned count = counted_plan_uses(&plan, pass, use);
        uint64_t used = 0;
        assert_in_range(count, 1 + closes, COUNTING_MAX);
        if (closes)
            assert_ptr_equal(use[0].event, plan.closing.event);
        for (unsigned i = 0; i < count; i++) {
            uint64_t own = (use[i].event->wide ? 3ull : 1ull) << use[i].counter;
            assert_int_equal(use[i].closes, closes && i == 0);
            assert_true(use[i].event->counters >> use[i].counter & 1);
            assert_int_equal(used & own, 0);
            used |= own;
        }
        for (unsigned i = 0; i < plan.events; i++)
            for (unsigned j = closes; j < count; j++) {
                const struct assignment *a = &plan.schedule.assignment[i];
                seen[i] += use[j].event == plan.event[i] && a->pass == pass &&
                           use[j].counter == a->counter;
            }
    }
    for (unsigned i = 0; i < plan.events; i++)
        assert_int_equal(seen[i], plan.schedule.assignment[i].placement == PLACEMENT_DONE);
}

/* On every core core cycles close each pass of spans, and no pass of other events. */
TEST(passes)
{
    for (unsigned i = 0; i < event_microarchitecture_count; i++) {
        fake_platform_open(&fake);
        fake_platform_offer(&fake, &event_microarchitectures[i], 0x3f | FIXED(0) | FIXED(1));
        assert_true(counted_plan_choose_spans(&plan, &fake.platform));
        assert_true(counted_plan_schedule(&plan, &fake.platform));
        assert_in_range(plan.schedule.passes, 1, 5);
        check_passes(true);
        const char *key = event_keys[plan.closing.event->key];
        assert_true(strcmp(key, "core_cycles") == 0 || strcmp(key, "core_cycles_gp") == 0);
        fake_platform_offer(&fake, &event_microarchitectures[i], 0xff | FIXED(0) | FIXED(1));
        counted_plan_choose(&plan, &fake.platform);
        assert_null(plan.closing.event);
        if (counted_plan_schedule(&plan, &fake.platform))
            check_passes(false);
    }
}
