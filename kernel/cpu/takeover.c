/* takeover: asks what CPUID announces, and only then the register. */
#include "quiet.h"

#include <stdbool.h>
#include <stddef.h>

#include "../lib/string.h"
#include "cpuid.h"
#include "msr.h"

#define CR4_CET (1ul << 23)
#define CR4_FRED (1ul << 32)        /* Intel SDM volume 3A, 7: events do not go by the IDT */
#define HAS_SHADOW_STACKS (1u << 7) /* CPUID.(7,0):ECX */
#define MSR_S_CET 0x6a2
#define S_CET_SHADOW_STACK (1u << 0)

#define LEAF_TDX 0x21
#define TDX_SIGNATURE "IntelTDX    "

#define HAS_SEV (1u << 1) /* EAX */
#define MSR_SEV_STATUS 0xc0010131
#define SEV_ON (1u << 0)
#define SEV_ES_ON (1u << 1)
#define SEV_SNP_ON (1u << 2)

static bool has_shadow_stack(uint64_t cr4)
{
    uint64_t value;
    return cr4 & CR4_CET && cpuid_read(7, 0).ecx & HAS_SHADOW_STACKS &&
           msr_read(MSR_S_CET, &value) && value & S_CET_SHADOW_STACK;
}

static bool is_tdx(void)
{
    struct cpuid_result r = cpuid_read(LEAF_TDX, 0);
    const uint32_t signature[3] = {r.ebx, r.edx, r.ecx};
    return memcmp(signature, TDX_SIGNATURE, sizeof signature) == 0;
}

static const char *sev_obstacle(void)
{
    uint64_t status;
    if (!(cpuid_read(LEAF_ENCRYPTION, 0).eax & HAS_SEV) || !msr_read(MSR_SEV_STATUS, &status))
        return NULL;
    if (status & SEV_SNP_ON)
        return "this is an encrypted guest (AMD SEV-SNP), whose processor cannot be taken over";
    if (status & SEV_ES_ON)
        return "this is an encrypted guest (AMD SEV-ES), whose processor cannot be taken over";
    return status & SEV_ON ? "this is an encrypted guest (AMD SEV), whose memory cannot be mapped"
                           : NULL;
}

const char *takeover_obstacle(uint64_t cr4)
{
    if (cr4 & CR4_FRED)
        return "the firmware delivers events by FRED, which cannot be taken over";
    if (has_shadow_stack(cr4))
        return "the firmware uses supervisor shadow stacks (CET), which cannot be taken over";
    if (is_tdx())
        return "this is an encrypted guest (Intel TDX), whose processor cannot be taken over";
    return sev_obstacle();
}
