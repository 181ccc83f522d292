/* test_counters: runs the counter driver on every processor of the model, also with faults. */
#include "../../kernel/cpu/switches.h"
#include "../../kernel/pmu/plan.h"
#include "../../kernel/pmu/pmu.h"
#include "../../kernel/pmu/unit.h"
#include "kit.h"
#include "registers_model.h"

#define ITERATIONS 1000
#define INSTRUCTIONS (ITERATIONS * KNOWN_LOOP_INSTRUCTIONS)
#define BESIDES 500 /* instructions outside the loop */
#define SPAN 600    /* cycles */

static struct journal journal;
static struct pmu counters;
static struct switches settings;

static const struct event retired = {.counters = EVENT_ANY_COUNTER, .select = 0xc0};
static const struct event idle = {
    .counters = EVENT_ANY_COUNTER, .select = 0x48, .umask = 1, .cmask = 1};

static const struct event intel_cycles = {.counters = EVENT_ANY_COUNTER, .select = 0x3c};
static const struct event amd_cycles = {.counters = EVENT_ANY_COUNTER, .select = 0x76};

static void start(const struct model_machine *machine)
{
    model_start(machine);
    memset(&journal, 0, sizeof journal);
    memset(&counters, 0, sizeof counters);
    memset(&settings, 0, sizeof settings);
}

static void enter(const struct model_machine *machine)
{
    start(machine);
    pmu_enter(&counters, &machine->processor, &journal);
}

static void start_named(const char *name)
{
    enter(model_machine(name));
}

#define EVERY_MACHINE(m)                                                                           \
    const struct model_machine *m = model_machines;                                                \
    m < model_machines + model_machine_count;                                                      \
    m++
#define USE(of_event, n)                                                                           \
    {                                                                                              \
        .event = (of_event), .counter = (uint8_t)(n)                                               \
    }

static uint64_t value_of(unsigned counter)
{
    uint64_t value = 77;
    assert_true(pmu_read(&counters, counter, &value));
    return value;
}

static void count_loop(void)
{
    assert_true(pmu_switch(&counters, true));
    known_loop(ITERATIONS);
    assert_true(pmu_switch(&counters, false));
}

static bool is_amd(void)
{
    return model.machine->processor.vendor == VENDOR_AMD;
}

static unsigned lowest(uint64_t set)
{
    assert_compare(set, !=, 0);
    return (unsigned)__builtin_ctzll(set);
}

/* --- discovery, ownership, test -------------------------------------------------------------- */

#define LEAF_10(version, general, width, edx)                                                      \
    LEAF(0xa, 0, (version) | (general) << 8 | (width) << 16, 0, 0, edx)
#define TWELVE LEAF(7, 1, 1 << 8, 0, 0, 0), LEAF(0x23, 0, 2, 0, 0, 0), LEAF(0x23, 1, 0xfff, 7, 0, 0)
MODEL_CPUID(no_fixed_width, LEAF_10(3, 4, 40, 0));
MODEL_CPUID(no_version, LEAF_10(0, 4, 40, 0));
MODEL_CPUID(twelve_of_version_5, LEAF_10(5, 8, 48, 3 | 48 << 5), TWELVE);
MODEL_CPUID(twelve_of_version_6, LEAF_10(6, 8, 48, 3 | 48 << 5), TWELVE);
MODEL_CPUID(eight_of_amd, LEAF(0x80000001, 0, 0, 0, 1 << 23, 0), LEAF(0x80000022, 0, 5, 8, 0, 0));

