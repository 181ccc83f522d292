/* core_type: CPUID leaf 1AH of the running core. */
#include "core_type.h"

#define HYBRID (1u << 15) /* CPUID.(7,0):EDX */
#define TYPE_ATOM 0x20
#define TYPE_CORE 0x40
#define ARROW_LAKE_H 0xc5
#define CRESTMONT 2 /* native model; the compute tile's efficient cores are 3 there */

enum core_type core_type_read(const struct processor *processor)
{
    if (processor->vendor != VENDOR_INTEL || !(cpuid_read(7, 0).edx & HYBRID))
        return CORE_ANY;
    uint32_t eax = cpuid_read(0x1a, 0).eax;
    if (eax >> 24 == TYPE_CORE)
        return CORE_PERFORMANCE;
    if (eax >> 24 != TYPE_ATOM)
        return CORE_ANY;
    if (processor->model == ARROW_LAKE_H && (eax & 0xffffff) == CRESTMONT)
        return CORE_LOW_POWER;
    return CORE_EFFICIENT;
}
