/* engine: from points to rows; the only code that decides when what is measured. */
#ifndef MLPBOOT_ENGINE_ENGINE_H
#define MLPBOOT_ENGINE_ENGINE_H

#include "task.h"

/*
 * Metric of a row in percent: of a case's visits, all in which a sibling thread shared the core, if
 * only for a part of them.
 */
#define ENGINE_SHARED "shared_percent"

/*
 * Measures all points, adds their rows, and closes the task. A case none of whose points could be
 * had is skipped with the reason. False: a fault or a lack of memory, said in the measurement's
 * `failure`; what was complete before has its rows.
 */
bool engine_run(struct task *task);

#endif
