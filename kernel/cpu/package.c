/* package: reads each register by MSR number, since those that are missing only fault. */
#include "package.h"

#include "../lib/string.h"
#include "msr.h"

#define UNCORE_RATIO_LIMIT 0x620
#define UNCORE_PERF_STATUS 0x621
#define RATIO 127 /* bits of a ratio */
#define RATIO_MHZ 100

#define TME_ACTIVATE 0x982
#define ECX_TME (1u << 13) /* CPUID leaf 7 */
#define TME_LOCKED_AND_ENABLED 3ull
#define TME_BYPASS (1ull << 31) /* the key of all who ask for none encrypts nothing */
#define SYSCFG 0xc0010010
#define SYSCFG_SMEE (1ull << 23)
#define EAX_SME 1u /* LEAF_ENCRYPTION */

/* Granite Rapids, Sierra Forest, Grand Ridge, Clearwater Forest. */
static const struct models by_tpmi = INTEL_6({0xad, 0xaf}, {0xb6, 0xb6}, {0xdd, 0xdd});

static const char *why_unknown(const struct processor *processor)
{
    if (processor->is_virtual)
        return "a hypervisor hides it";
    if (processor->vendor != VENDOR_INTEL)
        return "no register of this vendor is known to tell it";
    return models_have(&by_tpmi, processor) ? "this model tells it by TPMI alone" : NULL;
}

static struct uncore_span *span_of(struct uncore_clock *clock, const char *step)
{
    for (unsigned i = 0; i < clock->spans; i++)
        if (strcmp(clock->span[i].step, step) == 0)
            return &clock->span[i];
    if (clock->spans == UNCORE_SPANS_MAX)
        return NULL;
    clock->span[clock->spans] = (struct uncore_span){.step = step, .least = UINT32_MAX};
    return &clock->span[clock->spans++];
}

void uncore_look(struct uncore_clock *clock, const struct processor *processor, const char *step)
{
    uint64_t limit = 0, status = 0;
    if (clock->why_not == NULL)
        clock->why_not = why_unknown(processor);
    if (clock->why_not != NULL)
        return;
    bool is_told = msr_read(UNCORE_PERF_STATUS, &status) && (status & RATIO) != 0;
    if (!is_told) {
        clock->why_not = "the processor has no register that tells it";
        return;
    }
    if (msr_read(UNCORE_RATIO_LIMIT, &limit)) {
        clock->permitted.least = (limit >> 8 & RATIO) * RATIO_MHZ;
        clock->permitted.most = (limit & RATIO) * RATIO_MHZ;
    }
    unsigned mhz = (status & RATIO) * RATIO_MHZ;
    struct uncore_span *span = span_of(clock, step);
    if (span != NULL && mhz < span->least)
        span->least = mhz;
    if (span != NULL && mhz > span->most)
        span->most = mhz;
}

static const char *encryption_of_intel(void)
{
    static const char *const on[] = {"on: AES-XTS-128", "on: AES-XTS-128 with integrity",
                                     "on: AES-XTS-256", "on: AES-XTS-256 with integrity"};
    uint64_t value;
    if (!(cpuid_read(7, 0).ecx & ECX_TME))
        return "off: the processor has none";
    if (!msr_read(TME_ACTIVATE, &value))
        return "not known: IA32_TME_ACTIVATE cannot be read";
    if ((value & TME_LOCKED_AND_ENABLED) != TME_LOCKED_AND_ENABLED)
        return "off";
    unsigned policy = value >> 4 & 15;
    if (value & TME_BYPASS)
        return "off: by-passed, but for memory with a key of its own";
    return policy < sizeof on / sizeof *on ? on[policy] : "on";
}

/* Our page tables never set the C-bit that asks for encryption. TSME encrypts without being asked,
 * by the firmware's setup, and no register of the processor tells it. */
static const char *encryption_of_amd(void)
{
    uint64_t value;
    if (!(cpuid_read(LEAF_ENCRYPTION, 0).eax & EAX_SME))
        return "off: the processor has none";
    if (!msr_read(SYSCFG, &value))
        return "not known: SYSCFG cannot be read";
    return value & SYSCFG_SMEE ? "not known: of all memory (TSME); SME is on, and not used"
                               : "not known: of all memory (TSME); SME is off";
}

const char *memory_encryption(const struct processor *processor)
{
    if (processor->is_virtual)
        return "not known: a hypervisor hides it";
    return processor->vendor == VENDOR_INTEL ? encryption_of_intel()
           : processor->vendor == VENDOR_AMD ? encryption_of_amd()
                                             : "not known: no register of this vendor tells it";
}
