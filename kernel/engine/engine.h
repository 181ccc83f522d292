/* engine: from points to rows; the only code that decides when what is measured. */
#ifndef MLPBOOT_ENGINE_ENGINE_H
#define MLPBOOT_ENGINE_ENGINE_H

#include "task.h"

/* Metric of a row: the percentage of a case's visits in which a sibling at times had the core. */
#define ENGINE_SHARED "shared_percent"

/* Metric of a row of a case whose visits are kept apart by state, where any were shared: the
 * percentage of them that went to its `-shared` case. */
#define ENGINE_APART "apart_percent"

/* Metric of a row: 2, the states of the core that second looks had seen by then; `k` is the reach
 * in fillers. Only there where both were seen, in an experiment's first case that has samples. */
#define ENGINE_STATES "core_states"

/* Metric of a row: ticks of a core cycle in a case's visits (up to 64 of them, evenly), by the
 * sentinel's chains; the deciles are without what a step of the clock may have added. */
#define ENGINE_CLOCK "cycle"

/*
 * Measures all points, adds their rows, closes the task and unmaps all windows. A case none of
 * whose points could be had is skipped with the reason. False: a fault or a lack of memory ended
 * it, as the measurement's `failure` says; completed points have their rows.
 */
bool engine_run(struct task *task);

#endif
