/* test_takeover: what forbids to take the processor over is seen by CPUID and one register. */
#include "../../kernel/cpu/quiet.h"
#include "kit.h"
#include "registers_model.h"

#define CR4_USUAL 0x668ul
#define CR4_CET (1ul << 23)
#define SEV_LEAF(eax) LEAF(0x8000001f, 0, eax, 0, 0, 0)
MODEL_CPUID(plain, {1, 0, {0, 0, 0, 0}});
MODEL_CPUID(shadow, {7, 0, {0, 0, 1 << 7, 0}});
MODEL_CPUID(sev, SEV_LEAF(0xf));
MODEL_CPUID(sme_only, SEV_LEAF(1));
MODEL_CPUID(tdx, {0x21, 0, {0, 0x65746e49, 0x20202020, 0x5844546c}}); /* "Inte" "    " "lTDX" */

#define SHADOW_STACKS "the firmware uses supervisor shadow stacks (CET), which cannot be taken over"
#define FRED "the firmware delivers events by FRED, which cannot be taken over"
#define GUEST(kind) "this is an encrypted guest (" kind "), whose processor cannot be taken over"

TEST(what_forbids_it)
{
    static const struct {
        const struct model_cpuid *cpuid;
        uint32_t msr;
        uint64_t value, cr4;
        const char *obstacle;
    } cases[] = {{plain, 0x1b, 0, CR4_USUAL, NULL},
                 /* Shadow stacks count where they are in force. */
                 {shadow, 0x6a2, 1, CR4_USUAL | CR4_CET, SHADOW_STACKS},
                 {shadow, 0x6a2, 1, CR4_USUAL, NULL},
                 {shadow, 0x6a2, 4, CR4_USUAL | CR4_CET, NULL}, /* ENDBR only */
                 {plain, 0x6a2, 1, CR4_USUAL | CR4_CET, NULL},
                 /* Events that do not go by the IDT. */
                 {plain, 0x1b, 0, CR4_USUAL | 1ul << 32, FRED},
                 {sev, 0xc0010131, 1, CR4_USUAL,
                  "this is an encrypted guest (AMD SEV), whose memory cannot be mapped"},
                 {sev, 0xc0010131, 3, CR4_USUAL, GUEST("AMD SEV-ES")},
                 {sev, 0xc0010131, 7, CR4_USUAL, GUEST("AMD SEV-SNP")},
                 {sev, 0xc0010131, 0, CR4_USUAL, NULL}, /* a host */
                 {sme_only, 0xc0010131, 7, CR4_USUAL, NULL},
                 {plain, 0xc0010131, 7, CR4_USUAL, NULL},
                 {tdx, 0x1b, 0, CR4_USUAL, GUEST("Intel TDX")}};
    for (EACH(c, cases)) {
        const struct model_registers registers[] = {READ_ONLY(c->msr, c->value), END};
        const struct model_machine machine = {
            .name = "made up", .cpuid = c->cpuid, .registers = registers};
        model_start(&machine);
        assert_same_text(takeover_obstacle(c->cr4), c->obstacle);
        assert_int_equal(model.writes, 0);
    }
}

TEST(nothing_forbids_it_on_a_usual_machine)
{
    for (unsigned i = 0; i < model_machine_count; i++) {
        model_start(&model_machines[i]);
        assert_null(takeover_obstacle(CR4_USUAL));
    }
}
