/* spin: the loop that watches the time-stamp counter, and the chain of additions; each gap is
 * sorted into its decade, and there by its three leading digits. */
#include "spin.h"

#include "../data/point.h"
#include "../lib/sort.h"
#include "../lib/string.h"
#include "../lib/units.h"
#include "native.h"

#define THRESHOLD_FACTOR 4 /* a reading itself never takes so much longer than the others */
#define CHAIN_UNROLLED 64
#define LEAST_DIGITS 100 /* of the three */

/* A step's width in nanoseconds. */
static double step_of(unsigned exponent)
{
    double width = 10.0 / LEAST_DIGITS;
    for (unsigned i = GAPS_FIRST_DECADE; i < exponent; i++)
        width *= 10;
    return width;
}

void gaps_add(struct gaps *gaps, double ns)
{
    unsigned exponent = GAPS_FIRST_DECADE;
    double width = step_of(exponent);
    for (; exponent < GAPS_LAST_DECADE && ns >= 10 * LEAST_DIGITS * width; exponent++)
        width *= 10;
    struct gap_decade *decade = &gaps->decade[exponent];
    double digits = ns / width - LEAST_DIGITS;
    unsigned step = digits <= 0 ? 0 : digits >= GAPS_STEPS ? GAPS_STEPS - 1 : (unsigned)digits;
    decade->step[step]++;
    decade->min = decade->count == 0 || ns < decade->min ? ns : decade->min;
    decade->max = decade->count == 0 || ns > decade->max ? ns : decade->max;
    decade->sum += ns;
    decade->count++;
}

double gaps_percentile(const struct gap_decade *decade, unsigned exponent, unsigned percent)
{
    uint64_t rank = (decade->count * percent + 99) / 100, passed = 0;
    unsigned step = 0;
    if (decade->count == 0)
        return __builtin_nan("");
    rank = rank > 0 ? rank : 1;
    while (step < GAPS_STEPS - 1 && (passed += decade->step[step]) < rank)
        step++;
    double ns = (LEAST_DIGITS + step + 0.5) * step_of(exponent);
    return ns < decade->min ? decade->min : ns > decade->max ? decade->max : ns;
}

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
    spin->ns_per_tick = GIGA / (double)platform->ticks_per_second;
    spin->smi_known = false;
    memset(&spin->gaps, 0, sizeof spin->gaps);
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
