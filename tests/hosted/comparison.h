/* comparison: whether two runs' values of one verdict are the same; no input, no output. */
#ifndef MLPBOOT_HOSTED_COMPARISON_H
#define MLPBOOT_HOSTED_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

#include "../../kernel/data/verdict.h"

/* What differs by less than this is the same. */
#define COMPARISON_MARGIN 0.05

/* Two numbers with three decimals, as in verdicts.csv, may be 0.001 apart and be one number. */
#define COMPARISON_ROUNDING 0.0015

/* One run's answer. */
struct compared {
    double value, low, high; /* NAN where there is none */
    enum verdict_status status;
};

enum comparison_outcome { COMPARISON_SAME, COMPARISON_DIFFERENT, COMPARISON_OPEN };

struct comparison {
    enum comparison_outcome outcome;
    double difference; /* b less a; NAN where one of them has no value */
    double low, high;  /* its interval; NAN where they cannot be compared */
};

/* "same", "different", "cannot be told apart". */
const char *comparison_name(enum comparison_outcome outcome);

/* Whether the value lies in an interval, both ends of which are known. */
bool comparison_has_interval(const struct compared *compared);

/* Whether they can be compared: both are `ok` and have an interval. */
bool comparison_can(const struct compared *a, const struct compared *b);

/*
 * The difference, its interval, and what follows:
 *  - different: the interval leaves out 0, by more than rounding;
 *  - same: it does not, and all of it is within 5 % of the smaller value;
 *  - cannot be told apart: neither, or they cannot be compared.
 * Each end of the difference's interval is as far from it as both runs' errors to that side
 * together, which are independent: the root of the sum of their squares (Zou and Donner,
 * "Construction of confidence limits about effect measures", Statistics in Medicine 27, 2008). That
 * is wider by sqrt(2 ln(comparisons / 0.05)) / 1.96, so that all of so many comparisons, at least
 * one, hold at once in 95 % of all pairs of runs (reach_of_all of analysis/equality.h).
 */
struct comparison compare_values(const struct compared *a, const struct compared *b,
                                 size_t comparisons);

#endif
