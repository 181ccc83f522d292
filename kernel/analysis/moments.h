/* moments: mean and variance of values as they come. */
#ifndef MLPBOOT_ANALYSIS_MOMENTS_H
#define MLPBOOT_ANALYSIS_MOMENTS_H

#include <stdint.h>

/* Starts as zeroes. */
struct moments {
    uint32_t count;
    double mean, squares; /* of the values' distances from their mean */
};

void moments_add(struct moments *moments, double value);

/* Returns the values' variance; NAN below two. */
double moments_variance(const struct moments *moments);

/* Returns half the mean's 95 % interval, by Student's t; NAN below two values. */
double moments_half_width(const struct moments *moments);

#endif
