/* test_machine_check: what is in the banks is judged, told, and cleared where it is ours. */
#include "../../kernel/cpu/machine_check.h"
#include "kit.h"
#include "registers_model.h"

#define BANKS 10
#define MCG_STATUS 0x17a
#define STATUS(bank) (0x401 + 4 * (bank))
#define ADDRESS(bank) (0x402 + 4 * (bank))
#define MISC(bank) (0x403 + 4 * (bank))

#define VALID (1ull << 63)
#define OVERFLOW (1ull << 62)
#define UNCORRECTED (1ull << 61)
#define ENABLED (1ull << 60)
#define HAS_MISC (1ull << 59)
#define HAS_ADDRESS (1ull << 58)
#define CORRUPT (1ull << 57)
#define STOP (1ull << 55)
#define RESTART_POSSIBLE 1u
#define IN_PROGRESS 4u

MODEL_CPUID(with_banks, {1, 0, {0, 0, 0, 1 << 14 | 1 << 7 | 1}});
MODEL_CPUID(without_banks, {1, 0, {0, 0, 0, 1 << 7}});

/* As Intel's: a status register takes nothing but 0. */
#define BANKS_OF(count)                                                                            \
    READ_ONLY(0x179, 0x1000100 | (count)), ONE(MCG_STATUS, 0, ~7ull),                              \
        REGISTERS(0x400, BANKS, 4, ~0ull, 0, 0), REGISTERS(0x401, BANKS, 4, 0, ~0ull, 0),          \
        REGISTERS(0x402, BANKS, 4, 0, ~0ull, 0), REGISTERS(0x403, BANKS, 4, 0, ~0ull, 0)
MODEL_MSRS(usual, BANKS_OF(BANKS));
MODEL_MSRS(many, BANKS_OF(200));
MODEL_MSRS(none, ONE(0x1b, 0, 0));

static struct model_machine machine = {.name = "made up"};

static void start_with(const struct model_registers *registers, const struct model_cpuid *cpuid)
{
    struct machine_check_error error;
    machine.registers = registers;
    machine.cpuid = cpuid;
    model_start(&machine);
    while (machine_check_next(&error))
        ;
}

SETUP(start)
{
    start_with(usual, with_banks);
    machine_check_begin();
}

static void put(unsigned bank, uint64_t status)
{
    *model_register(STATUS(bank)) = VALID | status;
    *model_register(ADDRESS(bank)) = 0x1000 + bank;
    *model_register(MISC(bank)) = 0x8c;
}

static enum machine_check_end raise(uint64_t global)
{
    *model_register(MCG_STATUS) = IN_PROGRESS | global;
    enum machine_check_end end = machine_check_handle();
    assert_int_equal(*model_register(MCG_STATUS), 0); /* else the next one shuts it down */
    assert_int_equal(model.violations, 0);
    return end;
}

static struct machine_check_error next(void)
{
    struct machine_check_error error;
    assert_true(machine_check_next(&error));
    return error;
}

static void check_none(void)
{
    struct machine_check_error error;
    assert_false(machine_check_next(&error));
}

TEST(an_exception_ends_as_its_banks_say)
{
    static const struct {
        uint64_t status, global;
        enum machine_check_end end;
    } cases[] = {{0, RESTART_POSSIBLE, MACHINE_CHECK_GO_ON},
                 {OVERFLOW, RESTART_POSSIBLE, MACHINE_CHECK_GO_ON},
                 {CORRUPT, RESTART_POSSIBLE, MACHINE_CHECK_CORRUPT},
                 {UNCORRECTED, RESTART_POSSIBLE, MACHINE_CHECK_GO_ON},
                 {UNCORRECTED | STOP, RESTART_POSSIBLE, MACHINE_CHECK_STOP},
                 {UNCORRECTED | CORRUPT, RESTART_POSSIBLE, MACHINE_CHECK_CORRUPT},
                 {UNCORRECTED | CORRUPT | STOP, RESTART_POSSIBLE, MACHINE_CHECK_CORRUPT},
                 {UNCORRECTED | OVERFLOW, RESTART_POSSIBLE, MACHINE_CHECK_CORRUPT},
                 {0, 0, MACHINE_CHECK_CORRUPT},
                 {UNCORRECTED, 0, MACHINE_CHECK_CORRUPT},
                 {UNCORRECTED | STOP, 0, MACHINE_CHECK_CORRUPT}};
    for (EACH(c, cases)) {
        start();
        put(3, c->status);
        assert_int_equal(raise(c->global), c->end);
        /* What is corrupt stays for firmware to find. */
        assert_int_equal(*model_register(STATUS(3)) != 0, c->end == MACHINE_CHECK_CORRUPT);
        struct machine_check_error error = next();
        assert_numbers((error.moment, error.bank), (MACHINE_CHECK_EXCEPTION, 3));
        assert_int_equal(error.status, VALID | c->status);
        assert_int_equal(error.global, IN_PROGRESS | c->global);
        check_none();
    }
}

