/* errata: finds errata by CPUID. */
#include "unit.h"

#define TSX_FORCE_ABORT_PRESENT (1u << 13) /* CPUID.(7,0):EDX */

unsigned counter_errata(const struct processor *processor, unsigned version)
{
    unsigned errata = 0;
    if (processor->vendor != VENDOR_INTEL)
        return errata;
    if (version >= 2 && version <= 4 && !processor->is_virtual)
        errata |= ERRATUM_FIXED_COUNT;
    if (cpuid_read(7, 0).edx & TSX_FORCE_ABORT_PRESENT)
        errata |= ERRATUM_TSX_BORROWS;
    return errata;
}
