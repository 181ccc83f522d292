/* shuffle_loops: the four loops that shuffle an array in place, as published. */
#ifndef MLPBOOT_PROBE_SHUFFLE_LOOPS_H
#define MLPBOOT_PROBE_SHUFFLE_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#define SHUFFLE_STAGE_MAX 1024 /* 4 KB of indices: a small part of any first-level cache */

/* How the work of one swap after the other is ordered; and where the indices come from. */
enum shuffle_loop { SHUFFLE_PLAIN, SHUFFLE_STAGED, SHUFFLE_LOOPS };
enum shuffle_source { SHUFFLE_PRECOMPUTED, SHUFFLE_ON_THE_FLY, SHUFFLE_SOURCES };

/* A shuffle that may stop after any number of swaps and go on. */
struct shuffle {
    uint32_t *data;
    const uint32_t *indices; /* precomputed: indices[i - 1] is the partner of element i - 1 */
    uint64_t state;          /* on the fly: the generator's; any value is good */
    uint64_t left;           /* i: elements [0, i) still wait for their swap; below 2^32 */
    uint32_t stage;          /* staged: indices made before as many swaps, 1 to SHUFFLE_STAGE_MAX */
    uint32_t buffer[SHUFFLE_STAGE_MAX] __attribute__((aligned(64)));
};

/*
 * Swaps element i - 1 with element op(i) < i, for i = left, left - 1, ...; as many as `swaps`,
 * which must not exceed `left`, and lowers `left` by them (Startin, "Observing Memory Level
 * Parallelism with JMH", 2018). A staged loop whose stage does not divide `swaps` ends with a
 * shorter one.
 *
 * The swap is three XORs as published. An element XORed with itself would become 0: where
 * op(i) = i - 1 a correct shuffle leaves the element alone, so that the swap is left out (the
 * published code, which only timed, lost the element). That depends on the index alone, never on
 * what is loaded, and becomes rare at once: one swap in i.
 *
 * op(i) on the fly: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014; the family of the published ThreadLocalRandom), brought below i by the
 * high half of a 128-bit product (Lemire, "Fast random integer generation in an interval", 2019):
 * no division, and a bias below i / 2^64.
 */
typedef void shuffle_run(struct shuffle *shuffle, uint64_t swaps);

shuffle_run shuffle_plain_precomputed, shuffle_staged_precomputed;
shuffle_run shuffle_plain_on_the_fly, shuffle_staged_on_the_fly;

/* The same four, by loop and source. */
extern shuffle_run *const shuffle_runs[SHUFFLE_LOOPS][SHUFFLE_SOURCES];

/* Writes what the loops on the fly would use, for i from `first` down to `last`, >= 1. */
void shuffle_precompute(uint32_t *indices, uint64_t *state, uint64_t first, uint64_t last);

#endif
