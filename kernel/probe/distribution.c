/* distribution: insertion into a sorted array, and what is read off it. */
#include "distribution.h"

#include "../lib/string.h"

#define SAMPLES_FOR_INTERVAL 6 /* below, even the extremes do not enclose the median at 95 % */

void distribution_init(struct distribution *d, uint32_t *memory, uint32_t room)
{
    *d = (struct distribution){.sorted = memory, .room = room};
}

static uint32_t insertion_index(const struct distribution *d, uint32_t sample)
{
    uint32_t low = 0, high = d->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (d->sorted[middle] <= sample)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void distribution_add(struct distribution *d, uint32_t sample)
{
    if (d->count == d->room)
        return;
    uint32_t at = insertion_index(d, sample);
    memmove(d->sorted + at + 1, d->sorted + at, (d->count - at) * sizeof *d->sorted);
    d->sorted[at] = sample;
    d->count++;
    d->sum += sample;
}

double distribution_percentile(const struct distribution *d, unsigned percent)
{
    if (d->count == 0)
        return __builtin_nan("");
    uint64_t rank = ((uint64_t)percent * d->count + 99) / 100;
    return d->sorted[rank > 0 ? rank - 1 : 0];
}

double distribution_median(const struct distribution *d)
{
    if (d->count == 0)
        return __builtin_nan("");
    return (d->sorted[(d->count - 1) / 2] + (double)d->sorted[d->count / 2]) / 2;
}

double distribution_mean(const struct distribution *d)
{
    return d->count == 0 ? __builtin_nan("") : (double)d->sum / d->count;
}

bool distribution_median_interval(const struct distribution *d, double *low, double *high)
{
    if (d->count < SAMPLES_FOR_INTERVAL)
        return false;
    double reach = 0.98 * __builtin_sqrt(d->count);
    int64_t first = (int64_t)(d->count / 2.0 - reach);
    int64_t last = (int64_t)(d->count / 2.0 + reach);
    *low = d->sorted[first < 0 ? 0 : first];
    *high = d->sorted[last >= d->count ? d->count - 1 : last];
    return true;
}

bool distribution_is_precise(const struct distribution *d, double precision)
{
    double low, high;
    if (!distribution_median_interval(d, &low, &high))
        return false;
    return (high - low) / 2 <= precision * distribution_median(d);
}
