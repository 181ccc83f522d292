/* random: seeding by SplitMix64, and orders. */
#include "random.h"

void random_seed(struct random *random, uint64_t seed)
{
    for (unsigned i = 0; i < 4; i++) {
        seed += 0x9e3779b97f4a7c15;
        uint64_t z = seed;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        random->state[i] = z ^ z >> 31;
    }
}

void random_shuffle(struct random *random, uint32_t *values, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = (uint32_t)random_below(random, i);
        uint32_t kept = values[i - 1];
        values[i - 1] = values[j];
        values[j] = kept;
    }
}

void random_cycle(struct random *random, uint32_t *next, uint32_t count)
{
    next[0] = 0;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t j = (uint32_t)random_below(random, i);
        next[i] = next[j];
        next[j] = i;
    }
}
