/* spin: the loop that watches the time-stamp counter, and the chain of additions. */
#include "spin.h"

#include "../data/point.h"
#include "../lib/sort.h"
#include "native.h"

#define THRESHOLD_FACTOR 4 /* a reading itself never takes so much longer than the others */
#define CHAIN_UNROLLED 64

/* Not ordered with anything: two readings are as close as they can be. */
static inline uint64_t read_ticks(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

void spin_start(struct spin *spin, struct platform *platform)
{
    spin->platform = platform;
    spin->ns_per_tick = 1e9 / (double)platform->ticks_per_second;
    spin->smi_known = false;
    gaps_clear(&spin->gaps);
}

void spin_calibrate(void *context)
{
    struct spin *spin = context;
    uint64_t last = read_ticks();
    for (unsigned i = 0; i < SPIN_LOOPS; i++) {
        uint64_t now = read_ticks();
        spin->loop[i] = sample_of(now - last);
        last = now;
    }
    sort_numbers(spin->loop, SPIN_LOOPS);
    spin->threshold = (uint64_t)spin->loop[SPIN_LOOPS / 2] * THRESHOLD_FACTOR;
}

/* Sorting a gap in takes time that nobody watches; it is left out of what is returned: ticks. */
static uint64_t watch_until(struct spin *spin, uint64_t end)
{
    uint64_t start = read_ticks(), last = start, watched = 0;
    while (last < end) {
        uint64_t now = read_ticks();
        /* Signed: nothing orders the two readings, so the later one may be the smaller one. */
        if ((int64_t)(now - last) > (int64_t)spin->threshold) {
            gaps_add(&spin->gaps, (double)(now - last) * spin->ns_per_tick);
            watched += now - start;
            start = now = read_ticks();
        }
        last = now;
    }
    return watched + (last - start);
}

/* Register to register: an addition of a small constant some cores do while renaming, for free. */
static uint32_t time_chain(void)
{
    uint64_t sum = 0, one = 1, start = native_ticks();
    for (unsigned i = 0; i < SPIN_CHAIN_ADDS / CHAIN_UNROLLED; i++)
        __asm__ volatile(".rept %c2\n\tadd %1, %0\n\t.endr"
                         : "+r"(sum)
                         : "r"(one), "i"(CHAIN_UNROLLED)
                         : "cc");
    return sample_of(native_ticks() - start);
}

void spin_slice(void *context)
{
    struct spin *spin = context;
    uint64_t start = read_ticks();
    spin->observed = 0;
    for (unsigned i = 0; i < SPIN_CHAINS; i++) {
        spin->observed += watch_until(spin, start + spin->slice_ticks * (i + 1) / SPIN_CHAINS);
        spin->chain[i] = time_chain();
    }
}

void spin_count_smi(void *context)
{
    struct spin *spin = context;
    spin->smi_known = spin->platform->smi_count(spin->platform, &spin->smi);
}
