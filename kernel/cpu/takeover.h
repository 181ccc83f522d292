/* takeover: what forbids that we take the processor over, recognised before it is tried. */
#ifndef MLPBOOT_CPU_TAKEOVER_H
#define MLPBOOT_CPU_TAKEOVER_H

#include <stdint.h>

/*
 * NULL, or the reason in words. Ring 0; the firmware's IDT may be loaded, since only registers are
 * read that CPUID announces. `cr4` is CR4's value.
 *
 * Supervisor shadow stacks (Intel SDM 1, 17): our exceptions have no shadow stacks to return by. An
 * encrypted guest of AMD's (SEV; APM 2, 15.34 to 15.36): our page tables do not set the bit that
 * tells memory of its own, and with SEV-ES and SEV-SNP every CPUID and MSR is a #VC (vector 29)
 * that only the firmware's handler answers. A guest of Intel's TDX likewise, by #VE (vector 20;
 * Intel, TDX module 1.5 base architecture specification, "CPUID virtualization").
 */
const char *takeover_obstacle(uint64_t cr4);

#endif