TEST(the_worst_bank_decides)
{
    put(0, UNCORRECTED | STOP);
    put(5, 0);
    assert_int_equal(raise(RESTART_POSSIBLE), MACHINE_CHECK_STOP);
    put(0, UNCORRECTED | CORRUPT);
    put(9, UNCORRECTED | STOP);
    assert_int_equal(raise(RESTART_POSSIBLE), MACHINE_CHECK_CORRUPT);
    assert_int_equal(next().bank, 0);
    assert_int_equal(next().bank, 5);
    assert_int_equal(next().bank, 0);
    assert_int_equal(next().bank, 9);
    check_none();
}

TEST(an_exception_without_a_bank_is_told)
{
    char words[240];
    assert_int_equal(raise(RESTART_POSSIBLE), MACHINE_CHECK_GO_ON);
    struct machine_check_error error = next();
    assert_int_equal(error.bank, MACHINE_CHECK_NO_BANK);
    assert_string_equal(machine_check_words(&error, words, sizeof words),
                        "machine check (exception, MCG_STATUS 0x5, restart possible): no bank of "
                        "this processor holds an error");
    assert_int_equal(raise(0), MACHINE_CHECK_CORRUPT);
}

TEST(address_and_misc_are_read_where_they_are_valid)
{
    put(1, 0x17a);
    put(2, HAS_ADDRESS);
    put(3, HAS_MISC | HAS_ADDRESS);
    machine_check_look();
    struct machine_check_error error = next();
    assert_numbers((error.address, error.misc), (0, 0));
    error = next();
    assert_numbers((error.address, error.misc), (0x1002, 0));
    error = next();
    assert_numbers((error.address, error.misc), (0x1003, 0x8c));
}

TEST(what_was_there_is_told_once_and_left)
{
    put(4, UNCORRECTED | CORRUPT | 0x135);
    machine_check_begin();
    assert_int_equal(next().moment, MACHINE_CHECK_FOUND);
    machine_check_look();
    check_none();
    put(2, 0);
    assert_int_equal(raise(RESTART_POSSIBLE), MACHINE_CHECK_GO_ON); /* not by bank 4 */
    assert_int_equal(next().bank, 2);
    check_none();
    assert_int_equal(*model_register(STATUS(2)), 0);
    assert_int_equal(*model_register(STATUS(4)), VALID | UNCORRECTED | CORRUPT | 0x135);
    /* Another one on top of it is told, too, and cannot be taken away again; corrupt
     * is the old one. */
    put(4, UNCORRECTED | CORRUPT | OVERFLOW | 0x135);
    assert_int_equal(machine_check_look(), MACHINE_CHECK_GO_ON);
    assert_int_equal(next().moment, MACHINE_CHECK_NOTICED);
    machine_check_look();
    check_none();
    assert_int_equal(*model_register(STATUS(4)), VALID | UNCORRECTED | CORRUPT | OVERFLOW | 0x135);
    assert_int_equal(model.violations, 0);
}

TEST(what_comes_without_an_exception_is_noticed_and_cleared)
{
    struct machine_check_totals before = machine_check_totals();
    machine_check_look();
    check_none();
    put(7, HAS_ADDRESS | 0x9f);
    machine_check_look();
    machine_check_look();
    assert_int_equal(next().moment, MACHINE_CHECK_NOTICED);
    check_none();
    assert_int_equal(*model_register(STATUS(7)), 0);
    *model_register(STATUS(7)) = 0x9f; /* not valid */
    machine_check_look();
    check_none();
    struct machine_check_totals after = machine_check_totals();
    assert_int_equal(after.errors[MACHINE_CHECK_NOTICED], before.errors[MACHINE_CHECK_NOTICED] + 1);
    assert_int_equal(after.banks, BANKS);
}

