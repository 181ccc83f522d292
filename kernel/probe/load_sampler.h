/* load_sampler: samples loads at random lines of a window, in a known state of caches and TLB. */
#ifndef MLPBOOT_PROBE_LOAD_SAMPLER_H
#define MLPBOOT_PROBE_LOAD_SAMPLER_H

#include "../lib/random.h"
#include "../platform.h"
#include "mlp_probe.h"

/* The caches that hold a sample's lines when it starts. */
enum data_state { DATA_MEMORY, DATA_CACHED, DATA_LAST_IN_MEMORY };

struct load_conditions {
    uint64_t bytes; /* of the window; more where every load needs a page of its own to walk to */
    unsigned loads; /* the most of any sample */
    enum page_size page;
    enum frame_order frames;
    enum tlb_state tlb;
    enum data_state data;
    uint64_t seed;
};

#define LOAD_SAMPLES_MAX 32 /* of one visit */

struct load_sampler {
    struct platform *platform;
    struct load_conditions conditions;
    struct window window;
    struct random random;
    int32_t displacement[PROBE_LOADS_MAX];
    unsigned drawn;                /* of these */
    enum vector_registers vectors; /* asked for once, at the first visit */
    bool keeps_lines;              /* the same ones in every visit with as many loads */
    unsigned place; /* part of the window's first half that lines are drawn from; 0: all of it */
};

#define LOAD_PLACES 4 /* numbered from 1 on */

/* Why these conditions cannot be had on a platform; NULL: they can. */
const char *load_conditions_refusal(const struct platform *platform,
                                    const struct load_conditions *conditions);

/* Size of the window that they need. */
uint64_t load_conditions_bytes(const struct load_conditions *conditions);

/* `window` stays mapped, with the conditions' page size and load_conditions_bytes at least. */
void load_sampler_init(struct load_sampler *sampler, struct platform *platform,
                       const struct load_conditions *conditions, const struct window *window);

/*
 * Draws new addresses (see keeps_lines), generates the probe, runs it once for the code's sake, and
 * takes `count` samples, at most LOAD_SAMPLES_MAX, each at a base of its own: ticks, or where the
 * probe counts, the counts of all samples by one counter, then by the next. Inside `quietly`.
 */
void load_sampler_visit(struct load_sampler *sampler, const struct mlp_shape *shape,
                        uint32_t *samples, unsigned count);

#endif