/* Discovery leaves nothing of what the unit held before. */
TEST(what_cpuid_announces)
{
    static const struct {
        const char *machine;
        const struct model_cpuid *cpuid;
        bool is_virtual;
        uint64_t usable;
        unsigned fixed_width;
    } cases[] = {
        /* A count of fixed counters that is too low is believed under a hypervisor only. */
        {"nehalem", NULL, false, 0x70000000f, 48},
        {"nehalem", NULL, true, 0x30000000f, 48},
        {"nehalem", no_fixed_width, false, 0x70000000f, 40},
        {"nehalem", no_version, false, 0, 0},
        /* Only counters with known registers are used: eight general ones before version 6, and
         * six of AMD. */
        {"lion_cove", twelve_of_version_5, false, 0x7000000ff, 48},
        {"lion_cove", twelve_of_version_6, false, 0x700000fff, 48},
        {"zen4", eight_of_amd, false, 0x3f, 0},
    };
    for (EACH(c, cases)) {
        const struct counter_unit *unit = &counters.unit;
        struct model_machine machine = *model_machine(c->machine);
        if (c->cpuid != NULL)
            machine.cpuid = c->cpuid;
        machine.processor.is_virtual = c->is_virtual;
        start(&machine);
        memset(&counters.unit, 0xa5, sizeof counters.unit);
        counter_unit_discover(&counters.unit, &machine.processor);
        assert_int_equal(unit->usable, c->usable);
        assert_int_equal(unit->kind == COUNTERS_NONE, c->usable == 0);
        assert_true(unit->present == unit->usable || unit->kind == COUNTERS_NONE);
        assert_numbers((unit->fixed_width, unit->owned), (c->fixed_width, 0));
        assert_int_equal(unit->why_not[0] != NULL, unit->kind == COUNTERS_NONE);
    }
}

/* --- system-management interrupts ------------------------------------------------------------ */

static uint64_t count_of_smis(void)
{
    uint64_t count = 77;
    assert_true(pmu_smis(&counters, &count));
    return count;
}

/* AMD's are counted by the last counter, during a pass too, and over all quiet sections. */
TEST(smis_are_counted)
{
    static const struct event *const cycles = &amd_cycles;
    static const struct {
        const char *machine;
        uint64_t counter; /* 0: none is spare, or none counts them */
    } cases[] = {{"zen2", 0x20}, {"zen4", 0x20}, {"ghost", 0x20},
                 {"k10", 0},     {"haswell", 0}, {"none", 0}};
    const struct counter_use pass[] = {USE(cycles, 0)};
    uint64_t count = 0;
    for (EACH(c, cases)) {
        start_named(c->machine);
        journal_undo(&journal);
        pmu_enter(&counters, &model.machine->processor, &journal);
        assert_int_equal(counters.smi_counter, c->counter);
        assert_int_equal(pmu_smis(&counters, &count), c->counter != 0);
        if (c->counter != 0) {
            assert_int_equal(count_of_smis(), 0);
            model.smis = 2;
            assert_null(pmu_program(&counters, pass, 1));
            count_loop();
            model.smis = 1;
            count_loop();
            assert_int_equal(count_of_smis(), 3);
        }
        pmu_end_smis(&counters);
        assert_false(pmu_smis(&counters, &count)); /* firmware's registers are back from here on */
        model_assert_restored(&journal);
        pmu_enter(&counters, &model.machine->processor, &journal);
        model.smis = 4;
        if (c->counter != 0) /* the read that ends an SMI's instruction comes after it */
            assert_int_equal(count_of_smis(), 3 + 4);
        model_assert_restored(&journal);
    }
}

/* A guest's counters do not say what the host's processor met. */
TEST(smis_of_guests)
{
    struct model_machine machine = *model_machine("zen2");
    machine.processor.is_virtual = true;
    enter(&machine);
    assert_int_equal(counters.smi_counter, 0);
    model_assert_restored(&journal);
}

