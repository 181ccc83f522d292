/* shuffle_loops: runs the measured loops; a test inspects the compiler's output. */
#include "shuffle_loops.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Lives in registers: in memory, each store to the array would make the compiler reload it. */
struct index_source {
    enum shuffle_source kind; /* a constant where the loop is compiled: no test is left in it */
    const uint32_t *indices;
    uint64_t state;
};

ALWAYS_INLINE uint64_t split_mix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Returns the next index; the empty instruction keeps the compiler from making several at once. */
ALWAYS_INLINE uint64_t next_index(struct index_source *source, uint64_t i)
{
    uint64_t index;
    if (source->kind == SHUFFLE_PRECOMPUTED)
        index = source->indices[i - 1];
    else
        index = (uint64_t)((unsigned __int128)split_mix(&source->state) * i >> 64);
    __asm__ volatile("" : "+r"(index));
    return index;
}

ALWAYS_INLINE void swap(uint32_t *data, uint64_t a, uint64_t b)
{
    if (a == b)
        return;
    data[a] ^= data[b];
    data[b] ^= data[a];
    data[a] ^= data[b];
}

ALWAYS_INLINE void run_plain(struct shuffle *s, uint64_t swaps, enum shuffle_source kind)
{
    struct index_source source = {kind, s->indices, s->state};
    uint32_t *data = s->data;
    uint64_t i = s->left, end = i - swaps;
    for (; i > end; i--)
        swap(data, i - 1, next_index(&source, i));
    s->left = i;
    s->state = source.state;
}

ALWAYS_INLINE void run_staged(struct shuffle *s, uint64_t swaps, enum shuffle_source kind)
{
    struct index_source source = {kind, s->indices, s->state};
    uint32_t *data = s->data, *buffer = s->buffer;
    uint64_t i = s->left, end = i - swaps;
    while (i > end) {
        uint64_t stage = i - end < s->stage ? i - end : s->stage;
        for (uint64_t j = 0; j < stage; j++)
            buffer[j] = (uint32_t)next_index(&source, i - j);
        for (uint64_t j = 0; j < stage; j++)
            swap(data, i - j - 1, buffer[j]);
        i -= stage;
    }
    s->left = i;
    s->state = source.state;
}

#define SHUFFLE(name, run, source)                                                                 \
    void shuffle_##name(struct shuffle *shuffle, uint64_t swaps)                                   \
    {                                                                                              \
        run(shuffle, swaps, source);                                                               \
    }

SHUFFLE(plain_precomputed, run_plain, SHUFFLE_PRECOMPUTED)
SHUFFLE(staged_precomputed, run_staged, SHUFFLE_PRECOMPUTED)
SHUFFLE(plain_on_the_fly, run_plain, SHUFFLE_ON_THE_FLY)
SHUFFLE(staged_on_the_fly, run_staged, SHUFFLE_ON_THE_FLY)

shuffle_run *const shuffle_runs[SHUFFLE_LOOPS][SHUFFLE_SOURCES] = {
    [SHUFFLE_PLAIN] = {shuffle_plain_precomputed, shuffle_plain_on_the_fly},
    [SHUFFLE_STAGED] = {shuffle_staged_precomputed, shuffle_staged_on_the_fly},
};

void shuffle_precompute(uint32_t *indices, uint64_t *state, uint64_t first, uint64_t last)
{
    struct index_source source = {SHUFFLE_ON_THE_FLY, NULL, *state};
    for (uint64_t i = first; i >= last; i--)
        indices[i - 1] = (uint32_t)next_index(&source, i);
    *state = source.state;
}
