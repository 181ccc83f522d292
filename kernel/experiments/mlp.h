/* mlp: N independent loads with K fillers before the last of them, per page size and TLB state. */
#ifndef MLPBOOT_EXPERIMENTS_MLP_H
#define MLPBOOT_EXPERIMENTS_MLP_H

#include <stdbool.h>

struct measurement;

/* As experiment.h says. One case per page size and TLB state, one row per N and K. */
bool mlp_measure(struct measurement *m);

#endif