/* Counters are tested once and taken again each time, with the same result. */
TEST(second_section)
{
    for (EVERY_MACHINE(m)) {
        enter(m);
        unsigned loops = model.loops;
        assert_compare(loops, >, 0);
        model_assert_restored(&journal);
        pmu_enter(&counters, &m->processor, &journal);
        assert_int_equal(counters.unit.usable, m->usable);
        assert_int_equal(model.loops, loops); /* nothing is tested again */
        /* The pass of the section before is gone. */
        assert_true(pmu_switch(&counters, true));
        assert_true(model.global_control == NULL || *model.global_control == counters.stopped ||
                    m->usable == 0);
        model_assert_restored(&journal);
    }
}

TEST(leaves_owned_counters_alone)
{
    static const char *const names[] = {"held_v3", "held_v4"};
    for (unsigned i = 0; i < 2; i++) {
        start_named(names[i]);
        const struct counter_use use[] = {USE(&retired, 1), USE(&retired, 32)};
        assert_null(pmu_program(&counters, use, 2));
        count_loop();
        model_assert_restored(&journal);
        for (unsigned w = 0; w < model.writes; w++) {
            uint32_t index = model.write[w].index;
            uint64_t value = model.write[w].value;
            assert_false(model_same(index, 0x186) || model_same(index, 0xc1) || index == 0x30a);
            assert_true(index != 0x38d || (value & 0xf0) == 0x20);
            assert_true(index != 0x38f || (value & (1 | 2ull << 32)) == (1 | 2ull << 32));
        }
    }
}

/* --- passes ---------------------------------------------------------------------------------- */

/* Selectors of AMD and Intel, worked out by hand. */
TEST(encoding)
{
    static const struct event masked = {
        .counters = EVENT_ANY_COUNTER, .select = 0xa3, .umask = 0x14, .cmask = 0x14};
    static const struct event wide = {.counters = EVENT_ANY_COUNTER, .select = 0x1cf, .umask = 2};
    static const struct event umask2 = {
        .counters = EVENT_ANY_COUNTER, .select = 0x2e, .umask = 1, .umask_ext = 3};
    static const struct {
        const char *machine;
        const struct event *event;
        uint64_t selector; /* 0: cannot be expressed */
    } cases[] = {{"haswell", &retired, 0x4300c0},
                 {"haswell", &idle, 0x1430148},
                 {"kvm", &masked, 0x144314a3},
                 {"zen4", &masked, 0x144314a3},
                 {"haswell", &wide, 0},
                 {"zen2", &wide, 0x1004302cf},
                 {"k10", &wide, 0x1004302cf},
                 {"haswell", &umask2, 0},
                 {"lion_cove", &umask2, 0x3000043012e},
                 {"zen2", &umask2, 0}};
    for (EACH(c, cases)) {
        start_named(c->machine);
        const struct counter_use use = {.event = c->event, .counter = 1};
        const char *why = pmu_program(&counters, &use, 1);
        assert_true((why == NULL) == (c->selector != 0));
        if (why == NULL && counter_layout(&counters.unit)->global_control == 0)
            assert_int_equal(*model_register(counter_selector_msr(&counters.unit, 1)),
                             c->selector & ~SELECTOR_ENABLE);
        if (why == NULL) {
            assert_true(pmu_switch(&counters, true));
            assert_int_equal(*model_register(counter_selector_msr(&counters.unit, 1)), c->selector);
        }
        model_assert_restored(&journal);
    }
}

/* Every usable counter counts the loop, and stands still before and after. */
TEST(counts)
{
    for (EVERY_MACHINE(m)) {
        enter(m);
        for (unsigned n = 0; n < COUNTERS_MAX; n++) {
            const struct counter_use use = USE(&retired, n);
            if (!(counters.unit.usable & COUNTER_BIT(n))) {
                assert_non_null(pmu_program(&counters, &use, 1));
                continue;
            }
            assert_null(pmu_program(&counters, &use, 1));
            known_loop(ITERATIONS);
            assert_int_equal(value_of(n), 0);
            count_loop();
            uint64_t value = value_of(n);
            if (n == 36 || n == 37)
                continue; /* they count nothing of the loop */
            if (n < 33)
                assert_in_range(value, INSTRUCTIONS, INSTRUCTIONS + BESIDES);
            assert_compare(value, >, 0);
            known_loop(ITERATIONS);
            assert_int_equal(value_of(n), value);
            assert_true(pmu_clear(&counters));
            assert_int_equal(value_of(n), 0);
        }
        model_assert_restored(&journal);
    }
}

