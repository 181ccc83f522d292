/* test_switches: prefetchers, turbo, energy hints and the TSC's rate on the model's processors. */
#include "../../kernel/cpu/frequency.h"
#include "../../kernel/cpu/journal.h"
#include "../../kernel/cpu/switches.h"
#include "kit.h"
#include "registers_model.h"

#define TURBO (1ull << 38)

static struct journal journal;
static struct switches switches;

static void start(const struct model_machine *machine)
{
    model_start(machine);
    memset(&journal, 0, sizeof journal);
}

/* As the registers are now, which firmware may have left otherwise than the model has them. */
static void choose(enum setting_choice prefetch, enum setting_choice turbo)
{
    switches = (struct switches){.prefetch = prefetch, .turbo = turbo};
    switches_apply(&switches, &model.machine->processor, &journal);
}

static const struct msr_switch *record(const char *name, uint32_t msr)
{
    for (unsigned i = 0; i < switches.count; i++)
        if (strcmp(switches.record[i].name, name) == 0 && switches.record[i].msr == msr)
            return &switches.record[i];
    fail_msg("%s: no record of %s with register %x", model.machine->name, name, msr);
    return NULL;
}

static void check_refused(const char *name, uint32_t msr, const char *why)
{
    const struct msr_switch *setting = record(name, msr);
    assert_non_null(setting->why_not);
    assert_string_equal(setting->why_not, why);
}

static void check_found(const char *name, uint32_t msr, const char *found)
{
    char memory[400];
    struct text text;
    text_init(&text, memory, sizeof memory);
    msr_switch_found(record(name, msr), &text);
    assert_string_equal(memory, found);
}

/* --- prefetchers ----------------------------------------------------------------------------- */

/* Firmware had them off: "on" is put in force as well, and "off" keeps what it kept. */
TEST(prefetch_was_off)
{
    for (int off = 0; off < 2; off++) {
        start(model_machine("haswell"));
        *model_register(0x1a4) = 0x5;
        choose(off ? SETTING_OFF : SETTING_ON, SETTING_LEAVE);
        assert_numbers((switches.count, *model_register(0x1a4)), (1 + 3, off ? 0xf : 0));
        assert_int_equal(record("prefetch", 0x1a4)->before, 5);
        journal_undo(&journal);
        assert_int_equal(*model_register(0x1a4), 5);
    }
}

/* The bits of models that the machines do not cover: one of each row's kind. */
TEST(prefetch_by_model)
{
    static const struct {
        uint32_t model;
        enum core_type type;
        uint64_t bits; /* 0: not known */
        unsigned records;
    } cases[] = {
        {0x37, CORE_ANY, 0x5, 1},         {0x5c, CORE_ANY, 0x5, 1},
        {0x57, CORE_ANY, 0x3, 1},         {0x8e, CORE_ANY, 0xf, 1},
        {0x3d, CORE_ANY, 0xf, 1},         {0x8f, CORE_ANY, 0x3f, 1},
        {0xad, CORE_ANY, 0x1ff, 1},       {0xaa, CORE_PERFORMANCE, 0x1ff, 1},
        {0xaa, CORE_LOW_POWER, 0x1ff, 3}, {0xaa, CORE_EFFICIENT, 0x1ff, 3},
        {0x97, CORE_ANY, 0x2f, 1},        {0xbe, CORE_ANY, 0x1fd, 3},
        {0xdd, CORE_ANY, 0x11ff, 3},      {0xcc, CORE_EFFICIENT, 0x11ff, 3},
        {0x66, CORE_ANY, 0xf, 1},         {0x67, CORE_ANY, 0, 1},
        {0x9a, CORE_EFFICIENT, 0x1fd, 3}, {0xb7, CORE_EFFICIENT, 0x1fd, 3},
        {0xba, CORE_EFFICIENT, 0x1fd, 3}, {0xbf, CORE_EFFICIENT, 0x1fd, 3},
        {0x96, CORE_EFFICIENT, 0x5, 1},   {0x9c, CORE_ANY, 0x5, 1}, /* Tremont */
        {0xd7, CORE_ANY, 0x2f, 1}, /* Bartlett Lake-S: performance cores alone */
        {0xc6, CORE_PERFORMANCE, 0, 1},   {0x86, CORE_ANY, 0x5, 1},
        {0x5d, CORE_ANY, 0, 1},           {0x3e, CORE_ANY, 0, 1}, /* older than Haswell */
    };
    static const struct model_registers registers[] = {ONE(0x1a4, 0, 0), RANGE(0x1320, 2, 0, 0),
                                                       END};
    struct model_machine machine = *model_machine("none");
    struct msr_switch records[PREFETCH_SWITCHES_MAX];
    machine.registers = registers;
    for (EACH(c, cases)) {
        machine.processor.model = c->model;
        start(&machine);
        assert_int_equal(
            prefetch_apply(records, &journal, &machine.processor, c->type, SETTING_OFF),
            c->records);
        if (*model_register(0x1a4) != c->bits)
            fail_msg("model %x: bits %lx", c->model, *model_register(0x1a4));
        assert_true((records[0].why_not == NULL) == (c->bits != 0));
        if (c->bits == 0)
            assert_int_equal(model.writes, 0);
    }
}

