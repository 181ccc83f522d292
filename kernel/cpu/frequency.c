/* frequency: APERF over MPERF, each behind the CPUID bit that promises it; and the sources of the
 * counter's rate, the most exact first. */
#include "frequency.h"

#include "msr.h"

#define APERF 0xe8
#define PERF_STATUS 0x198
#define P_STATE_STATUS 0xc0010063

#define ECX_FEEDBACK 1u    /* CPUID leaf 6 */
#define ECX_SPEEDSTEP 0x80 /* of leaf 1 */
#define EDX_P_STATES 0x80  /* of leaf 80000007H */

static bool read_both(uint64_t *aperf, uint64_t *mperf)
{
    return msr_read(APERF, aperf) && msr_read(MSR_MPERF, mperf);
}

void frequency_start(struct frequency *f, const struct processor *processor)
{
    *f = (struct frequency){.of_nominal = 0};
    if (!(cpuid_read(6, 0).ecx & ECX_FEEDBACK))
        f->why_not = processor->is_virtual ? "the hypervisor hides APERF and MPERF"
                                           : "the processor has no APERF and MPERF";
    else if (!read_both(&f->aperf, &f->mperf))
        f->why_not = "APERF and MPERF cannot be read";
}

static void find_ratio(struct frequency *f)
{
    uint64_t aperf, mperf;
    if (!read_both(&aperf, &mperf))
        f->why_not = "APERF and MPERF cannot be read";
    else if (aperf <= f->aperf || mperf <= f->mperf)
        f->why_not = "APERF and MPERF stand still, as in an emulator";
    else
        f->of_nominal = (double)(aperf - f->aperf) / (double)(mperf - f->mperf);
}

void frequency_end(struct frequency *f, const struct processor *processor)
{
    uint64_t value;
    bool intel = processor->vendor == VENDOR_INTEL && cpuid_read(1, 0).ecx & ECX_SPEEDSTEP;
    bool amd = processor->vendor == VENDOR_AMD && cpuid_read(0x80000007, 0).edx & EDX_P_STATES;
    if (f->why_not == NULL)
        find_ratio(f);
    f->has_p_state = (intel || amd) && msr_read(intel ? PERF_STATUS : P_STATE_STATUS, &value);
    if (f->has_p_state)
        f->p_state = intel ? value >> 8 & 255 : value & 7;
}

/* --- the time-stamp counter ------------------------------------------------------------------ */

#define PLATFORM_INFO 0xce
#define PSTATE_0 0xc0010064
#define PSTATE_VALID (1ull << 63)
#define HWCR 0xc0010015
#define HWCR_TSC_AT_P0 (1u << 24)
#define MHZ 1000000ull

struct by_model {
    struct models models;
    uint64_t hz;
};

/* Crystals of models that leave them out of CPUID leaf 15H: Skylake and Kaby Lake, Denverton,
 * Goldmont. Intel SDM 3B, 18.7.3. */
static const struct by_model crystals[] = {
    {INTEL_6({0x4e, 0x4e}, {0x5e, 0x5e}, {0x8e, 0x8e}, {0x9e, 0x9e}), 24 * MHZ},
    {INTEL_6({0x5f, 0x5f}), 25 * MHZ},
    {INTEL_6({0x5c, 0x5c}), 19200000ull},
};

/* Bus clocks that the ratio of MSR_PLATFORM_INFO multiplies: Nehalem and Westmere, then all big
 * cores since Sandy Bridge, Knights Landing, and the small cores since Goldmont. */
static const struct by_model bus_clocks[] = {
    {INTEL_6({0x1a, 0x1a}, {0x1e, 0x1f}, {0x25, 0x25}, {0x2c, 0x2c}, {0x2e, 0x2f}), 133333333ull},
    {INTEL_6({0x2a, 0x2a}, {0x2d, 0x2d}, {0x3a, 0x3a}, {0x3c, 0x3f}, {0x45, 0x47}, {0x4e, 0x4f},
             {0x55, 0x57}, {0x5c, 0x5c}, {0x5e, 0xff}),
     100 * MHZ},
};

static uint64_t find_rate(const struct by_model *table, unsigned rows, const struct processor *p)
{
    for (unsigned i = 0; i < rows; i++)
        if (models_have(&table[i].models, p))
            return table[i].hz;
    return 0;
}

static uint64_t by_hypervisor(const struct processor *p)
{
    return p->is_virtual ? cpuid_read(0x40000010, 0).eax * 1000ull : 0;
}

static uint64_t by_crystal(const struct processor *p)
{
    struct cpuid_result leaf = cpuid_read(0x15, 0);
    uint64_t crystal = leaf.ecx;
    if (crystal == 0)
        crystal = find_rate(crystals, sizeof crystals / sizeof *crystals, p);
    return leaf.eax != 0 ? crystal * leaf.ebx / leaf.eax : 0;
}

/* Returns the base frequency: where leaf 15H has only the ratio, the crystal follows from it. */
static uint64_t by_base(const struct processor *p)
{
    struct cpuid_result ratio = cpuid_read(0x15, 0);
    (void)p;
    return ratio.eax != 0 && ratio.ebx != 0 ? (cpuid_read(0x16, 0).eax & 0xffff) * MHZ : 0;
}

static uint64_t by_platform_info(const struct processor *p)
{
    uint64_t bus = find_rate(bus_clocks, sizeof bus_clocks / sizeof *bus_clocks, p), value;
    return bus != 0 && msr_read(PLATFORM_INFO, &value) ? (value >> 8 & 255) * bus : 0;
}

static uint64_t by_pstate(const struct processor *p)
{
    uint64_t hwcr, state;
    if (p->vendor != VENDOR_AMD || p->family < 0x17 || p->family > 0x1a || !msr_read(HWCR, &hwcr) ||
        !(hwcr & HWCR_TSC_AT_P0) || !msr_read(PSTATE_0, &state) || !(state & PSTATE_VALID))
        return 0;
    if (p->family == 0x1a)
        return (state & 0xfff) * 5 * MHZ;
    uint64_t divisor = state >> 8 & 63;
    return divisor != 0 ? (state & 255) * 200 * MHZ / divisor : 0;
}

uint64_t tsc_rate(const struct processor *processor, const char **source)
{
    static const struct {
        uint64_t (*rate)(const struct processor *p);
        const char *name;
    } sources[] = {
        {by_hypervisor, "CPUID leaf 40000010H"},   {by_crystal, "CPUID leaf 15H"},
        {by_base, "CPUID leaves 15H and 16H"},     {by_platform_info, "MSR_PLATFORM_INFO"},
        {by_pstate, "AMD P-state 0 (C001_0064H)"},
    };
    for (unsigned i = 0; i < sizeof sources / sizeof *sources; i++) {
        uint64_t hz = sources[i].rate(processor);
        *source = hz != 0 ? sources[i].name : NULL;
        if (hz != 0)
            return hz;
    }
    return 0;
}

static bool agree(double a, double b)
{
    return a > b * 0.999 && a < b * 1.001;
}

uint64_t tsc_rate_believed(uint64_t by_wait, uint64_t by_processor, double by_clock)
{
    double own = (double)by_processor, waited = (double)by_wait;
    bool is_wrong = agree(own, by_clock) && !agree(waited, own) && !agree(waited, by_clock);
    return is_wrong ? by_processor : by_wait;
}
