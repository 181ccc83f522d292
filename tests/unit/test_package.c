/* test_package: the uncore's clock and the encryption of memory, on processors of the model. */
#include "../../kernel/cpu/package.h"
#include "../../kernel/lib/text.h"
#include "kit.h"
#include "registers_model.h"

static struct uncore_clock found;

static void put(struct model_machine *machine, uint64_t limit, uint64_t status)
{
    static struct model_registers registers[3];
    registers[0] = (struct model_registers)ONE(0x620, limit, 0);
    registers[1] = (struct model_registers)ONE(0x621, status, 0);
    machine->registers = registers;
    model_start(machine);
    memset(&found, 0, sizeof found);
}

static struct model_machine intel_of(uint8_t model_number)
{
    struct model_machine machine = *model_machine("none");
    machine.processor.model = model_number;
    return machine;
}

static void assert_span(unsigned i, const char *step, unsigned least, unsigned most)
{
    assert_compare(i, <, found.spans);
    assert_string_equal(found.span[i].step, step);
    assert_numbers((found.span[i].least, found.span[i].most), (least, most));
}

/* Bits besides the ratios mean nothing; each step has its own least and most. */
TEST(uncore_in_each_step)
{
    struct model_machine machine = intel_of(0x55);
    put(&machine, 0xffff8c98, 0xff94);
    uncore_look(&found, &machine.processor, "mlp");
    assert_null(found.why_not);
    assert_numbers((found.permitted.least, found.permitted.most), (1200, 2400));
    *model_register(0x621) = 0x0c;
    uncore_look(&found, &machine.processor, "mlp");
    *model_register(0x621) = 0x18;
    uncore_look(&found, &machine.processor, "array");
    *model_register(0x621) = 0x10;
    uncore_look(&found, &machine.processor, "mlp");
    assert_int_equal(found.spans, 2);
    assert_span(0, "mlp", 1200, 2000);
    assert_span(1, "array", 2400, 2400);
    assert_int_equal(model.writes, 0);
}

/* More steps than fit are left out. */
TEST(uncore_of_many_steps)
{
    static char step[UNCORE_SPANS_MAX + 1][8];
    struct model_machine machine = intel_of(0x55);
    put(&machine, 0, 20);
    for (unsigned i = 0; i <= UNCORE_SPANS_MAX; i++)
        uncore_look(&found, &machine.processor, text_write(step[i], sizeof step[i], "%u", i));
    assert_int_equal(found.spans, UNCORE_SPANS_MAX);
    assert_span(UNCORE_SPANS_MAX - 1, "31", 2000, 2000);
    assert_numbers((found.permitted.least, found.permitted.most), (0, 0));
}

TEST(uncore_is_not_known)
{
    static const struct model_registers none[] = {END};
    static const struct {
        struct processor processor;
        bool is_there;
        uint64_t status;
        const char *why;
    } cases[] = {
        {{.vendor = VENDOR_INTEL, .family = 6, .model = 0x3a},
         false,
         0,
         "the processor has no register that tells it"},
        {{.vendor = VENDOR_INTEL, .family = 6, .model = 0x55},
         true,
         0xff80,
         "the processor has no register that tells it"},
        {{.vendor = VENDOR_INTEL, .family = 6, .model = 0xad},
         true,
         20,
         "this model tells it by TPMI alone"},
        {{.vendor = VENDOR_INTEL, .family = 6, .model = 0xaf},
         true,
         20,
         "this model tells it by TPMI alone"},
        {{.vendor = VENDOR_INTEL, .family = 6, .model = 0x55, .is_virtual = true},
         true,
         20,
         "a hypervisor hides it"},
        {{.vendor = VENDOR_AMD, .family = 0x19, .model = 1},
         true,
         20,
         "no register of this vendor is known to tell it"},
    };
    for (EACH(c, cases)) {
        struct model_machine machine = {
            .name = "any", .processor = c->processor, .cpuid = model_machine("none")->cpuid};
        put(&machine, 0x0c18, c->status);
        if (!c->is_there)
            machine.registers = none;
        uncore_look(&found, &machine.processor, "mlp");
        assert_string_equal(found.why_not, c->why);
        assert_int_equal(found.spans, 0);
    }
}

/* --- encryption ------------------------------------------------------------------------------ */

#define TME LEAF(7, 0, 0, 0, 1 << 13, 0)
#define SME LEAF(0x8000001f, 0, 1, 0, 0, 0)

TEST(encryption)
{
    MODEL_CPUID(none, LEAF(7, 0, 0, 0, 0, 0));
    MODEL_CPUID(tme, TME);
    MODEL_CPUID(sme, SME);
    static const struct {
        struct processor processor;
        const struct model_cpuid *cpuid;
        uint32_t msr;
        uint64_t value;
        const char *words;
    } cases[] = {
        {{.vendor = VENDOR_INTEL}, none, 0x982, 3, "off: the processor has none"},
        {{.vendor = VENDOR_INTEL}, tme, 0x982, 1, "off"},
        {{.vendor = VENDOR_INTEL}, tme, 0x982, 2, "off"}, /* not locked: not in force */
        {{.vendor = VENDOR_INTEL}, tme, 0x982, 3, "on: AES-XTS-128"},
        {{.vendor = VENDOR_INTEL}, tme, 0x982, 0x23, "on: AES-XTS-256"},
        {{.vendor = VENDOR_INTEL}, tme, 0x982, 0xf3, "on"},
        {{.vendor = VENDOR_INTEL},
         tme,
         0x982,
         0x80000003,
         "off: by-passed, but for memory with a key of its own"},
        {{.vendor = VENDOR_INTEL}, tme, 0x17, 0, "not known: IA32_TME_ACTIVATE cannot be read"},
        {{.vendor = VENDOR_INTEL, .is_virtual = true},
         tme,
         0x982,
         3,
         "not known: a hypervisor hides it"},
        {{.vendor = VENDOR_AMD}, none, 0xc0010010, 1 << 23, "off: the processor has none"},
        {{.vendor = VENDOR_AMD},
         sme,
         0xc0010010,
         1 << 23,
         "not known: of all memory (TSME); SME is on, and not used"},
        {{.vendor = VENDOR_AMD}, sme, 0xc0010010, 0, "not known: of all memory (TSME); SME is off"},
        {{.vendor = VENDOR_AMD}, sme, 0x17, 0, "not known: SYSCFG cannot be read"},
        {{.vendor = VENDOR_OTHER}, tme, 0x982, 3, "not known: no register of this vendor tells it"},
    };
    for (EACH(c, cases)) {
        const struct model_registers registers[] = {ONE(c->msr, c->value, 0), END};
        struct model_machine machine = {
            .name = "any", .processor = c->processor, .cpuid = c->cpuid, .registers = registers};
        model_start(&machine);
        assert_string_equal(memory_encryption(&machine.processor), c->words);
        assert_int_equal(model.writes, 0);
    }
}
