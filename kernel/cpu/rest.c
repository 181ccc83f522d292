/* rest: arms MONITOR, checks the word once more, and sleeps in MWAIT. */
#include "rest.h"

#include "cpuid.h"

#define HAS_MONITOR (1u << 3) /* CPUID.1:ECX */
#define HINT_C1 0

static uint64_t ticks(void)
{
    __asm__ volatile("lfence" ::: "memory");
    return __builtin_ia32_rdtsc();
}

void rest_once(const volatile uint32_t *word, uint32_t value, uint64_t *asleep_ticks)
{
    uint64_t start = ticks();
    __asm__ volatile("monitor" ::"a"(word), "c"(0), "d"(0) : "memory");
    if (*word == value)
        __asm__ volatile("mwait" ::"a"(HINT_C1), "c"(0) : "memory");
    *asleep_ticks += ticks() - start;
}

/* MONITOR misses stores there (Linux, arch/x86/kernel/cpu/intel.c, X86_BUG_MONITOR). */
static bool loses_wakeups(uint32_t signature)
{
    uint32_t model = signature & ~15u;           /* without the stepping */
    return model == 0x506c0 || model == 0xb06d0; /* Goldmont, Lunar Lake */
}

/* Checks MONITOR's line size in leaf 5 (0 in an emulator): the word must be alone in its line. */
bool rest_is_possible(void)
{
    uint32_t largest = cpuid_read(5, 0).ebx & 0xffff;
    struct cpuid_result features = cpuid_read(1, 0);
    return features.ecx & HAS_MONITOR && largest <= REST_LINE && !loses_wakeups(features.eax);
}

void rest_while(const volatile uint32_t *word, uint32_t value, uint64_t *asleep_ticks)
{
    bool sleeps = rest_is_possible();
    while (*word == value)
        if (sleeps)
            rest_once(word, value, asleep_ticks);
        else
            rest_briefly();
}

double rest_share_awake(const struct awake_clock *from, const struct awake_clock *to)
{
    if (!from->is_known || !to->is_known || to->ticks <= from->ticks)
        return __builtin_nan("");
    return (double)(to->awake - from->awake) / (double)(to->ticks - from->ticks);
}
