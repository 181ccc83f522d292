/* array: latency of loads by the size of the array they fall in. */
#ifndef MLPBOOT_EXPERIMENTS_ARRAY_H
#define MLPBOOT_EXPERIMENTS_ARRAY_H

#include <stdbool.h>

struct measurement;

/*
 * As experiment.h says. One case per page size. Rows of each size: N chains side by side (`n`),
 * each followed for two numbers of steps (`k`); what they differ by is free of timer and start-up.
 * Sizes between the configured ones are added where a plateau ends. A size for which there is no
 * memory leaves one row without samples.
 */
bool array_measure(struct measurement *m);

#endif
