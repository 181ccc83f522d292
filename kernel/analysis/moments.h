/* moments: mean and scatter of a few values as they come. */
#ifndef MLPBOOT_ANALYSIS_MOMENTS_H
#define MLPBOOT_ANALYSIS_MOMENTS_H

#include <stdint.h>

/* Starts as zeroes. */
struct moments {
    uint32_t count;
    double mean, squares; /* of what the values are off their mean */
};

void moments_add(struct moments *moments, double value);

/* Of the values; NAN below two. */
double moments_variance(const struct moments *moments);

/* How far the mean may be off the truth, at 95 %, by Student's t; NAN below two values. */
double moments_reach(const struct moments *moments);

#endif
