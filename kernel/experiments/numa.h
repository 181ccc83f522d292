/* numa: the memory of every node, by loads enough for the published comparison. */
#ifndef MLPBOOT_EXPERIMENTS_NUMA_H
#define MLPBOOT_EXPERIMENTS_NUMA_H

#include <stdbool.h>

struct measurement;

/*
 * As experiment.h says. On every node, whatever `node` asks for: the configured N (and 1, 2, 10)
 * with the smallest K, and N = 2 with every K. One case that says so where there is one node.
 */
bool numa_measure(struct measurement *m);

#endif
