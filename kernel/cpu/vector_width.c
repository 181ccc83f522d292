/* vector_width: CPUID's leaves 1 and 7, and XCR0. */
#include "vector_width.h"

#include <stdbool.h>

#include "cpuid.h"

#define HAS_OSXSAVE (1u << 27) /* CPUID.1:ECX */
#define HAS_AVX (1u << 28)
#define HAS_AVX512F (1u << 16) /* CPUID.7.0:EBX */
#define XCR0_AVX 0x06u         /* SSE's and AVX's registers, */
#define XCR0_AVX512 0xe6u      /* and mask registers and both parts of AVX-512's */

static uint32_t xcr0(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

unsigned vector_width(void)
{
    const uint32_t needed = HAS_OSXSAVE | HAS_AVX;
    if ((cpuid_read(1, 0).ecx & needed) != needed || (xcr0() & XCR0_AVX) != XCR0_AVX)
        return 16;
    bool has_wider = cpuid_read(0, 0).eax >= 7 && (cpuid_read(7, 0).ebx & HAS_AVX512F) != 0;
    return has_wider && (xcr0() & XCR0_AVX512) == XCR0_AVX512 ? 64 : 32;
}
