/* hypervisor: names the hypervisor that runs the processor. */
#ifndef MLPBOOT_CPU_HYPERVISOR_H
#define MLPBOOT_CPU_HYPERVISOR_H

#include "processor.h"

/*
 * Returns the name by the signature in CPUID leaf 40000000H: "KVM", "VMware" ...; "unknown" if no
 * list has the signature; "" if no hypervisor is present. Needs no privilege.
 */
const char *hypervisor_name(const struct processor *processor);

/* True if instructions are emulated, so that their times mean nothing. */
bool hypervisor_emulates(const struct processor *processor);

#endif
