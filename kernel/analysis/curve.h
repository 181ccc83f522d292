/* curve: one series of medians out of a case's rows, with what is known of their precision. */
#ifndef MLPBOOT_ANALYSIS_CURVE_H
#define MLPBOOT_ANALYSIS_CURVE_H

#include <stdbool.h>

#include "../data/row.h"

#define CURVE_MAX 2176 /* a configured list and what refinement adds */

struct interval {
    double value, low, high;
};

/* x rises; `error` is the standard error of y. */
struct curve {
    size_t count;
    double x[CURVE_MAX], y[CURVE_MAX], error[CURVE_MAX];
};

/* The first row of a case, and how many there are; those of a case must stand together. */
const struct row *curve_case(const struct row *rows, size_t count,
                                    const char *variant, size_t *size);

/* Whether a row is a point of the classic table: metric tsc, with samples, an N and a K. */
bool curve_has(const struct row *row);

/* Standard deviation of a row's samples, from its deciles (see curve_median). */
double curve_deviation(const struct row *row);

/*
 * A row's median with its 95 % interval from what the row holds: the deciles of a normal
 * distribution are 2.563 standard deviations apart, and a median's standard error is 1.253 of the
 * mean's (Kenney and Keeping, Mathematics of Statistics).
 */
struct interval curve_median(const struct row *row);

/* Which of a point's samples stand for it: the median, or the slowest of the fastest tenth. */
enum curve_level { CURVE_MEDIAN, CURVE_FAST };

/* Levels over K at one N, and over N at the smallest K of all. `rows` in any order, up to
 * CURVE_MAX. */
void curve_over_k(const struct row *rows, size_t count, int64_t n, enum curve_level level,
                  struct curve *curve);
void curve_over_n(const struct row *rows, size_t count, enum curve_level level,
                  struct curve *curve);

#endif