/* The pass before leaves nothing that counts. */
TEST(next_pass)
{
    for (EVERY_MACHINE(m)) {
        enter(m);
        if ((m->usable & 0xffff) == 0)
            continue;
        unsigned a = lowest(m->usable & 0xffff), b = lowest(m->usable & 0xffff & (m->usable - 1));
        const struct counter_use first[] = {USE(&retired, a), USE(&idle, b)};
        const struct counter_use second = USE(&retired, b);
        assert_null(pmu_program(&counters, first, 2));
        assert_true(pmu_switch(&counters, true));
        assert_null(pmu_program(&counters, &second, 1));
        assert_int_equal(*model_register(counter_selector_msr(&counters.unit, a)), 0);
        uint64_t before = value_of(a);
        unsigned journalled = journal.count;
        count_loop();
        assert_int_equal(value_of(a), before);
        assert_in_range(value_of(b), INSTRUCTIONS, INSTRUCTIONS + BESIDES);
        assert_int_equal(journal.count, journalled);
        model_assert_restored(&journal);
    }
}

/* A pass that could not be programmed counts nothing, not even when it is started all the same. */
TEST(failed_pass)
{
    static const char *const names[] = {"haswell", "zen2", "zen4", "nehalem"};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned write = 1; write < 60; write++) {
            start_named(names[i]);
            const struct counter_use first[] = {USE(&retired, 0), USE(&retired, 2)};
            const struct counter_use second = USE(&retired, 1);
            assert_null(pmu_program(&counters, first, 2));
            assert_true(pmu_switch(&counters, true));
            model.fault_at = model.writes + write;
            if (pmu_program(&counters, &second, 1) == NULL)
                break;
            model.fault_at = 0;
            assert_true(pmu_switch(&counters, true));
            for (unsigned n = 0; n < 4; n++) {
                uint64_t before = value_of(n);
                known_loop(ITERATIONS);
                assert_int_equal(value_of(n), before);
                assert_true(!(*model.selector[n] & SELECTOR_ENABLE));
            }
            model_assert_restored(&journal);
        }
}

TEST(merged_pair)
{
    static const struct event flops = {.counters = 0x3f, .wide = 1, .select = 3, .umask = 0xf};
    start_named("zen2");
    const struct counter_use use[] = {{&flops, 2, false}, USE(&retired, 0)};
    assert_null(pmu_program(&counters, use, 2));
    assert_int_equal(*model_register(0xc0010204), 0x030f03); /* not enabled yet */
    unsigned first = model.writes;
    assert_true(pmu_switch(&counters, true));
    assert_int_equal(*model_register(0xc0010204), 0x430f03);
    assert_int_equal(*model_register(0xc0010206), 0xf004000ffull);
    /* The odd one first. */
    assert_int_equal(model.write[first].index, 0xc0010206);
    assert_int_equal(model.write[first + 1].index, 0xc0010204);
    model_assert_restored(&journal);

    const struct counter_use odd = {&flops, 3, false}, last = {&flops, 4, false};
    const struct counter_use both[] = {{&flops, 2, false}, USE(&retired, 3)};
    pmu_enter(&counters, &model.machine->processor, &journal);
    assert_non_null(pmu_program(&counters, &odd, 1));
    assert_null(pmu_program(&counters, &last, 1));
    assert_non_null(pmu_program(&counters, both, 2));
    start_named("k10");
    assert_non_null(pmu_program(&counters, &use[0], 1));
    start_named("haswell");
    assert_non_null(pmu_program(&counters, &use[0], 1));
}

