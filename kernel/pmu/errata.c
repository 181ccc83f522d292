/* errata: finds errata by model and by CPUID. */
#include "unit.h"

#define TSX_FORCE_ABORT_PRESENT (1u << 13) /* CPUID.(7,0):EDX */

const uint32_t counter_priming[PRIMING_STEPS] = {0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1};

static const struct {
    struct model_range models;
    unsigned errata;
} table[] = {
    {INTEL_6(0x1a, 0x1a), ERRATUM_PRIMING}, /* Nehalem */
    {INTEL_6(0x1e, 0x1f), ERRATUM_PRIMING}, {INTEL_6(0x2e, 0x2e), ERRATUM_PRIMING},
    {INTEL_6(0x25, 0x25), ERRATUM_PRIMING}, /* Westmere */
    {INTEL_6(0x2c, 0x2c), ERRATUM_PRIMING}, {INTEL_6(0x2f, 0x2f), ERRATUM_PRIMING},
};

unsigned counter_errata(const struct processor *processor, unsigned version)
{
    unsigned errata = 0;
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (model_matches(&table[i].models, processor))
            errata |= table[i].errata;
    if (processor->vendor != VENDOR_INTEL)
        return errata;
    if (version >= 2 && version <= 4 && !processor->is_virtual)
        errata |= ERRATUM_FIXED_COUNT;
    if (cpuid_read(7, 0).edx & TSX_FORCE_ABORT_PRESENT)
        errata |= ERRATUM_TSX_BORROWS;
    return errata;
}
