/* prefetch: lists the registers and bits that switch each model's prefetchers. */
#include "switches.h"

#define MISC_FEATURE_CONTROL 0x1a4
#define ATOM_CONTROL_0 0x1320
#define ATOM_CONTROL_1 0x1321
#define AMD_CONTROL 0xc0000108
#define AMD_CONTROL_PRESENT (1u << 13) /* CPUID 80000021H:EAX */
#define DC_CFG 0xc0011022
#define L2_CONTROL 0xc001102b /* ChL2PfCfg */

#define BIT(n) (1ull << (n))

/* A model's row says which of these it has. */
static const struct msr_bit intel_bits[] = {{0, "L2 streamer"},
                                            {1, "L2 adjacent line"},
                                            {2, "L1 next line"},
                                            {3, "L1 stride"},
                                            {4, "L1 next page"},
                                            {5, "L2 AMP"},
                                            {6, "LLC page"},
                                            {7, "array of pointers"},
                                            {8, "code stream"},
                                            {12, "dynamic logic"},
                                            {0, NULL}};
static const struct msr_bit landing_bits[] = {{0, "L1"}, {1, "L2"}, {0, NULL}};
static const struct msr_bit llc_bits[] = {{43, "LLC stream"}, {0, NULL}};
static const struct msr_bit next_line_bits[] = {{40, "L2 next line"}, {0, NULL}};
static const struct msr_bit amd_bits[] = {{0, "L1 stream"}, {1, "L1 stride"},  {2, "L1 region"},
                                          {3, "L2 stream"}, {5, "L2 up/down"}, {0, NULL}};
static const struct msr_bit data_bits[] = {{13, "L1"},        {15, "L1 after software prefetches"},
                                           {16, "L1 stream"}, {17, "L1 stride"},
                                           {18, "L1 region"}, {0, NULL}};
static const struct msr_bit zen_l2_bits[] = {{0, "L2 stream"}, {2, "L2 up/down"}, {0, NULL}};

/* A 1 in `disable` switches one prefetcher off, a 1 in `enable` on. */
struct prefetch_control {
    struct models models;
    enum core_type type;
    uint32_t msr;
    const struct msr_bit *bits;
    uint64_t disable, enable;
};

#define P CORE_PERFORMANCE
#define E CORE_EFFICIENT
#define CONTROL(type, bits, ...)                                                                   \
    {                                                                                              \
        INTEL_6(__VA_ARGS__), type, MISC_FEATURE_CONTROL, intel_bits, bits, 0                      \
    }
/* The efficient cores have three registers. */
#define ATOM(type, bits, ...)                                                                      \
    CONTROL(type, bits, __VA_ARGS__),                                                              \
        {INTEL_6(__VA_ARGS__), type, ATOM_CONTROL_0, llc_bits, BIT(43), 0},                        \
    {                                                                                              \
        INTEL_6(__VA_ARGS__), type, ATOM_CONTROL_1, next_line_bits, BIT(40), 0                     \
    }
#define GRACEMONT 0x1fd
#define CRESTMONT 0x1ff
#define DARKMONT 0x11ff

/*
 * Intel: SDM 4, MSR_MISC_FEATURE_CONTROL of each model; "Disclosure of hardware prefetcher control
 * on some Intel processors" (2014); "Hardware prefetch controls for Intel Atom cores" (357930).
 *
 * AMD: APM 2, "Prefetch Control" (C000_0108). Processors without it have bits of DC_CFG and of
 * ChL2PfCfg, which the public PPRs leave out. Bits 13 and 15: DisHwPf and DisPfHwForSw in family
 * 15h's BKDG. The same two, and all others: illumos, sys/amdzen/ccx.h, for Zen 2 to 4. Cores before
 * Zen 1 and cores after it agree, so that these bits switch prefetchers alone. All are switched
 * together: prefetch_proof sees streams, not another prefetcher that was left on. Bit 16 and L2's
 * bit 0 were measured on Zen 2: Velten and others, "Memory Performance of AMD EPYC Rome and Intel
 * Cascade Lake SP", 2022 (arXiv 2204.03290). On Zen 3, XMRig sets bits 16 to 18 and clears L2's.
 */
