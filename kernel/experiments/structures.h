/* structures: the jump of N = 2 with other fillers than NOPs. */
#ifndef MLPBOOT_EXPERIMENTS_STRUCTURES_H
#define MLPBOOT_EXPERIMENTS_STRUCTURES_H

#include <stdbool.h>

struct measurement;

/* As experiment.h says. One case per kind of filler. */
bool structures_measure(struct measurement *m);

#endif
