/* walk: time per access in four orders through one large array. */
#ifndef MLPBOOT_EXPERIMENTS_WALK_H
#define MLPBOOT_EXPERIMENTS_WALK_H

#include <stdbool.h>

struct measurement;

/* As experiment.h says. A case for each pattern (probe/walk.h), page size and prefetcher state. */
bool walk_measure(struct measurement *m);

#endif
