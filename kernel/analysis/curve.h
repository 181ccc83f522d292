/* curve: one series of medians out of a case's rows, with what is known of their precision. */
#ifndef MLPBOOT_ANALYSIS_CURVE_H
#define MLPBOOT_ANALYSIS_CURVE_H

#include <stdbool.h>

#include "../data/row.h"
#include "interval.h"
#include "statistics.h"

#define CURVE_MAX 2176        /* a configured list and what refinement adds */
#define CURVE_LEAST_SAMPLES 5 /* of a point: samples.min is not less */

/* x rises; `error` is the standard error of y: 1.96 of them to either side hold it 95 times of 100.
 */
struct curve {
    size_t count;
    double x[CURVE_MAX], y[CURVE_MAX], error[CURVE_MAX];
};

/* Whether a row is a point of the classic table: metric tsc, an N and a K, and enough samples. */
bool curve_has(const struct row *row);

/* The point of n loads with the smallest K; NULL: there is none. Takes logarithmic time. */
const struct row *curve_find(const struct table *table, int64_t n);

/* Standard deviation of a row's samples, from its deciles (see curve_median). */
double curve_deviation(const struct row *row);

/*
 * A row's centre with its 95 % interval, not below 0, from its visits' scatter and Student's t.
 * Files of older versions know no visits: their median's is from the scatter within. The deciles of
 * a normal distribution are 2.563 standard deviations apart, and a median's standard error is 1.253
 * of the mean's (Kenney and Keeping, Mathematics of Statistics).
 */
struct interval curve_median(const struct row *row);

/* The same of its mean; of older files, by the normal distribution that the deciles fit. */
struct interval curve_mean(const struct row *row);

/* The same of one of the K that a sample is made of: an access, a swap. */
struct interval curve_median_of_one(const struct row *row);

/* What of a point's samples stands for it: the centre, the mean, or a quantile. */
enum curve_level { CURVE_MEDIAN, CURVE_MEAN, CURVE_FASTEST, CURVE_FAST, CURVE_SLOW };

/* Returns the number of the last attempt at a curve over K. */
uint64_t curve_last_attempt(const struct table *table, int64_t n);

/*
 * Levels over K at one N by the last attempt, and over N at the smallest K of all, up to CURVE_MAX
 * points. The rows may be in any order; in that of a table it takes linear time.
 */
void curve_over_k(const struct table *table, int64_t n, enum curve_level level,
                  struct curve *curve);
void curve_over_n(const struct table *table, enum curve_level level, struct curve *curve);

/* Centres of another metric, over those N that are multiples of `of`. */
void curve_of_multiples(const struct table *table, const char *metric, int64_t of,
                        struct curve *curve);

/* The smallest K of all points; INT64_MAX: there are none. */
int64_t curve_smallest_k(const struct table *table);

/* What is above another curve, at each x that both have, in rising order; the errors' squares add
 * up. */
void curve_less(const struct curve *curve, const struct curve *other, struct curve *above);

#endif
