/* shuffle: how much a shuffle gains when its random indices are made some time before its swaps. */
#ifndef MLPBOOT_EXPERIMENTS_SHUFFLE_H
#define MLPBOOT_EXPERIMENTS_SHUFFLE_H

#include <stdbool.h>

struct measurement;

/*
 * As experiment.h says. A case for each loop, index source and page size; every loop of
 * probe/shuffle_loops.h does the same shuffle, from end to start. Rows of each size (`bytes`) and
 * `stage`: metrics tsc and ns, a sample is k swaps in a row, evenly spread over the shuffle. The
 * plain loop knows no stage; it is measured as often, as published. A row `checksum` of each size
 * tells the order the array was left in: the same in all cases, or else the measurement fails.
 * A size for which there is no memory leaves one row without samples.
 */
bool shuffle_measure(struct measurement *m);

#endif
