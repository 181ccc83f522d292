/* power: uses each register only if CPUID announces it. */
#include "msr.h"
#include "switches.h"

#define MISC_ENABLE 0x1a0
#define TURBO_DISABLE (1ull << 38)
#define ENERGY_PERF_BIAS 0x1b0
#define BIAS_MASK 15ull /* 0: performance */
#define PM_ENABLE 0x770
#define HWP_CAPABILITIES 0x771
#define HWP_REQUEST 0x774
#define HWP_RATIOS 0xffffffull       /* minimum, maximum, desired */
#define HWP_PREFERENCE 0xff000000ull /* 0: performance */
#define HWP_PACKAGE_CONTROL (1ull << 42)
#define HWCR 0xc0010015
#define BOOST_DISABLE (1ull << 25)

/* CPUID leaf 6. */
#define EAX_TURBO (1u << 1)
#define EAX_HWP (1u << 7)
#define EAX_HWP_PREFERENCE (1u << 10)
#define EAX_HWP_PACKAGE (1u << 11)
#define ECX_BIAS (1u << 3)
#define EDX_BOOST (1u << 9) /* of leaf 80000007H */

static const struct msr_bit intel_turbo[] = {{38, "turbo"}, {0, NULL}};
static const struct msr_bit amd_boost[] = {{25, "core performance boost"}, {0, NULL}};

static bool turbo_announced(void)
{
    return (cpuid_read(6, 0).eax & EAX_TURBO) != 0;
}

/* If CPUID does not follow the bit, something only stores it: a hypervisor, for instance. */
static void turbo_intel(struct msr_switch *s, struct journal *journal, enum setting_choice turbo)
{
    uint64_t value = 0;
    msr_read(MISC_ENABLE, &value);
    if (!turbo_announced() && !(value & TURBO_DISABLE)) {
        s->why_not = "the processor has no turbo";
        return;
    }
    s->bits = intel_turbo;
    s->disable = TURBO_DISABLE;
    if (msr_switch_set(s, journal, MISC_ENABLE, turbo) && turbo != SETTING_LEAVE &&
        turbo_announced() != (turbo == SETTING_ON))
        s->why_not = "the bit is kept but CPUID does not follow it";
}

static void turbo_amd(struct msr_switch *s, struct journal *journal, enum setting_choice turbo)
{
    s->bits = amd_boost;
    s->disable = BOOST_DISABLE;
    if (cpuid_read(0x80000007, 0).edx & EDX_BOOST)
        msr_switch_set(s, journal, HWCR, turbo);
    else
        s->why_not = "the processor has no core performance boost";
}

static void set_bias(struct msr_switch *s, struct journal *journal, enum setting_choice turbo)
{
    if (cpuid_read(6, 0).ecx & ECX_BIAS)
        msr_switch_write(s, journal, ENERGY_PERF_BIAS, turbo != SETTING_LEAVE ? BIAS_MASK : 0, 0);
    else
        s->why_not = "the processor has no energy hint";
}

static void request_hwp(struct msr_switch *s, struct journal *journal, enum setting_choice turbo)
{
    uint32_t features = cpuid_read(6, 0).eax;
    uint64_t enabled, capabilities = 0, now = 0;
    if (!(features & EAX_HWP) || !msr_read(PM_ENABLE, &enabled) || !(enabled & 1)) {
        s->why_not = "HWP is not in use";
        return;
    }
    msr_read(HWP_CAPABILITIES, &capabilities);
    msr_read(HWP_REQUEST, &now);
    uint64_t guaranteed = capabilities >> 8 & 255;
    uint64_t mask = features & EAX_HWP_PREFERENCE ? HWP_PREFERENCE : 0;
    if (turbo == SETTING_OFF)
        mask |= HWP_RATIOS;
    if (turbo == SETTING_LEAVE)
        mask = 0;
    if (features & EAX_HWP_PACKAGE && now & HWP_PACKAGE_CONTROL)
        s->why_not = "the package's request governs";
    else if (turbo == SETTING_OFF && guaranteed == 0)
        s->why_not = "no guaranteed frequency is announced";
    else
        msr_switch_write(s, journal, HWP_REQUEST, mask, guaranteed << 8 | guaranteed);
}

unsigned power_apply(struct msr_switch switches[POWER_SWITCHES_MAX], struct journal *journal,
                     const struct processor *processor, enum setting_choice turbo)
{
    static const struct {
        enum processor_vendor vendor;
        const char *name;
        void (*apply)(struct msr_switch *s, struct journal *journal, enum setting_choice turbo);
    } known[] = {{VENDOR_INTEL, "turbo", turbo_intel},
                 {VENDOR_INTEL, "energy hint", set_bias},
                 {VENDOR_INTEL, "hwp request", request_hwp},
                 {VENDOR_AMD, "turbo", turbo_amd}};
    unsigned count = 0;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].vendor == processor->vendor) {
            switches[count] = (struct msr_switch){.name = known[i].name};
            known[i].apply(&switches[count++], journal, turbo);
        }
    if (count == 0)
        switches[count++] =
            (struct msr_switch){.name = "turbo", .why_not = "not known for this vendor"};
    return count;
}
