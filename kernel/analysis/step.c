/* step: tries every split, keeps the one with the least squared error. */
#include "step.h"

struct level {
    double mean, squared_error;
};

static struct level level_of(const double *y, size_t count)
{
    struct level level = {0, 0};
    for (size_t i = 0; i < count; i++)
        level.mean += y[i];
    level.mean /= (double)count;
    for (size_t i = 0; i < count; i++)
        level.squared_error += (y[i] - level.mean) * (y[i] - level.mean);
    return level;
}

static double deviation(struct level level, size_t count)
{
    return __builtin_sqrt(level.squared_error / (double)count);
}

struct step step_fit(const double *y, size_t count)
{
    struct step best = {0};
    if (count < 2)
        return best;
    double total = level_of(y, count).squared_error;
    double least = 0;
    for (size_t split = 1; split < count; split++) {
        struct level left = level_of(y, split);
        struct level right = level_of(y + split, count - split);
        double error = left.squared_error + right.squared_error;
        if (best.first_high != 0 && error >= least)
            continue;
        least = error;
        best.first_high = split;
        best.low = left.mean;
        best.high = right.mean;
        best.low_sd = deviation(left, split);
        best.high_sd = deviation(right, count - split);
    }
    best.explained = total > 0 ? 1 - least / total : 0;
    return best;
}
