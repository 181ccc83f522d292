/* cpuid: one leaf of what the processor says of itself; needs no privilege. */
#ifndef MLPBOOT_CPU_CPUID_H
#define MLPBOOT_CPU_CPUID_H

#include <stdint.h>

#define LEAF_ENCRYPTION 0x8000001f /* SME and SEV; AMD APM 3, E.4.17 */

struct cpuid_result {
    uint32_t eax, ebx, ecx, edx;
};

/* One leaf; all zero above the highest leaf of its range. */
struct cpuid_result cpuid_read(uint32_t leaf, uint32_t subleaf);

#endif