TEST(refused_passes)
{
    static const struct event only_2 = {.counters = 4, .select = 0x48, .umask = 1};
    static const struct event fixed_1 = {.counters = EVENT_FIXED(1), .umask = 2};
    const struct counter_use twice[] = {USE(&retired, 1), USE(&idle, 1)};
    const struct counter_use cases[] = {
        USE(&only_2, 1),   USE(&fixed_1, 0),  USE(&fixed_1, 32),  USE(&retired, 4),
        USE(&retired, 35), USE(&retired, 39), USE(&retired, 255),
    };
    start_named("haswell");
    unsigned before = model.writes;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_non_null(pmu_program(&counters, &cases[i], 1));
    assert_non_null(pmu_program(&counters, twice, 2));
    assert_int_equal(model.writes, before);
    const struct counter_use right[] = {USE(&only_2, 2), USE(&fixed_1, 33)};
    assert_null(pmu_program(&counters, right, 2));
    assert_int_equal(*model_register(0x38d), 0x30);
    assert_true(pmu_switch(&counters, true));
    assert_int_equal(*model_register(0x38f), 4 | 2ull << 32);
    model_assert_restored(&journal);
}

/* If no counter was taken, no call writes a register. */
TEST(nothing_taken)
{
    struct model_machine machine = *model_machine("counters_fault");
    machine.processor.model = 0x1a; /* an erratum that would prime the counters */
    start(&machine);
    pmu_enter(&counters, &machine.processor, &journal);
    assert_null(pmu_program(&counters, NULL, 0));
    assert_true(pmu_switch(&counters, true) && pmu_clear(&counters) &&
                pmu_switch(&counters, false));
    assert_int_equal(model.writes, 0);
}

/* --- order ----------------------------------------------------------------------------------- */

/* Returns the number of the first write to a register from write `from` on. */
static unsigned first_write(uint32_t index, unsigned from)
{
    for (unsigned i = from; i < model.writes; i++)
        if (model_same(model.write[i].index, index))
            return i;
    fail_msg("%s: no write to %x", model.machine->name, index);
    return 0;
}

TEST(order)
{
    static const char *const names[] = {"haswell", "lion_cove", "zen4"};
    for (unsigned i = 0; i < 3; i++) {
        start_named(names[i]);
        const struct counter_layout *layout = counter_layout(&counters.unit);
        const struct counter_use use = USE(&retired, 1);
        uint32_t selector = counter_selector_msr(&counters.unit, 1);
        uint32_t value = counter_value_msr(&counters.unit, 1);
        unsigned from = model.writes;
        assert_null(pmu_program(&counters, &use, 1));
        assert_int_equal(model.write[from].index, layout->global_control);
        assert_int_equal(model.write[from].value, 0);
        assert_compare(first_write(selector, from), <, first_write(value, from));
        assert_true(pmu_switch(&counters, true));
        assert_int_equal(model.write[model.writes - 1].index, layout->global_control);
        assert_int_equal(model.write[model.writes - 1].value, 2);
        assert_true(pmu_switch(&counters, false));

        from = model.writes;
        journal_undo(&journal);
        assert_int_equal(model.write[from].index, layout->global_control);
        assert_int_equal(model.write[from].value, 0);
        assert_compare(first_write(selector, from), <, first_write(value, from));
        uint64_t first_value = is_amd() ? 0x3f : 0xf;
        unsigned last = first_write(layout->global_control, from + 1);
        assert_int_equal(model.write[last].value, first_value);
        assert_compare(last, >, first_write(value, from));
    }
}

/* Without a global control the counters are stopped by their selectors before they are set. */
TEST(order_without_global_control)
{
    start_named("zen2");
    const struct counter_use use = USE(&retired, 1);
    assert_null(pmu_program(&counters, &use, 1));
    assert_true(pmu_switch(&counters, true));
    unsigned from = model.writes;
    journal_undo(&journal);
    assert_compare(first_write(0xc0010202, from), <, first_write(0xc0010203, from));
    assert_int_equal(model_difference(), 0);
}

