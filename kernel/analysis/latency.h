/* latency: ticks per load by the size of the array, from chains of two lengths. */
#ifndef MLPBOOT_ANALYSIS_LATENCY_H
#define MLPBOOT_ANALYSIS_LATENCY_H

#include "curve.h"

/*
 * Ticks per load of N chains in one size: (T(longest) - T(shortest)) / (steps between them) / N.
 * Timer and start-up are in both and cancel. NAN where that size was not timed with two numbers of
 * steps. `rows` of one case, in any order.
 */
double latency_at(const struct row *rows, size_t count, int64_t n, int64_t bytes);

/* All of them over bytes, up to CURVE_MAX; the curve's errors are not filled in. */
void latency_curve(const struct row *rows, size_t count, int64_t n, struct curve *curve);

/* The smallest size that could not be measured, having a row without samples; 0: all could. */
int64_t latency_missing(const struct row *rows, size_t count);

#endif
