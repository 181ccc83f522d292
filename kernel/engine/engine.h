/* sweep: visits all points of an experiment in random rounds until each is precise enough. */
#ifndef MLPBOOT_PROBE_SWEEP_H
#define MLPBOOT_PROBE_SWEEP_H

#include "../lib/random.h"
#include "../platform.h"
#include "distribution.h"

#define SWEEP_VISIT_SAMPLES 25 /* taken of a point each time it is visited */
#define SWEEP_VALUES_MAX 8

/*
 * Takes `count` samples of point number `point`, in ticks; where a sample has several values, all
 * of the first, then all of the second, and so on. Called inside `quietly`.
 */
typedef void sweep_visit(void *context, uint32_t point, uint32_t *samples, unsigned count);

struct sweep_rules {
    uint32_t samples_min, samples_max;
    double precision; /* as in distribution_is_precise */
    unsigned values;  /* of each sample, 1 to SWEEP_VALUES_MAX: counts, beside ticks; 0 is 1 */
};

struct sweep {
    struct platform *platform;
    struct sweep_rules rules;
    sweep_visit *visit;
    void *context;
    struct random random;
    struct distribution *points; /* `values` for each point */
    uint32_t count;
    uint32_t *order;       /* points still measured, in this round's order */
    uint32_t active, next; /* how many, and which comes next */
    uint32_t *samples;     /* all points' memory */
};

/* Told between slices how much is done, 0 to 1. Outside `quietly`. */
typedef void sweep_progress(void *context, double done);

/* Prepares `count` points. Returns NULL, or the reason (not enough memory). */
const char *sweep_open(struct sweep *sweep, struct platform *platform, uint32_t count,
                       const struct sweep_rules *rules, uint64_t seed);

/*
 * Measures. A point is done when it has samples_min samples and its median's interval is within the
 * precision, or when it has samples_max. Every round visits the points that are left in a fresh
 * random order, so that drift meets them all alike. False: a fault ended it.
 */
bool sweep_run(struct sweep *sweep, sweep_visit *visit, void *context, sweep_progress *progress,
               void *progress_context);

void sweep_close(struct sweep *sweep);

#endif
