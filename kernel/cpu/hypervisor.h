/* hypervisor: who stands between us and the processor, and what that keeps from us. */
#ifndef MLPBOOT_CPU_HYPERVISOR_H
#define MLPBOOT_CPU_HYPERVISOR_H

#include "processor.h"

/*
 * By the signature of CPUID leaf 40000000H: "KVM", "VMware" ...; "unknown" where there is a
 * hypervisor whose signature is in no list; "" where none shows itself. Needs no privilege.
 */
const char *hypervisor_name(const struct processor *processor);

/* Whether instructions are emulated, so that their times say nothing of a processor. */
bool hypervisor_emulates(const struct processor *processor);

/* What a processor of its kind would tell by CPUID, and does not here. */
struct hypervisor_hides {
    bool counters;       /* leaf 0AH, or AMD's extended counters */
    bool tlb_geometry;   /* leaf 18H, or 80000005H and up */
    bool tsc_rate;       /* leaf 15H (Intel) */
    bool true_frequency; /* APERF and MPERF, leaf 6 */
    bool gigabyte_pages;
};

/* All false where none shows itself. */
struct hypervisor_hides hypervisor_hides(const struct processor *processor);

#endif
