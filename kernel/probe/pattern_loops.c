/* pattern_loops: the four loops; tests/machines/test_patterns.py checks what they compile to. */
#include "pattern_loops.h"

#define STEP 514229 /* words; odd, so that it meets every word of a power of two */
#define PAGE_MASK ((uint64_t)PATTERN_PAGE_WORDS - 1)
#define MULTIPLIER 6364136223846793005u
#define INCREMENT 1442695040888963407u
#define LOW_BITS 12

/* Starts each loop at a cache line, so that it meets the lines' borders alike on every platform. */
#define LOOP __attribute__((noinline, aligned(64))) static uint64_t

/*
 * Hides where the value comes from, without any instruction: the compiler cannot tell which words
 * follow each other, and has to load each by itself.
 */
static inline uint64_t hidden(uint64_t value)
{
    __asm__ volatile("" : "+r"(value));
    return value;
}

static void advance(struct pattern_pass *pass, uint64_t count)
{
    pass->done = (pass->done + count) & pass->mask;
}

static inline __attribute__((always_inline)) uint64_t stride(struct pattern_pass *pass,
                                                             uint64_t count, uint64_t step)
{
    const uint64_t *words = pass->words, mask = pass->mask;
    uint64_t at = pass->at, sum = 0;
    advance(pass, count);
    do {
        at = hidden((at + step) & mask);
        sum += words[at];
    } while (--count > 0);
    pass->at = at;
    return sum;
}

LOOP linear_order(struct pattern_pass *pass, uint64_t count)
{
    return stride(pass, count, 1);
}

LOOP page_order(struct pattern_pass *pass, uint64_t count)
{
    const uint64_t *words = pass->words, first = pass->done & ~PAGE_MASK;
    uint64_t at = pass->at, sum = 0;
    advance(pass, count);
    do {
        at = hidden(first + ((at + STEP) & PAGE_MASK));
        sum += words[at];
    } while (--count > 0);
    pass->at = at;
    return sum;
}

LOOP heap_order(struct pattern_pass *pass, uint64_t count)
{
    return stride(pass, count, STEP);
}

LOOP random_order(struct pattern_pass *pass, uint64_t count)
{
    const uint64_t *words = pass->words, mask = pass->mask;
    uint64_t state = pass->state, sum = 0;
    advance(pass, count);
    do {
        state = hidden(state * MULTIPLIER + INCREMENT);
        uint64_t at = state & mask;
        sum += words[at ^ at >> LOW_BITS];
    } while (--count > 0);
    pass->state = state;
    return sum;
}

const struct pattern_loop pattern_loops[PATTERN_LOOPS] = {
    {"linear", linear_order},
    {"page", page_order},
    {"heap", heap_order},
    {"random", random_order},
};

void pattern_pass_start(struct pattern_pass *pass, const uint64_t *words, uint64_t bytes,
                        uint64_t seed)
{
    uint64_t mask = bytes / sizeof *words - 1;
    *pass = (struct pattern_pass){.words = words, .mask = mask, .at = mask, .state = seed};
}

void pattern_fill(uint64_t *words, uint64_t first, uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++)
        words[i] = (i & PAGE_MASK) + i / PATTERN_PAGE_WORDS;
}
