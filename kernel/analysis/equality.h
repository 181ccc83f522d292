/* equality: whether several values that are each known to an error may all be one. */
#ifndef MLPBOOT_ANALYSIS_EQUALITY_H
#define MLPBOOT_ANALYSIS_EQUALITY_H

#include "interval.h"
#include "statistics.h"

/*
 * So many standard errors to either side hold each of `count` values at once, at 95 %:
 * exp(-z^2 / 2) bounds a normal distribution's two tails beyond z (Chernoff), and Boole's
 * inequality divides the 5 % among them.
 */
double reach_of_all(unsigned count);

/*
 * The standard error of a mean over blocks, by a two-way layout: values[b * treatments + t] of
 * each treatment in each block. What a block has in common is no error; what is left is residual,
 * with (treatments - 1) (blocks - 1) degrees of freedom (Cochran and Cox, Experimental Designs,
 * 4.2). By Student's t it is so much larger that 1.96 of them are the 95 % interval. NAN below two
 * treatments or two blocks.
 */
double layout_error(const double *values, unsigned treatments, unsigned blocks);

/*
 * By how much the true values spread, as their standard deviation, with its 95 % interval: 0 where
 * the errors explain all of it. At least two values, each with an error above 0. The squares off
 * the weighted mean, over the errors', are chi-squared, and not central where the values differ;
 * which ones would be as large is told by Patnaik (1949) and by Wilson and Hilferty (1931). Values
 * that agree better than their errors let expect are not known better for that.
 */
struct interval spread_of(const double *values, const double *errors, unsigned count);

#endif
