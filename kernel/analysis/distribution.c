/* distribution: merging into a sorted array, and what is read off it. */
#include "distribution.h"

#include "statistics.h"

#define JUMP_FACTOR 8
#define SAMPLES_FOR_INTERVAL 6 /* below, even the extremes do not enclose the median at 95 % */

void distribution_init(struct distribution *d, uint32_t *memory, uint32_t room)
{
    *d = (struct distribution){.sorted = memory, .room = room};
}

uint32_t distribution_undisturbed(const uint32_t *sorted, uint32_t count)
{
    uint64_t limit = ((uint64_t)sorted[count / 2] + 1) * JUMP_FACTOR;
    while (sorted[count - 1] > limit)
        count--;
    return count;
}

void distribution_merge(struct distribution *d, const uint32_t *sorted, uint32_t count)
{
    if (count > d->room - d->count)
        count = d->room - d->count;
    uint32_t old = d->count, to = old + count;
    d->count = to;
    for (uint32_t i = 0; i < count; i++)
        d->sum += sorted[i];
    /* From the end, so that nothing is overwritten before it was moved. */
    while (count > 0) {
        if (old > 0 && d->sorted[old - 1] > sorted[count - 1])
            d->sorted[--to] = d->sorted[--old];
        else
            d->sorted[--to] = sorted[--count];
    }
}

/* Welford 1962. */
void distribution_end_visit(struct distribution *d, double median)
{
    double off = median - d->visits_mean;
    d->visits++;
    d->visits_mean += off / d->visits;
    d->visits_squares += off * (median - d->visits_mean);
}

double distribution_between_visits(const struct distribution *d)
{
    return d->visits < 2 ? __builtin_nan("") : __builtin_sqrt(d->visits_squares / (d->visits - 1));
}

void distribution_add(struct distribution *d, uint32_t sample)
{
    distribution_merge(d, &sample, 1);
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
    double reach = REACH_95 / 2 * __builtin_sqrt(d->count);
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
