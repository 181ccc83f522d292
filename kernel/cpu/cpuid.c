/* cpuid: the instruction, asked only for leaves that there are. */
#include "cpuid.h"

static struct cpuid_result execute(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_result r;
    __asm__ volatile("cpuid"
                     : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
                     : "a"(leaf), "c"(subleaf));
    return r;
}

struct cpuid_result cpuid_read(uint32_t leaf, uint32_t subleaf)
{
    /* An Intel processor answers a leaf above the range with its highest one: do not ask. */
    uint32_t highest = execute(leaf & 0xf0000000, 0).eax;
    if (leaf > highest)
        return (struct cpuid_result){0};
    return execute(leaf, subleaf);
}
