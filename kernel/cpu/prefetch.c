/* prefetch: which bits of which register switch the prefetchers of which model. */
#include <stddef.h>

#include "settings.h"

#define MISC_ENABLE 0x1a0
#define MISC_FEATURE_CONTROL 0x1a4
#define ATOM_CONTROL_0 0x1320
#define ATOM_CONTROL_1 0x1321
#define AMD_CONTROL 0xc0000108
#define AMD_CONTROL_PRESENT (1u << 13) /* CPUID 80000021H:EAX */
#define DC_CFG 0xc0011022

#define BIT(n) (1ull << (n))
#define CORE2_BITS (BIT(9) | BIT(19) | BIT(37) | BIT(39))
#define LLC_STREAM BIT(43)
#define L2_NEXT_LINE BIT(40)

enum when { ALWAYS, IF_ANNOUNCED };

/* A 1 in `disable` switches one prefetcher off. */
struct control {
    struct model_range models;
    enum core_type type;
    enum when when;
    uint32_t msr;
    uint64_t disable;
};

#define P CORE_PERFORMANCE
#define E CORE_EFFICIENT
#define CLASSIC(first, last)                                                                       \
    {                                                                                              \
        INTEL_6(first, last), CORE_ANY, ALWAYS, MISC_FEATURE_CONTROL, 0xf                          \
    }
#define CONTROL(first, last, type, bits)                                                           \
    {                                                                                              \
        INTEL_6(first, last), type, ALWAYS, MISC_FEATURE_CONTROL, bits                             \
    }
/* The efficient cores have three registers. */
#define ATOM(first, last, type, bits)                                                              \
    CONTROL(first, last, type, bits),                                                              \
        {INTEL_6(first, last), type, ALWAYS, ATOM_CONTROL_0, LLC_STREAM},                          \
    {                                                                                              \
        INTEL_6(first, last), type, ALWAYS, ATOM_CONTROL_1, L2_NEXT_LINE                           \
    }
#define GRACEMONT 0x1fd
#define CRESTMONT 0x1ff
#define DARKMONT 0x11ff

/*
 * Intel: SDM 4, tables 2-3 (Core 2) and 2-15 on; "Disclosure of hardware prefetcher control on some
 * Intel processors" (2014); "Hardware prefetch controls for Intel Atom cores" (357930). AMD: APM 2,
 * "Prefetch Control"; BKDG and PPR of families 10h to 17h, MSRC001_1022.
 */