/* Overflow bits that are set meanwhile are cleared; bits that were set before stay. */
TEST(overflow_bits)
{
    static const char *const names[] = {"haswell", "zen4"};
    for (unsigned i = 0; i < 2; i++)
        for (unsigned clear = 0; clear < 2; clear++) {
            start_named(names[i]);
            uint32_t status = counter_layout(&counters.unit)->status;
            const struct counter_use use[] = {USE(&retired, 0), USE(&retired, 3)};
            assert_null(pmu_program(&counters, use, 2));
            model.overflow = 9 | 1ull << 62;
            count_loop();
            assert_int_equal(*model_register(status), 11 | 1ull << 62);
            if (clear) {
                assert_true(pmu_clear(&counters));
                assert_int_equal(*model_register(status), 2 | 1ull << 62);
            }
            journal_undo(&journal);
            assert_numbers((*model_register(status), journal.failed), (2 | 1ull << 62, 0));
            assert_int_equal(model.violations, 0);
        }
}

/* --- spans ----------------------------------------------------------------------------------- */

/* Runs a span of the pass, started by one write as in a probe. */
static bool run_span(uint64_t cycles)
{
    struct msr_value begin = pmu_span_start(&counters);
    if (!pmu_set_span(&counters, cycles) || !msr_write(begin.index, begin.value))
        return false;
    known_loop(ITERATIONS);
    return true;
}

/* Returns the fixed counter of cycles, or else the last general counter. */
static uint8_t closing_counter(void)
{
    if (model.machine->usable >> 33 & 1)
        return 33;
    return (uint8_t)(63 - __builtin_clzll(model.machine->usable & 0xffff));
}

static struct counter_use closing_use(void)
{
    return (struct counter_use){.event = is_amd() ? &amd_cycles : &intel_cycles,
                                .counter = closing_counter(),
                                .closes = true};
}

/* A span ends by a status bit, or before version 4 of Intel's counters without global control. */
TEST(spans)
{
    for (EVERY_MACHINE(m)) {
        enter(m);
        if ((m->usable & 0xffff) == 0)
            continue;
        uint8_t general = (uint8_t)lowest(m->usable & 0xffff);
        const struct counter_use use[] = {closing_use(), USE(&retired, general)};
        const char *why = pmu_program(&counters, use, 2);
        if (counters.unit.no_freeze != NULL) {
            assert_string_equal(why, counters.unit.no_freeze);
            model_assert_restored(&journal);
            continue;
        }
        bool is_status_bit = is_amd() || counters.unit.version >= 4;
        assert_null(why);
        assert_true(run_span(SPAN));
        assert_within(value_of(general), SPAN, 2 * SPAN); /* the loop has 8 in 6 cycles */
        assert_int_equal(*model.status >> 59 & 1, is_status_bit);
        assert_int_equal(*model.global_control == 0, !is_status_bit);
        model_assert_restored(&journal);
    }
}

/* Each span is a little longer: all counters start from 0, and cycles are as many as asked for. */
TEST(span_after_span)
{
    static const char *const names[] = {"nehalem", "skylake_sp", "zen4"};
    for (unsigned i = 0; i < 3; i++) {
        uint64_t before = 0;
        start_named(names[i]);
        uint8_t general = (uint8_t)lowest(model.machine->usable & 0xffff);
        const struct counter_use use[] = {closing_use(), USE(&retired, general)};
        assert_false(pmu_set_span(&counters, 100)); /* nothing is programmed */
        assert_null(pmu_program(&counters, use, 2));
        for (uint64_t cycles = 100; cycles <= 5000; cycles += 100) {
            assert_true(run_span(cycles));
            assert_int_equal(value_of(closing_counter()), 0); /* it stopped where it overflowed */
            assert_compare(value_of(general), >, before);
            before = value_of(general);
        }
        assert_null(pmu_program(&counters, &use[1], 1)); /* other passes count as ever */
        count_loop();
        assert_in_range(value_of(general), INSTRUCTIONS, INSTRUCTIONS + BESIDES);
        assert_false(pmu_set_span(&counters, 100)); /* this pass closes none */
        model_assert_restored(&journal);
    }
}

