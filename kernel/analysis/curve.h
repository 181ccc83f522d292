/* curve: medians (or another level) of a case's rows over N or K, with their standard errors. */
#ifndef MLPBOOT_ANALYSIS_CURVE_H
#define MLPBOOT_ANALYSIS_CURVE_H

#include <stdbool.h>

#include "../data/row.h"
#include "interval.h"
#include "statistics.h"

#define CURVE_MAX 2176        /* a configured list, and the points that refinement adds */
#define CURVE_LEAST_SAMPLES 5 /* of a point; samples.min is not less */

/* x rises; `error` is the standard error of y. */
struct curve {
    size_t count;
    double x[CURVE_MAX], y[CURVE_MAX], error[CURVE_MAX];
};

/* The statistic of a row's samples that a curve shows. */
enum curve_level { CURVE_MEDIAN, CURVE_MEAN, CURVE_FASTEST, CURVE_FAST, CURVE_SLOW };

/* True if the row is a point of the N by K table: metric tsc, an N, a K, and enough samples. */
bool curve_has(const struct row *row);

/* Returns the point of n loads with the smallest K, or NULL. */
const struct row *curve_find(const struct table *table, int64_t n);

/* Returns the samples' standard deviation, by the deciles of normal ones. */
double curve_deviation(const struct row *row);

/*
 * Returns a row's centre with its 95 % interval, not below 0, from the scatter between
 * visits and Student's t. A single visit has only the scatter of its samples.
 */
struct interval curve_median(const struct row *row);

/* Returns the same of a row's mean. */
struct interval curve_mean(const struct row *row);

/* Returns the centre of one of the K accesses or swaps that a sample is made of. */
struct interval curve_median_of_one(const struct row *row);

/* The rows of the smallest and of the largest K; NULL: there is no row. */
struct curve_ends {
    const struct row *shortest, *longest;
};

/* Returns those of that metric, N and bytes (or ROW_NONE). */
struct curve_ends curve_ends_of(const struct table *table, const char *metric, int64_t n,
                                int64_t bytes);

/* Returns the ticks of one of the K: the difference of both rows over that of their K, so that
 * timer and start-up cancel. Value NAN: the rows have fewer than two K. */
struct interval curve_of_part(const struct table *table, const char *metric, int64_t n,
                              int64_t bytes);

/* Returns the least `bytes` above that of the metric's rows; 0: no row has more. */
int64_t curve_next_bytes(const struct table *table, const char *metric, int64_t above);

/* Returns the number of the last attempt at a curve of that metric and N (or ROW_ANY). */
uint64_t curve_last_attempt(const struct table *table, const char *metric, int64_t n);

/* Collect levels over K at one N, of the last attempt; and over N at the smallest K. At most
 * CURVE_MAX points. */
void curve_over_k(const struct table *table, int64_t n, enum curve_level level,
                  struct curve *curve);
void curve_over_n(const struct table *table, enum curve_level level, struct curve *curve);

/* The first of them, of any attempt. */
void curve_of_attempt(const struct table *table, int64_t n, enum curve_level level,
                      uint64_t attempt, struct curve *curve);

/* Collects the centres of another metric, at those N that are multiples of `factor`. */
void curve_of_multiples(const struct table *table, const char *metric, int64_t factor,
                        struct curve *curve);

/* Returns the smallest K of all points; INT64_MAX without points. */
int64_t curve_smallest_k(const struct table *table);

/* Subtracts `other` at each x that both curves have. */
void curve_less(const struct curve *curve, const struct curve *other, struct curve *above);

#endif
