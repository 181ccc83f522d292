/* equality: tests whether several values with known errors may all be equal. */
#ifndef MLPBOOT_ANALYSIS_EQUALITY_H
#define MLPBOOT_ANALYSIS_EQUALITY_H

#include "interval.h"
#include "statistics.h"

/* Returns how many standard errors to either side hold all of `count` values at once, at 95 %:
 * exp(-z^2 / 2) bounds a normal distribution's tails (Chernoff); Boole's inequality divides the 5
 * %. */
double normal_95_of_all(unsigned count);

/*
 * Returns the standard error of a mean over blocks, by a two-way layout: values[b * treatments + t]
 * of each treatment in each block. A block's common part is no error; the rest is residual, with
 * (treatments - 1) (blocks - 1) degrees of freedom (Cochran and Cox, Experimental Designs, 4.2).
 * Student's t enlarges it so that 1.96 of them are the 95 % interval. NAN below two of either.
 */
double layout_error(const double *values, unsigned treatments, unsigned blocks);

/*
 * Returns the standard deviation of the true values, with its 95 % interval: 0 if the errors
 * explain all of it. At least two values, each with an error above 0. The squared distances from
 * the weighted mean, over the squared errors, follow chi-squared, noncentral if the values differ;
 * its quantiles are approximated after Patnaik (1949) and Wilson and Hilferty (1931). Values that
 * agree better than their errors suggest do not make the interval narrower.
 */
struct interval spread_of(const double *values, const double *errors, unsigned count);

#endif
