/* cpuid: what the processor says of itself; needs no privilege. */
#ifndef MLPBOOT_CPU_CPUID_H
#define MLPBOOT_CPU_CPUID_H

#include <stdbool.h>
#include <stdint.h>

struct cpuid_result {
    uint32_t eax, ebx, ecx, edx;
};

/* One leaf; all zero above the highest leaf of its range. */
struct cpuid_result cpuid_read(uint32_t leaf, uint32_t subleaf);

enum processor_vendor { VENDOR_INTEL, VENDOR_AMD, VENDOR_OTHER };

/* What the measurement depends on and what names the machine in run.json. */
struct processor {
    char vendor_name[13];
    char brand[49];
    char hypervisor[13]; /* empty where none shows itself */
    enum processor_vendor vendor;
    uint32_t family, model, stepping; /* as displayed: extended parts added */
    bool rdtscp, clflushopt, gigabyte_pages, invariant_tsc, is_virtual;
};

/*
 * The x2APIC id of the logical processor that this runs on; its APIC id where it has no such leaf
 * (Intel SDM volume 2A, CPUID leaves 1, 0BH and 1FH).
 */
uint32_t processor_apic_id(void);

/* Intel SDM volume 2A, CPUID; AMD APM volume 3, appendix E. */
void processor_identify(struct processor *processor);

#endif
