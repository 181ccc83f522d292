/* shuffle_pass: one whole shuffle of an array: filled, shuffled in timed chunks, and checked. */
#ifndef MLPBOOT_PROBE_SHUFFLE_PASS_H
#define MLPBOOT_PROBE_SHUFFLE_PASS_H

#include <stdbool.h>

#include "../platform.h"
#include "shuffle_loops.h"

#define SHUFFLE_CHUNK 4096        /* swaps of one sample at most */
#define SHUFFLE_PASS_SAMPLES 500u /* of one pass at most */

/* What of an array remains to be done; in this order. */
enum shuffle_phase {
    SHUFFLE_INDEX, /* the precomputed indices are written */
    SHUFFLE_FILL,  /* element i becomes i */
    SHUFFLE_RUN,
    SHUFFLE_CHECK,
    SHUFFLE_DONE
};

struct shuffle_pass {
    /* Set before shuffle_pass_start. */
    struct platform *platform;
    uint32_t *data, *indices; /* `elements` each; no indices: they are made on the fly */
    uint64_t elements;        /* 1 to 2^32 - 1 */
    uint64_t seed;            /* the same one gives the same permutation, whatever the loop */
    uint32_t wanted;          /* samples, 1 to SHUFFLE_PASS_SAMPLES */

    enum shuffle_phase phase;
    struct shuffle shuffle;
    shuffle_run *run;
    uint64_t done;                        /* elements, or chunks, of this phase */
    uint64_t chunk, between;              /* swaps of a chunk; chunks from one sample to the next */
    uint32_t ticks[SHUFFLE_PASS_SAMPLES]; /* of each sample, in order */
    uint32_t count, discarded;            /* samples; those an SMI disturbed are not in `ticks` */

    /*
     * What the check found: by how much the sums of the elements and of their squares changed, and
     * the sum of element i times i + 1, which tells one order from another. All modulo 2^64.
     */
    uint64_t values, squares, weighted;
};

/* Swaps in a sample of that stage: whole stages, up to SHUFFLE_CHUNK. */
uint64_t shuffle_chunk(uint64_t stage);

/* How many samples a pass over so many elements can give. */
uint64_t shuffle_chunks(uint64_t elements, uint64_t stage);

/*
 * Starts with phase SHUFFLE_INDEX or SHUFFLE_FILL; later passes find the indices where they were.
 * With SHUFFLE_RUN the array is shuffled as it is, and a check says nothing.
 */
void shuffle_pass_start(struct shuffle_pass *pass, enum shuffle_phase first, enum shuffle_loop loop,
                        uint32_t stage);

/*
 * Work for `quietly`, its context is the pass: a fifth of a second, or what is left. Call until
 * `phase` is SHUFFLE_DONE, and not then. Samples are spread evenly over the shuffle; chunks in
 * between are shuffled without a look at the clock.
 */
void shuffle_pass_slice(void *context);

/* After a pass: whether the array still holds 0, 1, 2 ... once each, as far as two sums can tell.
 */
bool shuffle_pass_is_whole(const struct shuffle_pass *pass);

/* After a pass: 32 bits that depend on where each element came to be. */
uint32_t shuffle_pass_checksum(const struct shuffle_pass *pass);

#endif
