/* load_sampler: samples of loads at random lines of a window, in a known state of caches and TLB.
 */
#ifndef MLPBOOT_PROBE_LOAD_SAMPLER_H
#define MLPBOOT_PROBE_LOAD_SAMPLER_H

#include "../lib/random.h"
#include "../platform.h"
#include "mlp_probe.h"

/* Where a sample's lines are when it starts. */
enum data_state { DATA_MEMORY, DATA_CACHED };

/* What is the same for all samples of a case. */
struct load_conditions {
    uint64_t bytes; /* of the window; more where every load needs a page of its own to walk to */
    unsigned loads; /* the most of any sample */
    enum page_size page;
    enum frame_order frames;
    enum tlb_state tlb;
    enum data_state data;
    uint64_t seed;
    uint32_t node; /* as in a window's request */
};

#define LOAD_SAMPLES_MAX 32 /* of one visit */

struct load_sampler {
    struct platform *platform;
    struct load_conditions conditions;
    struct window window;
    struct random random;
    int32_t displacement[PROBE_LOADS_MAX];
};

/* Maps the window. Returns NULL, or why these conditions cannot be had here; then there is none. */
const char *load_sampler_open(struct load_sampler *sampler, struct platform *platform,
                              const struct load_conditions *conditions);
void load_sampler_close(struct load_sampler *sampler);

/*
 * Draws new addresses, generates the probe, runs it once for the code's sake, and takes `count`
 * samples, at most LOAD_SAMPLES_MAX, each at a base of its own: ticks, or where the probe counts,
 * the counts of all samples by one counter, then by the next. Inside `quietly`.
 */
void load_sampler_visit(struct load_sampler *sampler, const struct mlp_shape *shape,
                        uint32_t *samples, unsigned count);

#endif
