/* random: a seeded generator, so that a run can be repeated bit for bit. */
#ifndef MLPBOOT_LIB_RANDOM_H
#define MLPBOOT_LIB_RANDOM_H

#include <stdint.h>

/* xoshiro256** (Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", 2018). */
struct random {
    uint64_t state[4];
};

/* Any seed is good; the state is filled by SplitMix64, as the authors advise. */
void random_seed(struct random *random, uint64_t seed);

/* 64 uniform bits. */
uint64_t random_next(struct random *random);

/* 0 <= result < bound; bound must not be 0. Bias below 2^-32 for bounds below 2^32. */
uint64_t random_below(struct random *random, uint64_t bound);

/* Puts `count` values in a uniformly random order (Fisher and Yates). */
void random_shuffle(struct random *random, uint32_t *values, uint32_t count);

#endif
