/* pair_probe: two loads that miss, with fillers between them: are both in flight at once? */
#ifndef MLPBOOT_ENGINE_PAIR_PROBE_H
#define MLPBOOT_ENGINE_PAIR_PROBE_H

#include "../analysis/states.h"
#include "../lib/random.h"
#include "../platform.h"

struct pair_probe {
    struct platform *platform; /* NULL: it is not open */
    struct window window;
    struct random random;
    double side_by_side; /* ticks of two loads in flight at once, by the latest search; or 0 */
    bool rdtscp;
};

/* Maps the memory of the loads. Returns NULL, or why it could not. Not from inside `quietly`. */
const char *pair_probe_open(struct pair_probe *probe, struct platform *platform, bool rdtscp);

/* Unmaps it, if there is any. */
void pair_probe_close(struct pair_probe *probe);

/*
 * Returns the most fillers with which both loads are in flight now, to a twentieth, or 0: nothing
 * was found or confirmed, or PROBE_FILLERS_MAX were too few. The core's state may change meanwhile.
 * Takes less than a millisecond; inside `quietly` or `openly`, as the next.
 */
uint32_t pair_probe_search(struct pair_probe *probe);

/* Tells whether both loads are in flight at once with so many fillers between them. Unknown: with 0
 * of them; before a search; if two loads without fillers take as long, since the memory is slow; if
 * the fillers alone take long; and if the loads are much faster, since a line was in a cache. */
enum pair_answer pair_probe_look(struct pair_probe *probe, uint32_t fillers);

#endif
