/* power: each register behind the CPUID bit that promises it. */
#include "msr.h"
#include "settings.h"

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

static const struct setting_bit intel_turbo[] = {{38, "turbo"}, {0, NULL}};
static const struct setting_bit amd_boost[] = {{25, "core performance boost"}, {0, NULL}};

static bool turbo_announced(void)
{
    return (cpuid_read(6, 0).eax & EAX_TURBO) != 0;
}

/* CPUID follows the bit; where it does not, the bit is only stored, by a hypervisor for instance.
 */
static void turbo_intel(struct setting *setting, struct journal *journal, enum setting_choice turbo)
{
    uint64_t value = 0;
    msr_read(MISC_ENABLE, &value);
    if (!turbo_announced() && !(value & TURBO_DISABLE)) {
        setting->why_not = "the processor has no turbo";
        return;
    }
    setting->bits = intel_turbo;
    setting->disable = TURBO_DISABLE;
    if (setting_switch(setting, journal, MISC_ENABLE, turbo) && turbo != SETTING_LEAVE &&
        turbo_announced() != (turbo == SETTING_ON))
        setting->why_not = "the bit is kept but CPUID does not follow it";
}

static void turbo_amd(struct setting *setting, struct journal *journal, enum setting_choice turbo)
{
    setting->bits = amd_boost;
    setting->disable = BOOST_DISABLE;
    if (cpuid_read(0x80000007, 0).edx & EDX_BOOST)
        setting_switch(setting, journal, HWCR, turbo);
    else
        setting->why_not = "the processor has no core performance boost";
}

static void bias(struct setting *setting, struct journal *journal, enum setting_choice turbo)
{
    if (cpuid_read(6, 0).ecx & ECX_BIAS)
        setting_apply(setting, journal, ENERGY_PERF_BIAS, turbo != SETTING_LEAVE ? BIAS_MASK : 0,
                      0);
    else
        setting->why_not = "the processor has no energy hint";
}

static void request(struct setting *setting, struct journal *journal, enum setting_choice turbo)
{
    uint32_t features = cpuid_read(6, 0).eax;
    uint64_t enabled, capabilities = 0, now = 0;
    if (!(features & EAX_HWP) || !msr_read(PM_ENABLE, &enabled) || !(enabled & 1)) {
        setting->why_not = "HWP is not in use";
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
        setting->why_not = "the package's request governs";
    else if (turbo == SETTING_OFF && guaranteed == 0)
        setting->why_not = "no guaranteed frequency is announced";
    else
        setting_apply(setting, journal, HWP_REQUEST, mask, guaranteed << 8 | guaranteed);
}

unsigned power_apply(struct setting settings[POWER_SETTINGS_MAX], struct journal *journal,
                     const struct processor *processor, enum setting_choice turbo)
{
    unsigned count = 0;
    bool intel = processor->vendor == VENDOR_INTEL, amd = processor->vendor == VENDOR_AMD;
    settings[count] = (struct setting){.name = "turbo"};
    if (intel)
        turbo_intel(&settings[count++], journal, turbo);
    else if (amd)
        turbo_amd(&settings[count++], journal, turbo);
    else
        settings[count++].why_not = "not known for this vendor";
    if (intel) {
        settings[count] = (struct setting){.name = "energy hint"};
        bias(&settings[count++], journal, turbo);
        settings[count] = (struct setting){.name = "hwp request"};
        request(&settings[count++], journal, turbo);
    }
    return count;
}