/* --- faults ---------------------------------------------------------------------------------- */

struct outcome {
    /* What a run reports. */
    struct {
        const char *why_not[SWITCHES_MAX], *why_not_counter[COUNTERS_MAX], *no_freeze;
        unsigned settings;
        uint64_t usable, span_cycles;
        bool freezes, pass_failed[2], span_failed;
    } told;
    uint64_t count[2], span;
    unsigned writes_before_undo;
};

static void run_pass(struct outcome *outcome, unsigned pass)
{
    const struct event *events[2][2] = {{&retired, &idle}, {&idle, &retired}};
    uint64_t general = model.machine->usable & 0xffff;
    if (general == 0)
        return;
    uint8_t a = (uint8_t)lowest(general), b = (uint8_t)lowest(general & (general - 1));
    const struct counter_use use[] = {USE(events[pass][0], a), USE(events[pass][1], b)};
    bool good = pmu_program(&counters, use, 2) == NULL && pmu_switch(&counters, true);
    known_loop(ITERATIONS);
    good &= pmu_switch(&counters, false);
    good &= pmu_read(&counters, pass == 0 ? a : b, &outcome->count[pass]);
    outcome->told.pass_failed[pass] = !good;
}

static void run_closing_pass(struct outcome *outcome)
{
    uint64_t general = model.machine->usable & 0xffff;
    outcome->told.no_freeze = counters.unit.no_freeze;
    if (general == 0 || outcome->told.no_freeze != NULL)
        return;
    const struct counter_use use[] = {closing_use(), USE(&retired, lowest(general))};
    bool good = pmu_program(&counters, use, 2) == NULL && run_span(SPAN);
    good &= pmu_read(&counters, lowest(general), &outcome->span);
    good &= pmu_read(&counters, closing_counter(), &outcome->told.span_cycles);
    outcome->told.span_failed = !good;
}

static void run_work(const struct model_machine *machine, struct outcome *outcome)
{
    memset(outcome, 0, sizeof *outcome);
    settings.prefetch = settings.turbo = SETTING_OFF;
    switches_apply(&settings, &machine->processor, &journal);
    pmu_enter(&counters, &machine->processor, &journal);
    /* The APIC's and LFENCE's come, too. */
    assert_compare(journal.count + 9, <=, JOURNAL_ENTRIES_MAX);
    for (unsigned pass = 0; pass < 2; pass++)
        run_pass(outcome, pass);
    run_closing_pass(outcome);
    for (unsigned i = 0; i < settings.count; i++)
        outcome->told.why_not[i] = settings.record[i].why_not;
    outcome->told.settings = settings.count;
    memcpy(outcome->told.why_not_counter, counters.unit.why_not,
           sizeof outcome->told.why_not_counter);
    outcome->told.usable = counters.unit.usable;
    outcome->told.freezes = counters.unit.freezes_in_smm;
    outcome->writes_before_undo = model.writes;
}

static void run_all(const struct model_machine *machine, unsigned fault_at, unsigned ignore_at,
                    struct outcome *outcome)
{
    start(machine);
    model.fault_at = fault_at;
    model.ignore_at = ignore_at;
    run_work(machine, outcome);
    journal_undo(&journal);
}

static bool is_reported(const struct outcome *a, const struct outcome *clean)
{
    return memcmp(&a->told, &clean->told, sizeof a->told) != 0;
}