static const struct prefetch_control controls[] = {
    /* Haswell and Broadwell, Skylake and what follows it, Ice Lake, Tiger Lake */
    CONTROL(CORE_ANY, 0xf, {0x3c, 0x3d}, {0x3f, 0x3f}, {0x45, 0x47}, {0x4e, 0x4f}, {0x55, 0x56},
            {0x5e, 0x5e}, {0x66, 0x66}, {0x6a, 0x6a}, {0x6c, 0x6c}, {0x7d, 0x7e}, {0x8c, 0x8e},
            {0x9e, 0x9e}, {0xa5, 0xa7}),
    /* Silvermont, Goldmont, Tremont; Knights Landing and Mill; Sapphire, Emerald, Granite Rapids */
    CONTROL(CORE_ANY, 0x5, {0x37, 0x37}, {0x4a, 0x4a}, {0x4c, 0x4d}, {0x5a, 0x5a}, {0x5c, 0x5c},
            {0x5f, 0x5f}, {0x7a, 0x7a}, {0x86, 0x86}, {0x96, 0x96}, {0x9c, 0x9c}),
    {INTEL_6({0x57, 0x57}, {0x85, 0x85}), CORE_ANY, MISC_FEATURE_CONTROL, landing_bits, 0x3, 0},
    CONTROL(CORE_ANY, 0x3f, {0x8f, 0x8f}, {0xcf, 0xcf}),
    CONTROL(CORE_ANY, 0x1ff, {0xad, 0xae}),
    /* Alder Lake and Raptor Lake, and Bartlett Lake-S of their performance cores alone; Meteor
     * Lake, and of the efficient cores what follows it */
    CONTROL(P, 0x2f, {0x97, 0x97}, {0x9a, 0x9a}, {0xb7, 0xb7}, {0xba, 0xba}, {0xbf, 0xbf},
            {0xd7, 0xd7}),
    CONTROL(P, 0x1ff, {0xaa, 0xaa}, {0xac, 0xac}, {0xb5, 0xb5}),
    ATOM(E, GRACEMONT, {0x97, 0x97}, {0x9a, 0x9a}, {0xb7, 0xb7}, {0xba, 0xba}, {0xbf, 0xbf}),
    ATOM(CORE_ANY, GRACEMONT, {0xbe, 0xbe}), /* Alder Lake-N */
    ATOM(E, CRESTMONT, {0xaa, 0xaa}, {0xac, 0xac}, {0xb5, 0xb5}, {0xbd, 0xbd}, {0xc5, 0xc6}),
    ATOM(CORE_ANY, CRESTMONT, {0xaf, 0xaf}, {0xb6, 0xb6}),       /* Sierra Forest, Grand Ridge */
    ATOM(CORE_ANY, DARKMONT, {0xdd, 0xdd}),                      /* Clearwater Forest */
    ATOM(E, DARKMONT, {0xcc, 0xcc}, {0xd5, 0xd5}, {0xe5, 0xe5}), /* Panther Lake */
    {AMD_FAMILIES(0x17, 0xff), CORE_ANY, AMD_CONTROL, amd_bits, 0x2f, 0},
    {AMD_FAMILIES(0x17, 0x17), CORE_ANY, DC_CFG, data_bits, BIT(13) | BIT(15) | BIT(16), 0},
    {AMD_FAMILIES(0x17, 0x17), CORE_ANY, L2_CONTROL, zen_l2_bits, 0, BIT(0)},
    {AMD_FAMILIES(0x19, 0x19), CORE_ANY, DC_CFG, data_bits, BIT(13) | BIT(15) | 0x7ull << 16, 0},
    {AMD_FAMILIES(0x19, 0x19), CORE_ANY, L2_CONTROL, zen_l2_bits, 0, BIT(0) | BIT(2)},
};

/* A hybrid model sold without efficient cores reports CORE_ANY. */
static bool type_matches(enum core_type wanted, enum core_type running)
{
    if (wanted == P)
        return running == P || running == CORE_ANY;
    if (wanted == E)
        return running == E || running == CORE_LOW_POWER;
    return true;
}

/* AMD's unpublished registers serve where CPUID announces no architectural one, and to no guest:
 * KVM shows zeroes, which would say that all is on, and takes any value without effect. */
static bool applies(const struct prefetch_control *control, const struct processor *processor,
                    enum core_type type)
{
    if (!models_have(&control->models, processor) || !type_matches(control->type, type))
        return false;
    if (processor->vendor != VENDOR_AMD)
        return true;
    bool is_announced = cpuid_read(0x80000021, 0).eax & AMD_CONTROL_PRESENT;
    return control->msr == AMD_CONTROL ? is_announced : !is_announced && !processor->is_virtual;
}

unsigned prefetch_apply(struct msr_switch switches[PREFETCH_SWITCHES_MAX], struct journal *journal,
                        const struct processor *processor, enum core_type type,
                        enum setting_choice choice)
{
    unsigned count = 0;
    for (unsigned i = 0; i < sizeof controls / sizeof *controls; i++) {
        const struct prefetch_control *control = &controls[i];
        if (!applies(control, processor, type) || count == PREFETCH_SWITCHES_MAX)
            continue;
        switches[count] = (struct msr_switch){.name = "prefetch",
                                              .bits = control->bits,
                                              .disable = control->disable,
                                              .enable = control->enable};
        msr_switch_set(&switches[count++], journal, control->msr, choice);
    }
    if (count == 0)
        switches[count++] = (struct msr_switch){
            .name = "prefetch", .why_not = "no register that controls them is known here"};
    return count;
}