/* A hypervisor takes writes of such registers without effect, and shows zeroes. */
TEST(prefetchers_of_an_amd_guest_are_not_known)
{
    static const char *const machines[] = {"zen2", "zen3"};
    for (unsigned i = 0; i < 2; i++) {
        struct model_machine machine = *model_machine(machines[i]);
        machine.processor.is_virtual = true;
        start(&machine);
        choose(SETTING_OFF, SETTING_LEAVE);
        check_refused("prefetch", 0, "no register that controls them is known here");
        model_assert_restored(&journal);
    }
}

/* The model lacks a prefetcher, and its register takes no such bit. */
TEST(a_bit_that_is_refused_costs_no_other)
{
    static const struct model_registers all_but_two[] = {ONE(0x1a4, 0, ~0x3ull), END};
    static const struct model_registers none[] = {READ_ONLY(0x1a4, 0), END};
    struct model_machine machine = *model_machine("none");
    struct text refused = TEXT_OF(100);
    machine.processor.model = 0x3c;
    machine.registers = all_but_two;
    start(&machine);
    choose(SETTING_OFF, SETTING_LEAVE);
    const struct msr_switch *setting = record("prefetch", 0x1a4);
    assert_null(setting->why_not);
    assert_numbers((*model_register(0x1a4), setting->before, setting->asked, setting->after),
                   (3, 0, 0xf, 3));
    msr_switch_refused(setting, &refused);
    assert_string_equal(refused.at, "L1 next line, L1 stride");
    journal_undo(&journal);
    assert_numbers((*model_register(0x1a4), journal.failed), (0, 0));
    machine.registers = none;
    start(&machine);
    choose(SETTING_OFF, SETTING_LEAVE);
    check_refused("prefetch", 0x1a4, "the register cannot be written");
    assert_int_equal(record("prefetch", 0x1a4)->refused, 0);
}

/* --- turbo and hints ------------------------------------------------------------------------- */

/* Firmware has it off; CPUID then announces none. */
TEST(turbo_intel_was_off)
{
    start(model_machine("haswell"));
    *model_register(0x1a0) |= TURBO;
    choose(SETTING_LEAVE, SETTING_ON);
    assert_null(record("turbo", 0x1a0)->why_not);
    assert_int_equal(*model_register(0x1a0), 0x850089);
    journal_undo(&journal);
    assert_int_equal(*model_register(0x1a0), 0x850089 | TURBO);
}

TEST(turbo_not_controllable)
{
    static const struct model_cpuid announced[] = {{6, 0, {2, 0, 0, 0}}, {0, 0, {0, 0, 0, 0}}};
    struct model_machine machine = *model_machine("kvm");
    machine.cpuid = announced;
    start(&machine);
    choose(SETTING_LEAVE, SETTING_OFF);
    check_refused("turbo", 0x1a0, "the bit is kept but CPUID does not follow it");
    check_refused("energy hint", 0, "the processor has no energy hint");
    model_assert_restored(&journal);
}

static void check_hwp_refused(uint32_t index, uint64_t found, const char *why)
{
    start(model_machine("emerald_rapids"));
    *model_register(index) = found;
    choose(SETTING_LEAVE, SETTING_OFF);
    check_refused("hwp request", 0, why);
}

