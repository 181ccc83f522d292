/* sentinel: two fixed blocks whose times tell what the core gives us at the moment. */
#ifndef MLPBOOT_PROBE_SENTINEL_H
#define MLPBOOT_PROBE_SENTINEL_H

#include "../platform.h"

#define SENTINEL_ADDS 2400  /* side by side, */
#define SENTINEL_CHAINS 8   /* in so many chains */
#define SENTINEL_CHAIN 1200 /* one after the other */

/*
 * Ticks of so many additions: in several chains side by side, which take what the core's integer
 * units leave us and nearly twice as long while a sibling thread is busy; or in one chain, which
 * takes a core cycle an addition whatever the sibling does. Both are loops, which have one speed,
 * where a straight piece has three (from the cache of decoded instructions, decoded, shared).
 * Members of struct platform, for every platform that is a real processor.
 */
uint32_t sentinel_side_by_side(struct platform *self);
uint32_t sentinel_chain(struct platform *self);

#endif
