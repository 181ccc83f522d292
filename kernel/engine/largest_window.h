/* largest_window: the array asked for, or as much of it as fits. */
#ifndef MLPBOOT_EXPERIMENTS_LARGEST_WINDOW_H
#define MLPBOOT_EXPERIMENTS_LARGEST_WINDOW_H

#include "measurement.h"

/*
 * Maps `largest` bytes, else half of that and so on, but no less than `smallest`; the console is
 * told why it became less. The window may be larger than that, by the rest of its last page. NULL,
 * or why there is none at all.
 */
const char *largest_window_map(struct measurement *m, uint64_t largest, uint64_t smallest,
                               enum page_size page, struct window *window);

#endif
