/* processor: which one we run on, and which of its kinds of core, from what CPUID says. */
#ifndef MLPBOOT_CPU_PROCESSOR_H
#define MLPBOOT_CPU_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "cpuid.h"

enum processor_vendor { VENDOR_INTEL, VENDOR_AMD, VENDOR_OTHER };

/* The facts that the measurement depends on, and those that identify the machine in run.json. */
struct processor {
    char vendor_name[13];
    char brand[49];
    char hypervisor[13]; /* empty where none shows itself */
    enum processor_vendor vendor;
    uint32_t family, model, stepping; /* as displayed: extended parts added */
    bool rdtscp, clflushopt, gigabyte_pages, invariant_tsc, is_virtual;
    bool lfence_orders; /* whatever any register says; else DE_CFG decides (AMD) */
};

/* Intel SDM volume 2A, CPUID; AMD APM volume 3, appendix E. */
void processor_identify(struct processor *processor);

/*
 * The x2APIC id of the logical processor that this runs on; its APIC id where it has no such leaf
 * (Intel SDM volume 2A, CPUID leaves 1, 0BH and 1FH).
 */
uint32_t processor_apic_id(void);

#define PROCESSOR_CACHES 5

/*
 * Fills in the bytes of the data or unified cache of each level, from 1, as CPUID says for the
 * logical processor that this runs on; 0: none. Intel SDM volume 2A, CPUID leaf 4; AMD APM volume
 * 3, leaf 8000001DH.
 */
void processor_caches(uint64_t bytes[PROCESSOR_CACHES]);

enum core_type { CORE_ANY, CORE_PERFORMANCE, CORE_EFFICIENT, CORE_LOW_POWER };

/*
 * Which kind of core we run on, on a processor that has several; CORE_ANY where all are alike.
 * Intel SDM 2A, CPUID leaf 1AH and (7,0):EDX[15].
 */
enum core_type processor_core_type(const struct processor *processor);

/* The logical processor that this runs on, by CPUID. */
struct core {
    uint32_t signature; /* leaf 1, EAX */
    uint32_t apic_id;   /* processor_apic_id */
    enum core_type type;
};

void processor_core(const struct processor *processor, struct core *core);

/* The models, or in some tables families, of a row: `first` to `last`, both included. */
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
