/* curve: one series of medians out of a case's rows, with what is known of their precision. */
#ifndef MLPBOOT_ANALYSIS_CURVE_H
#define MLPBOOT_ANALYSIS_CURVE_H

#include <stdbool.h>

#include "../data/row.h"
#include "statistics.h"

#define CURVE_MAX 2176        /* a configured list and what refinement adds */
#define CURVE_LEAST_SAMPLES 5 /* of a point: samples.min is not less */

/* x rises; `error` is the standard error of y. */
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
 * A row's median with its 95 % interval from what the row holds: the deciles of a normal
 * distribution are 2.563 standard deviations apart, and a median's standard error is 1.253 of the
 * mean's (Kenney and Keeping, Mathematics of Statistics).
 */
struct interval curve_median(const struct row *row);

/* The same of one of the K that a sample is made of: an access, a swap. */
struct interval curve_median_of_one(const struct row *row);

/* Which of a point's samples stand for it: the median, or the slowest of the fastest tenth. */
enum curve_level { CURVE_MEDIAN, CURVE_FAST };

/*
 * Levels over K at one N, and over N at the smallest K of all, up to CURVE_MAX points. The rows may
 * be in any order; in that of a table it takes linear time.
 */
void curve_over_k(const struct table *table, int64_t n, enum curve_level level,
                  struct curve *curve);
void curve_over_n(const struct table *table, enum curve_level level, struct curve *curve);

/* The smallest K of all points; INT64_MAX: there are none. */
int64_t curve_smallest_k(const struct table *table);

#endif