TEST(hwp_not_controllable)
{
    check_hwp_refused(0x770, 0, "HWP is not in use");
    assert_numbers((*model_register(0x774), *model_register(0x770)), (0x80002701, 0));
    check_hwp_refused(0x774, 1ull << 42 | 0x2701, "the package's request governs");
    check_hwp_refused(0x771, 0x01080027, "no guaranteed frequency is announced");
}

TEST(nothing_is_counted_of_what_cannot_be_read)
{
    unsigned all = 0;
    start(model_machine("kvm"));
    choose(SETTING_LEAVE, SETTING_LEAVE);
    assert_int_equal(msr_switch_count_on(record("prefetch", 0x1a4), &all), 0);
    assert_int_equal(all, 0);
}

/* What is said is how firmware had them, whatever is asked for. */
TEST(found_off)
{
    static const enum setting_choice choices[] = {SETTING_LEAVE, SETTING_OFF, SETTING_ON};
    for (unsigned i = 0; i < 3; i++) {
        start(model_machine("zen2"));
        *model_register(0xc0011022) |= 1 << 13;
        *model_register(0xc001102b) &= ~1ull;
        *model_register(0xc0010015) |= 1 << 25;
        choose(choices[i], choices[i]);
        check_found("prefetch", 0xc0011022,
                    "L1 off, L1 after software prefetches on, L1 stream on");
        check_found("prefetch", 0xc001102b, "L2 stream off");
        unsigned all = 1; /* is added to */
        assert_int_equal(msr_switch_count_on(record("prefetch", 0xc0011022), &all), 2);
        assert_int_equal(all, 1 + 3);
        assert_int_equal(msr_switch_count_on(record("prefetch", 0xc001102b), &all), 0);
        assert_int_equal(all, 1 + 3 + 1);
        check_found("turbo", 0xc0010015, "core performance boost off");
        journal_undo(&journal);
        assert_int_equal(*model_register(0xc001102b), 0x2000cc14);
    }
}

/* --- what the core runs at ------------------------------------------------------------------- */

static struct frequency run_at(const char *name, uint64_t mperf, uint64_t aperf)
{
    struct frequency f;
    model_start(model_machine(name));
    frequency_start(&f, &model.machine->processor);
    if (model.machine->registers != NULL && f.why_not == NULL) {
        *model_register(0xe7) += mperf;
        *model_register(0xe8) += aperf;
    }
    frequency_end(&f, &model.machine->processor);
    assert_int_equal(model.writes, 0);
    return f;
}

TEST(frequency)
{
    static const struct {
        const char *machine;
        uint64_t mperf, aperf;
        double of_nominal;
        int p_state; /* -1: not known */
        const char *why_not;
    } cases[] = {
        {"haswell", 1000, 1350, 1.35, 39, NULL},
        {"zen2", 1000, 500, 0.5, 1, NULL},
        {"zen2", 1000, 0, 0, 1, "APERF and MPERF stand still, as in an emulator"},
        {"kvm", 0, 0, 0, -1, "the hypervisor hides APERF and MPERF"},
        {"k10", 0, 0, 0, -1, "the processor has no APERF and MPERF"},
        {"skylake_sp", 0, 0, 0, -1, "APERF and MPERF cannot be read"},
        {"zen3", 0, 0, 0, -1, "APERF and MPERF cannot be read"}, /* announced, but not there */
    };
    for (EACH(c, cases)) {
        struct frequency f = run_at(c->machine, c->mperf, c->aperf);
        assert_compare(f.of_nominal, ==, c->of_nominal);
        assert_int_equal(f.has_p_state ? (int)f.p_state : -1, c->p_state);
        assert_same_text(f.why_not, c->why_not);
    }
}

#define MILLISECOND 2000000ull /* of a counter of 2 GHz, whatever the one here does */

/* A boost of 1.5 that goes on for 1.4 ms after it was switched off is over before anything runs. */
TEST(the_clock_settles_after_a_change)
{
    static const char *const machines[] = {"haswell", "zen2"};
    for (unsigned i = 0; i < 2; i++) {
        struct frequency f;
        start(model_machine(machines[i]));
        model.tail = 14 * MILLISECOND / 10;
        switches = (struct switches){.turbo = SETTING_OFF, .settle_ticks = 5 * MILLISECOND};
        switches_apply(&switches, &model.machine->processor, &journal);
        frequency_start(&f, &model.machine->processor);
        for (uint64_t from = __builtin_ia32_rdtsc();
             __builtin_ia32_rdtsc() - from < 20 * MILLISECOND;)
            ;
        frequency_end(&f, &model.machine->processor);
        assert_within(f.of_nominal, 0.999, 1.001);
    }
}

