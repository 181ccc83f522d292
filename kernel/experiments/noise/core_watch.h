/* core_watch: visits to the sentinel in slices of their own, and in which state the core was. */
#ifndef MLPBOOT_EXPERIMENTS_CORE_WATCH_H
#define MLPBOOT_EXPERIMENTS_CORE_WATCH_H

#include "../../engine/rounds.h"
#include "../../platform.h"

#define CORE_SLICES 30 /* spread over the experiment */
#define CORE_VISITS 50 /* in each, a fraction of a millisecond apart */

/* Some 70 KB: too large for a firmware's stack. */
struct core_watch {
    struct platform *platform;
    struct states *states; /* of the run */
    struct core_visit {
        double first[SENTINEL_LOOKS], second[SENTINEL_LOOKS]; /* cycles, in rising order */
    } visit[CORE_SLICES * CORE_VISITS];
};

/* Inside `quietly` or `openly`: one slice; some milliseconds. `ticks`: the last look of each visit.
 */
void core_watch_slice(struct core_watch *watch, unsigned slice, uint32_t ticks[CORE_VISITS]);

/* So many visits of a slice were in each state; only after all slices it is known what the whole
 * core's pace is. */
void core_watch_count(struct core_watch *watch, unsigned slice, uint32_t visits[CORE_STATES]);

#endif
