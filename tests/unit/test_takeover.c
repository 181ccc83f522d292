/* test_takeover: what forbids to take the processor over is recognised by CPUID and one register.
 */
#include "../../kernel/cpu/takeover.h"
#include "kit.h"
#include "registers_model.h"

#define CR4_USUAL 0x668ul
#define CR4_CET (1ul << 23)
#define SEV_LEAF(eax) LEAF(0x8000001f, 0, eax, 0, 0, 0)
#define ONE_REGISTER(index, value)                                                                 \
    (const struct model_registers[])                                                               \
    {                                                                                              \
        READ_ONLY(index, value), END                                                               \
    }

MODEL_CPUID(plain, {1, 0, {0, 0, 0, 0}});
MODEL_CPUID(shadow, {7, 0, {0, 0, 1 << 7, 0}});
MODEL_CPUID(sev, SEV_LEAF(0xf));
MODEL_CPUID(sme_only, SEV_LEAF(1));
MODEL_CPUID(tdx, {0x21, 0, {0, 0x65746e49, 0x20202020, 0x5844546c}}); /* "Inte" "    " "lTDX" */

static struct model_machine machine = {.name = "made up"};

static const char *obstacle(const struct model_cpuid *cpuid,
                            const struct model_registers *registers, uint64_t cr4)
{
    machine.cpuid = cpuid;
    machine.registers = registers;
    model_start(&machine);
    const char *reason = takeover_obstacle(cr4);
    assert_int_equal(model.writes, 0);
    return reason;
}

TEST(nothing_forbids_it_on_a_usual_machine)
{
    assert_null(obstacle(plain, ONE_REGISTER(0x1b, 0), CR4_USUAL));
    for (unsigned i = 0; i < model_machine_count; i++) {
        model_start(&model_machines[i]);
        assert_null(takeover_obstacle(CR4_USUAL));
    }
}

TEST(shadow_stacks_count_where_they_are_in_force)
{
    const char *reason = obstacle(shadow, ONE_REGISTER(0x6a2, 1), CR4_USUAL | CR4_CET);
    assert_string_equal(
        reason, "the firmware uses supervisor shadow stacks (CET), which cannot be taken over");
    assert_null(obstacle(shadow, ONE_REGISTER(0x6a2, 1), CR4_USUAL));
    assert_null(obstacle(shadow, ONE_REGISTER(0x6a2, 4), CR4_USUAL | CR4_CET)); /* ENDBR only */
    assert_null(obstacle(plain, ONE_REGISTER(0x6a2, 1), CR4_USUAL | CR4_CET));
}

TEST(events_that_do_not_go_by_the_idt)
{
    assert_string_equal(obstacle(plain, ONE_REGISTER(0x1b, 0), CR4_USUAL | 1ul << 32),
                        "the firmware delivers events by FRED, which cannot be taken over");
}

TEST(encrypted_guests_of_amd)
{
    static const struct {
        uint64_t status;
        const char *name;
    } cases[] = {{1, "(AMD SEV)"}, {3, "(AMD SEV-ES)"}, {7, "(AMD SEV-SNP)"}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *reason = obstacle(sev, ONE_REGISTER(0xc0010131, cases[i].status), CR4_USUAL);
        assert_non_null(reason);
        assert_non_null(strstr(reason, cases[i].name));
    }
    assert_null(obstacle(sev, ONE_REGISTER(0xc0010131, 0), CR4_USUAL)); /* a host */
    assert_null(obstacle(sme_only, ONE_REGISTER(0xc0010131, 7), CR4_USUAL));
    assert_null(obstacle(plain, ONE_REGISTER(0xc0010131, 7), CR4_USUAL));
}

TEST(encrypted_guests_of_intel)
{
    const char *reason = obstacle(tdx, ONE_REGISTER(0x1b, 0), CR4_USUAL);
    assert_string_equal(
        reason, "this is an encrypted guest (Intel TDX), whose processor cannot be taken over");
}