/* Nothing is waited for where the clock stays as it is. */
TEST(nothing_settles_without_a_change)
{
    start(model_machine("haswell"));
    switches = (struct switches){.prefetch = SETTING_OFF, .settle_ticks = UINT64_MAX};
    switches_apply(&switches, &model.machine->processor, &journal);
    assert_int_equal(*model_register(0x1a4), 0xf);
}

/* --- the TSC's rate -------------------------------------------------------------------------- */

static void check_rate(const struct model_machine *machine, uint64_t hz, const char *from)
{
    const char *source = "unset";
    model_start(machine);
    uint64_t rate = tsc_rate(&machine->processor, &source);
    if (rate != hz)
        fail_msg("%s: %lu Hz", machine->name, rate);
    assert_same_text(source, from);
    assert_int_equal(model.writes, 0);
}

TEST(tsc_rate_without_a_hypervisor)
{
    struct model_machine bare = *model_machine("kvm"); /* whose leaf then means nothing */
    bare.processor.is_virtual = false;
    check_rate(&bare, 0, NULL);
}

/* The client Skylake leaves its crystal out; the one of its model is known: 24 MHz. */
TEST(tsc_rate_known_crystal)
{
    struct model_machine machine = *model_machine("skylake_sp");
    machine.processor.model = 0x5e;
    check_rate(&machine, 24000000ull * 168 / 2, "CPUID leaf 15H");
    machine.processor.model = 0x5f;
    check_rate(&machine, 25000000ull * 168 / 2, "CPUID leaf 15H");
    machine.cpuid = model_machine("none")->cpuid;
    machine.processor.model = 0x37; /* bus clocks of its own */
    check_rate(&machine, 0, NULL);
    machine.processor.model = 0x2f;
    check_rate(&machine, 21 * 133333333ull, "MSR_PLATFORM_INFO");
}

TEST(tsc_rate_amd)
{
    static struct model_registers registers[] = {ONE(0xc0010015, 1 << 24, 0),
                                                 ONE(0xc0010064, 1ull << 63 | 0x2a8, 0), END};
    struct model_machine machine = *model_machine("zen2");
    machine.registers = registers;
    machine.processor.family = 0x1a;
    check_rate(&machine, 0x2a8 * 5000000ull, "AMD P-state 0 (C001_0064H)");
    machine.processor.family = 0x19;
    check_rate(&machine, 0xa8 * 200000000ull / 2, "AMD P-state 0 (C001_0064H)");
    registers[1].value = 1ull << 63 | 0x9a8; /* an odd divisor */
    check_rate(&machine, 0xa8 * 200000000ull / 9, "AMD P-state 0 (C001_0064H)");
    machine.processor.family = 0x15;
    check_rate(&machine, 0, NULL);
    machine.processor.family = 0x19;
    registers[1].value = 1ull << 63 | 0xa8; /* divisor 0 */
    check_rate(&machine, 0, NULL);
    registers[1].value = 0x2a8; /* not in use */
    check_rate(&machine, 0, NULL);
    registers[1].value = 1ull << 63 | 0x2a8;
    registers[0].value = 0; /* the TSC does not run at P0 */
    check_rate(&machine, 0, NULL);
}

/* --- which rate of the time-stamp counter is believed ----------------------------------------- */

TEST(two_clocks_that_agree_are_believed_against_the_wait)
{
    assert_int_equal(tsc_rate_believed(1000, 2000000, 2001000.0), 2000000);
    assert_int_equal(tsc_rate_believed(3000000, 2000000, 1999000.0), 2000000);
    /* The wait agrees with either, or they do not with each other, or one is not known. */
    assert_int_equal(tsc_rate_believed(2001500, 2000000, 2000900.0), 2001500);
    assert_int_equal(tsc_rate_believed(3000000, 2000000, 2003000.0), 3000000);
    assert_int_equal(tsc_rate_believed(3000000, 0, 2000000.0), 3000000);
    assert_int_equal(tsc_rate_believed(3000000, 2000000, 0), 3000000);
    assert_int_equal(tsc_rate_believed(3000000, 0, 0), 3000000);
}