TEST(what_comes_without_an_exception_may_end_the_work)
{
    static const struct {
        uint64_t before, status, global;
        enum machine_check_end end;
    } cases[] = {
        {0, ENABLED, 0, MACHINE_CHECK_GO_ON},
        {0, ENABLED | STOP, 0, MACHINE_CHECK_GO_ON},
        {0, ENABLED | UNCORRECTED, 0, MACHINE_CHECK_GO_ON},
        {0, ENABLED | UNCORRECTED | OVERFLOW, 0, MACHINE_CHECK_GO_ON},
        {0, ENABLED | UNCORRECTED | STOP, 0, MACHINE_CHECK_STOP},
        {0, ENABLED | UNCORRECTED | STOP | OVERFLOW, 0, MACHINE_CHECK_STOP},
        {0, ENABLED | UNCORRECTED | CORRUPT, 0, MACHINE_CHECK_CORRUPT},
        {0, ENABLED | CORRUPT, 0, MACHINE_CHECK_CORRUPT},
        {0, UNCORRECTED | CORRUPT, 0, MACHINE_CHECK_GO_ON}, /* its source is switched off */
        /* The bank held another one before. */
        {ENABLED, ENABLED | UNCORRECTED | CORRUPT, 0, MACHINE_CHECK_CORRUPT},
        {ENABLED, ENABLED | UNCORRECTED | STOP, 0, MACHINE_CHECK_STOP},
        {CORRUPT, ENABLED | CORRUPT | OVERFLOW, 0, MACHINE_CHECK_GO_ON},
        /* Its exception is due. */
        {0, UNCORRECTED, IN_PROGRESS | RESTART_POSSIBLE, MACHINE_CHECK_GO_ON},
        {0, UNCORRECTED | OVERFLOW, IN_PROGRESS | RESTART_POSSIBLE, MACHINE_CHECK_CORRUPT},
        {0, UNCORRECTED, IN_PROGRESS, MACHINE_CHECK_CORRUPT},
        {0, ENABLED, IN_PROGRESS, MACHINE_CHECK_GO_ON}, /* not for a corrected one */
    };
    for (EACH(c, cases)) {
        start();
        if (c->before != 0) {
            put(3, c->before);
            machine_check_begin();
            next();
        }
        put(3, c->status);
        *model_register(MCG_STATUS) = c->global;
        assert_int_equal(machine_check_look(), c->end);
        bool stays = c->before != 0 || c->end == MACHINE_CHECK_CORRUPT;
        assert_int_equal(*model_register(STATUS(3)) != 0, stays);
        assert_int_equal(*model_register(MCG_STATUS), c->global);
        assert_int_equal(next().moment, MACHINE_CHECK_NOTICED);
        assert_int_equal(machine_check_look(), MACHINE_CHECK_GO_ON);
        check_none();
    }
    start();
    put(1, ENABLED | UNCORRECTED | STOP);
    put(4, ENABLED | UNCORRECTED);
    assert_int_equal(machine_check_look(), MACHINE_CHECK_STOP);
}

TEST(more_than_can_be_kept_are_counted)
{
    unsigned before = machine_check_totals().errors[MACHINE_CHECK_NOTICED];
    for (unsigned i = 0; i < MACHINE_CHECK_ERRORS_MAX + 5; i++) {
        put(i % BANKS, i);
        machine_check_look();
    }
    for (unsigned i = 0; i < MACHINE_CHECK_ERRORS_MAX; i++)
        assert_int_equal(next().status & 0xff, i);
    check_none();
    assert_int_equal(machine_check_totals().errors[MACHINE_CHECK_NOTICED],
                     before + MACHINE_CHECK_ERRORS_MAX + 5);
}

TEST(without_banks_nothing_is_touched)
{
    start_with(none, without_banks);
    machine_check_begin();
    machine_check_look();
    assert_int_equal(machine_check_totals().banks, 0);
    assert_int_equal(model.writes, 0);
    check_none();
    start_with(none, with_banks); /* announced, and not there */
    machine_check_begin();
    machine_check_look();
    check_none();
    assert_int_equal(machine_check_handle(), MACHINE_CHECK_CORRUPT);
}

TEST(more_banks_than_are_known_do_no_harm)
{
    start_with(many, with_banks);
    machine_check_begin();
    assert_int_equal(machine_check_totals().banks, MACHINE_CHECK_BANKS_MAX);
    put(9, 0);
    machine_check_look();
    assert_int_equal(next().bank, 9);
}

TEST(words)
{
    static const struct {
        struct machine_check_error error;
        const char *words;
    } cases[] = {
        {{MACHINE_CHECK_FOUND, 4, 0, 0x9400004000040136, 0x1234, 0},
         "machine check (found at the start): bank 4, corrected, cache; status "
         "0x9400004000040136, address 0x1234"},
        {{MACHINE_CHECK_NOTICED, 13, 0, 0xdc0000400001009f, 0x1234, 0x8c},
         "machine check (without an exception): bank 13, corrected, others lost, memory "
         "controller; status 0xdc0000400001009f, address 0x1234, misc 0x8c"},
        {{MACHINE_CHECK_EXCEPTION, 0, 4, 0xb200000000000e0b, 0, 0},
         "machine check (exception, MCG_STATUS 0x4, restart not possible): bank 0, uncorrected, "
         "processor context corrupt, bus or interconnect; status 0xb200000000000e0b"},
        {{MACHINE_CHECK_EXCEPTION, 1, 5, 0xb080000000000400, 0, 0},
         "machine check (exception, MCG_STATUS 0x5, restart possible): bank 1, uncorrected, the "
         "work cannot go on, internal timer; status 0xb080000000000400"},
        {{MACHINE_CHECK_EXCEPTION, 1, 5, 0xb000000000001014, 0, 0},
         "machine check (exception, MCG_STATUS 0x5, restart possible): bank 1, uncorrected, TLB; "
         "status 0xb000000000001014"},
        {{MACHINE_CHECK_NOTICED, 1, 0, 0x9000000000000290, 0, 0},
         "machine check (without an exception): bank 1, corrected, memory used as cache; status "
         "0x9000000000000290"},
        {{MACHINE_CHECK_NOTICED, 1, 0, 0x9000000000008000, 0, 0},
         "machine check (without an exception): bank 1, corrected, of another kind; status "
         "0x9000000000008000"},
    };
    char words[240];
    for (EACH(c, cases))
        assert_string_equal(machine_check_words(&c->error, words, sizeof words), c->words);
}
