/* chain: the cost of loads that wait for each other, T(n) = n * M + C. */
#ifndef MLPBOOT_ANALYSIS_CHAIN_H
#define MLPBOOT_ANALYSIS_CHAIN_H

#include <stdbool.h>

#include "../data/row.h"

#define CHAIN_SUFFIX "-dependent" /* of a case that holds chains */

/* Whether a case has that suffix. */
bool chain_is(const char *variant);

/*
 * Adds `sequential_slope` (M, ticks a load) and `sequential_constant` (C, ticks: timer and
 * start-up) by least squares, with the 95 % intervals that the residual implies. Pure.
 */
void chain_judge(const struct row *rows, size_t count, struct verdict_list *verdicts);

#endif
