/* frequency: APERF over MPERF, each behind the CPUID bit that promises it. */
#include "frequency.h"

#include <stddef.h>

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

static void find_p_state(struct frequency *f, const struct processor *processor)
{
    uint64_t value;
    bool intel = processor->vendor == VENDOR_INTEL && cpuid_read(1, 0).ecx & ECX_SPEEDSTEP;
    bool amd = processor->vendor == VENDOR_AMD && cpuid_read(0x80000007, 0).edx & EDX_P_STATES;
    f->has_p_state = (intel || amd) && msr_read(intel ? PERF_STATUS : P_STATE_STATUS, &value);
    if (f->has_p_state)
        f->p_state = intel ? value >> 8 & 255 : value & 7;
}

void frequency_end(struct frequency *f, const struct processor *processor)
{
    if (f->why_not == NULL)
        find_ratio(f);
    find_p_state(f, processor);
}
