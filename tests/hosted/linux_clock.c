/* linux_clock: measures the rate of the time-stamp counter. */
#include "linux_clock.h"

#include <time.h>
#include <x86intrin.h>

#define INTERVALS 5
#define INTERVAL_NS 10400000 /* five of them are 52 ms */
#define TRIES 8

/* Readings of both clocks at (nearly) the same moment. */
struct clock_pair {
    uint64_t ticks, ns;
};

static uint64_t raw_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Returns the quickest of several tries: an interrupt spoils only its own. */
static struct clock_pair read_moment(void)
{
    struct clock_pair best = {0, 0};
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < TRIES; i++) {
        uint64_t before = __rdtsc();
        _mm_lfence();
        uint64_t ns = raw_ns();
        _mm_lfence();
        uint64_t width = __rdtsc() - before;
        if (width < least) {
            least = width;
            best = (struct clock_pair){before + width / 2, ns};
        }
    }
    return best;
}

static uint64_t measure_interval(void)
{
    struct clock_pair start = read_moment();
    uint64_t end_ns = start.ns + INTERVAL_NS;

    while (raw_ns() < end_ns) {
        /* spins, since a sleeping processor may take long to wake up and speed up */
    }
    struct clock_pair end = read_moment();
    double seconds = (double)(end.ns - start.ns) / 1e9;
    return (uint64_t)((double)(end.ticks - start.ticks) / seconds + 0.5);
}

uint64_t linux_ticks_per_second(void)
{
    uint64_t rates[INTERVALS];

    for (int i = 0; i < INTERVALS; i++) {
        uint64_t rate = measure_interval();
        int at = i;
        for (; at > 0 && rates[at - 1] > rate; at--)
            rates[at] = rates[at - 1];
        rates[at] = rate;
    }
    return rates[INTERVALS / 2];
}
