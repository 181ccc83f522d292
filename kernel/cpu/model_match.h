/* model_match: rows of tables that hold for some models of a processor family. */
#ifndef MLPBOOT_CPU_MODEL_MATCH_H
#define MLPBOOT_CPU_MODEL_MATCH_H

#include "processor.h"

/* Models `first` to `last`, both included; families likewise where a table says so. */
struct model_range {
    enum processor_vendor vendor;
    uint16_t family_first, family_last;
    uint16_t first, last;
};

static inline bool model_matches(const struct model_range *range, const struct processor *p)
{
    return p->vendor == range->vendor && p->family >= range->family_first &&
           p->family <= range->family_last && p->model >= range->first && p->model <= range->last;
}

/* The usual rows: Intel's family 6, and whole families of AMD's. */
#define INTEL_6(first, last)                                                                       \
    {                                                                                              \
        VENDOR_INTEL, 6, 6, first, last                                                            \
    }
#define AMD_FAMILIES(first, last)                                                                  \
    {                                                                                              \
        VENDOR_AMD, first, last, 0, 0xffff                                                         \
    }

#endif
