/* shuffle_pass: one whole shuffle of an array: indexed, filled, shuffled and checked. */
#ifndef MLPBOOT_PROBE_SHUFFLE_PASS_H
#define MLPBOOT_PROBE_SHUFFLE_PASS_H

#include <stdbool.h>

#include "shuffle_loops.h"

#define SHUFFLE_CHUNK 4096 /* swaps of one sample at most */

/* The part of an array that remains to be done; in this order. */
enum shuffle_phase {
    SHUFFLE_INDEX, /* the precomputed indices are written */
    SHUFFLE_FILL,  /* element i becomes i */
    SHUFFLE_RUN,
    SHUFFLE_CHECK,
    SHUFFLE_DONE
};

struct shuffle_pass {
    /* Set before shuffle_pass_start. */
    uint32_t *data, *indices; /* `elements` each; no indices: they are made on the fly */
    uint64_t elements;        /* 1 to 2^32 - 1 */
    uint64_t seed;            /* the same one gives the same permutation, whatever the loop */

    enum shuffle_phase phase, last; /* DONE follows `last` */
    struct shuffle shuffle;
    shuffle_run *run;
    uint64_t done;  /* elements of this phase */
    uint64_t chunk; /* swaps of a sample: whole stages, up to SHUFFLE_CHUNK */

    /*
     * The findings of the check: by how much the sums of the elements and of their squares changed,
     * and the sum of element i times i + 1, which tells one order from another. All modulo 2^64.
     */
    uint64_t values, squares, weighted;
};

/* Starts with phase `first` and ends behind `last`. */
void shuffle_pass_start(struct shuffle_pass *pass, enum shuffle_phase first,
                        enum shuffle_phase last, enum shuffle_loop loop, uint32_t stage);

/* A piece of the phase, less than a millisecond. True: the pass is done. */
bool shuffle_pass_go_on(struct shuffle_pass *pass);

/*
 * For samples, between passes: goes to the place of number `sample` of `samples` that are spread
 * evenly over the shuffle, from the array's end to its start; where there are more than chunks, in
 * so many sweeps that none is gone to twice in a row. `run` then shuffles `chunk` swaps there.
 * The place of a swap depends on the indices alone, not on the array's values.
 */
void shuffle_pass_seek(struct shuffle_pass *pass, uint64_t sample, uint64_t samples);

/* True if after a whole pass the array holds 0, 1, 2 ... once each, as far as two sums tell. */
bool shuffle_pass_is_whole(const struct shuffle_pass *pass);

/* After a whole pass: 32 bits that depend on where each element came to be. */
uint32_t shuffle_pass_checksum(const struct shuffle_pass *pass);

#endif
