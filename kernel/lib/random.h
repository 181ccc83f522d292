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

static inline uint64_t random_rotated(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

/* 64 uniform bits. Here, since whoever resamples or draws lines does little else. */
static inline uint64_t random_next(struct random *random)
{
    uint64_t *s = random->state;
    uint64_t result = random_rotated(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = random_rotated(s[3], 45);
    return result;
}

/* 0 <= result < bound; bound must not be 0. Bias below 2^-32 for bounds below 2^32. */
static inline uint64_t random_below(struct random *random, uint64_t bound)
{
    return (uint64_t)((unsigned __int128)random_next(random) * bound >> 64);
}

/* Puts `count` values in a uniformly random order (Fisher and Yates). */
void random_shuffle(struct random *random, uint32_t *values, uint32_t count);

/* Gives each number below `count`, at least 1, its successor in one cycle of them all; each cycle
 * is as likely as any other, since each number comes behind a random one of those before it. */
void random_cycle(struct random *random, uint32_t *next, uint32_t count);

#endif