/* Returns the register that a write changes: writing ones to status_clear changes status. */
static uint32_t register_of(uint32_t index)
{
    const struct counter_layout *layout = counter_layout(&counters.unit);
    return layout->status_clear != 0 && index == layout->status_clear ? layout->status : index;
}

/* Only the register whose restoring write was lost may differ; the journal then names it. */
static void check_undone(const struct outcome *outcome, unsigned injected)
{
    bool on_the_way_back = injected > outcome->writes_before_undo;
    uint32_t index = register_of(model.write[injected - 1].index);
    uint32_t different = model_difference_besides(on_the_way_back ? index : 0);
    const char *name = model.machine->name;
    if (model.violations != 0)
        fail_msg("%s, write %u: a reserved bit was written", name, injected);
    if (different != 0)
        fail_msg("%s, write %u to %x: %x is not restored", name, injected, index, different);
    if (!on_the_way_back && journal.failed != 0)
        fail_msg("%s, write %u to %x: %u failed", name, injected, index, journal.failed);
    if (on_the_way_back && model_difference() != 0 &&
        (journal.failed != 1 || journal.failed_where != index))
        fail_msg("%s, write %u to %x: not restored, and not reported", name, injected, index);
}

/* True if this counter or setting is reported as unusable, or its bits were set one by one. */
static bool is_accounted_for(uint32_t index)
{
    unsigned n = index == 0x10f ? 3 : model_counter_of(index); /* TSX_FORCE_ABORT is for that one */
    for (const struct msr_switch *s = settings.record; s < settings.record + settings.count; s++)
        if (s->msr == index && (s->why_not != NULL || s->after == s->asked))
            return true;
    return n < COUNTERS_MAX && counters.unit.why_not[n] != NULL;
}

/* A counter that the processor does not have needs no reason why it is not used. */
static void check_reasons(unsigned injected)
{
    const struct counter_unit *unit = &counters.unit;
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if (unit->why_not[n] != NULL && (unit->present & COUNTER_BIT(n)) == 0)
            fail_msg("%s, write %u to %x: counter %u is none", model.machine->name, injected,
                     model.write[injected - 1].index, n);
}

/* A write that faults is reported. A write that silently does nothing may only not be reported if
 * the counts are right all the same. */
TEST(each_write_fails)
{
    struct outcome clean, now;
    for (EVERY_MACHINE(m)) {
        run_all(m, 0, 0, &clean);
        assert_int_equal(model_difference(), 0);
        for (unsigned n = 1, writes = model.writes; n <= writes; n++) {
            run_all(m, n, 0, &now);
            check_undone(&now, n);
            check_reasons(n);
            if (n <= clean.writes_before_undo && !is_reported(&now, &clean) &&
                !is_accounted_for(model.write[n - 1].index))
                fail_msg("%s: nothing reports that write %u to %x faulted", m->name, n,
                         model.write[n - 1].index);
            run_all(m, 0, n, &now);
            check_undone(&now, n);
            if (!is_reported(&now, &clean) &&
                (now.count[0] != clean.count[0] || now.count[1] != clean.count[1] ||
                 now.span != clean.span))
                fail_msg("%s: wrong counts after write %u to %x did nothing", m->name, n,
                         model.write[n - 1].index);
        }
    }
}

/* Work may end after any write, as by an unexpected exception, or at its end: the journal alone
 * restores everything. */
TEST(ends_anywhere)
{
    static struct outcome clean, outcome;
    for (EVERY_MACHINE(m)) {
        run_all(m, 0, 0, &clean);
        for (unsigned n = 1; n <= clean.writes_before_undo + 1; n++) {
            start(m);
            model.end_at = n;
            if (setjmp(model.end) == 0)
                run_work(m, &outcome);
            assert_int_equal(model.writes, n <= clean.writes_before_undo ? n : n - 1);
            model.end_at = 0;
            model_assert_restored(&journal);
        }
    }
}