static const struct control controls[] = {
    {INTEL_6(0x0f, 0x0f), CORE_ANY, ALWAYS, MISC_ENABLE, CORE2_BITS},
    {INTEL_6(0x16, 0x17), CORE_ANY, ALWAYS, MISC_ENABLE, CORE2_BITS},
    {INTEL_6(0x1d, 0x1d), CORE_ANY, ALWAYS, MISC_ENABLE, CORE2_BITS},
    CLASSIC(0x1a, 0x1a), /* Nehalem, Westmere */
    CLASSIC(0x1e, 0x1f),
    CLASSIC(0x25, 0x25),
    CLASSIC(0x2a, 0x2a), /* Sandy Bridge, and more of the two before */
    CLASSIC(0x2c, 0x2f),
    CLASSIC(0x3a, 0x3a), /* Ivy Bridge */
    CLASSIC(0x3c, 0x3f), /* Haswell, Broadwell, Ivy Bridge-EP */
    CLASSIC(0x45, 0x47),
    CLASSIC(0x4e, 0x4f), /* Skylake and what follows it */
    CLASSIC(0x55, 0x56),
    CLASSIC(0x5e, 0x5e),
    CLASSIC(0x66, 0x66),
    CLASSIC(0x6a, 0x6a), /* Ice Lake */
    CLASSIC(0x6c, 0x6c),
    CLASSIC(0x7d, 0x7e),
    CLASSIC(0x8c, 0x8e), /* Tiger Lake, Kaby Lake */
    CLASSIC(0x9e, 0x9e),
    CLASSIC(0xa5, 0xa7),
    CONTROL(0x37, 0x37, CORE_ANY, 0x5), /* Silvermont, Goldmont */
    CONTROL(0x4a, 0x4a, CORE_ANY, 0x5),
    CONTROL(0x4c, 0x4d, CORE_ANY, 0x5),
    CONTROL(0x5a, 0x5a, CORE_ANY, 0x5),
    CONTROL(0x5c, 0x5c, CORE_ANY, 0x5),
    CONTROL(0x5f, 0x5f, CORE_ANY, 0x5),
    CONTROL(0x7a, 0x7a, CORE_ANY, 0x5),
    CONTROL(0x57, 0x57, CORE_ANY, 0x3), /* Knights Landing, Knights Mill */
    CONTROL(0x85, 0x85, CORE_ANY, 0x3),
    CONTROL(0x8f, 0x8f, CORE_ANY, 0x3f), /* Sapphire and Emerald Rapids */
    CONTROL(0xcf, 0xcf, CORE_ANY, 0x3f),
    CONTROL(0xad, 0xae, CORE_ANY, 0x1ff), /* Granite Rapids */
    CONTROL(0x97, 0x97, P, 0x2f),         /* Alder Lake, Raptor Lake */
    CONTROL(0x9a, 0x9a, P, 0x2f),
    CONTROL(0xb7, 0xb7, P, 0x2f),
    CONTROL(0xba, 0xba, P, 0x2f),
    CONTROL(0xbf, 0xbf, P, 0x2f),
    CONTROL(0xaa, 0xaa, P, 0x1ff), /* Meteor Lake */
    CONTROL(0xac, 0xac, P, 0x1ff),
    CONTROL(0xb5, 0xb5, P, 0x1ff),
    ATOM(0x97, 0x97, E, GRACEMONT),
    ATOM(0x9a, 0x9a, E, GRACEMONT),
    ATOM(0xb7, 0xb7, E, GRACEMONT),
    ATOM(0xba, 0xba, E, GRACEMONT),
    ATOM(0xbf, 0xbf, E, GRACEMONT),
    ATOM(0xbe, 0xbe, CORE_ANY, GRACEMONT), /* Alder Lake-N */
    ATOM(0xaa, 0xaa, E, CRESTMONT),        /* Meteor Lake and what follows it */
    ATOM(0xac, 0xac, E, CRESTMONT),
    ATOM(0xb5, 0xb5, E, CRESTMONT),
    ATOM(0xbd, 0xbd, E, CRESTMONT),
    ATOM(0xc5, 0xc6, E, CRESTMONT),
    ATOM(0xaf, 0xaf, CORE_ANY, CRESTMONT), /* Sierra Forest, Grand Ridge */
    ATOM(0xb6, 0xb6, CORE_ANY, CRESTMONT),
    ATOM(0xdd, 0xdd, CORE_ANY, DARKMONT), /* Clearwater Forest */
    ATOM(0xcc, 0xcc, E, DARKMONT),        /* Panther Lake */
    ATOM(0xd5, 0xd5, E, DARKMONT),
    ATOM(0xe5, 0xe5, E, DARKMONT),
    {AMD_FAMILIES(0x10, 0xff), CORE_ANY, IF_ANNOUNCED, AMD_CONTROL, 0x2f},
    {AMD_FAMILIES(0x10, 0x17), CORE_ANY, ALWAYS, DC_CFG, BIT(13) | BIT(15)},
};

/* A hybrid's model without efficient cores says nothing of core types. */
static bool type_matches(enum core_type of, enum core_type running)
{
    if (of == P)
        return running == P || running == CORE_ANY;
    if (of == E)
        return running == E || running == CORE_LOW_POWER;
    return true;
}

static bool applies(const struct control *control, const struct processor *processor,
                    enum core_type type)
{
    return model_matches(&control->models, processor) && type_matches(control->type, type) &&
           (control->when == ALWAYS || cpuid_read(0x80000021, 0).eax & AMD_CONTROL_PRESENT);
}

unsigned prefetch_apply(struct setting settings[PREFETCH_SETTINGS_MAX], struct journal *journal,
                        const struct processor *processor, enum core_type type,
                        enum setting_choice choice)
{
    unsigned count = 0;
    for (unsigned i = 0; i < sizeof controls / sizeof *controls; i++) {
        const struct control *control = &controls[i];
        if (!applies(control, processor, type) || count == PREFETCH_SETTINGS_MAX)
            continue;
        settings[count] = (struct setting){.name = "prefetch"};
        setting_apply(&settings[count++], journal, control->msr, control->disable,
                      choice == SETTING_OFF ? control->disable : 0);
    }
    if (count > 0)
        return count;
    settings[0] = (struct setting){.name = "prefetch"};
    settings[0].why_not = "which register controls them is not known for this model";
    return 1;
}
