/* distribution: merging into a sorted array, and what is read off it. */
#include "distribution.h"

#include "statistics.h"

#define JUMP_FACTOR 8
#define AROUND 2.5             /* steps */
#define TICK (1.0 / 12)        /* the square of what is evenly spread over one */
#define SAMPLES_FOR_INTERVAL 6 /* below, even the extremes do not enclose the median at 95 % */

void distribution_init(struct distribution *d, uint32_t *memory, uint32_t room)
{
    *d = (struct distribution){.sorted = memory, .room = room};
}

uint32_t distribution_undisturbed(const uint32_t *sorted, uint32_t count, uint32_t step)
{
    uint64_t usual = (uint64_t)sorted[count / 2] + 1;
    uint64_t limit = (usual > step ? usual : step) * JUMP_FACTOR;
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

void distribution_end_visit(struct distribution *d, const uint32_t *sorted, uint32_t count)
{
    struct distribution visit = {.sorted = (uint32_t *)sorted, .count = count, .step = d->step};
    for (uint32_t i = 0; i < count; i++)
        visit.sum += sorted[i];
    d->visits++;
    moments_add(&d->centers, distribution_center(&visit));
    moments_add(&d->means, distribution_mean(&visit));
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

/* Counts the samples up to this value. */
static uint32_t count_up_to(const struct distribution *d, double value)
{
    uint32_t low = 0, high = d->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (d->sorted[middle] <= value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the value below which so many samples lie. Equal ones spread over a clock step. */
static double between_steps(const struct distribution *d, double below)
{
    uint32_t at = below < d->count ? (uint32_t)below : d->count - 1;
    double half = d->step / 2.0, start = d->sorted[at] - half;
    uint32_t before = count_up_to(d, start), until = count_up_to(d, start + d->step);
    return start + (below - before) / (until - before) * d->step;
}

/* True if the middle half of the samples is within one step. */
static bool is_narrow(const struct distribution *d)
{
    return d->sorted[d->count - 1 - d->count / 4] - d->sorted[d->count / 4] <= d->step + 1;
}

/* Returns the mean of the samples near the median: right for a constant time between two steps. */
static double mean_around(const struct distribution *d)
{
    double median = distribution_median(d), distance = AROUND * d->step, sum = 0;
    uint32_t first = count_up_to(d, median - distance), end = count_up_to(d, median + distance);
    for (uint32_t i = first; i < end; i++)
        sum += d->sorted[i];
    return sum / (end - first);
}

double distribution_center(const struct distribution *d)
{
    if (d->step <= 1 || d->count == 0)
        return distribution_median(d);
    return is_narrow(d) ? mean_around(d) : between_steps(d, d->count / 2.0);
}

double distribution_fastest(const struct distribution *d)
{
    if (d->step <= 1 || d->count == 0)
        return distribution_percentile(d, 1);
    double fine = between_steps(d, d->count * 0.01);
    double least = d->sorted[0], most = distribution_percentile(d, 10);
    return larger(least, smaller(fine, most));
}

static double sample_of_rank(const struct distribution *d, double below)
{
    below = larger(0, smaller(below, d->count - 1.0));
    return d->step <= 1 ? d->sorted[(uint32_t)below] : between_steps(d, below);
}

/* Returns half the width of the centre's 95 % interval; NAN below six samples. */
static double half_interval(const struct distribution *d)
{
    double middle = d->count / 2.0, ranks = NORMAL_95 / 2 * __builtin_sqrt(d->count);
    if (d->count < SAMPLES_FOR_INTERVAL)
        return __builtin_nan("");
    return (sample_of_rank(d, middle + ranks) - sample_of_rank(d, middle - ranks)) / 2;
}

bool distribution_is_precise(const struct distribution *d, double precision)
{
    return half_interval(d) <= precision * distribution_center(d);
}

bool distribution_is_placed(const struct distribution *d, unsigned percent, double share)
{
    double middle = d->count * (percent / 100.0);
    double ranks = NORMAL_95 * __builtin_sqrt(middle * (1 - percent / 100.0));
    double low = larger(middle - ranks, 0), high = middle + ranks;
    if (high >= d->count)
        return false;
    double width = d->sorted[(uint32_t)high] - (double)d->sorted[(uint32_t)low];
    return width <= d->step || width <= share * distribution_percentile(d, percent);
}

/*
 * Returns the standard error between visits. Its least square is a twelfth of a step's over the
 * samples, which are spread evenly over the step; or a twelfth of a tick, where all samples are the
 * same tick and nothing says where in it they lie.
 */
static double error_between(const struct distribution *d, const struct moments *of_visits)
{
    if (d->visits < 2)
        return __builtin_nan("");
    double least = d->step > 1 ? (double)d->step * d->step / 12 / d->count : 0;
    bool is_one = d->sorted[d->count / 4] == d->sorted[d->count - 1 - d->count / 4];
    least = is_one ? larger(least, TICK) : least;
    return __builtin_sqrt(larger(moments_variance(of_visits) / d->visits, least));
}

double distribution_center_error(const struct distribution *d)
{
    return larger(half_interval(d) / NORMAL_95, error_between(d, &d->centers));
}

double distribution_mean_error(const struct distribution *d)
{
    return error_between(d, &d->means);
}
