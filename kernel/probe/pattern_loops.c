/* walk: the four loops. What they compile to is checked by tests/machines/test_patterns.py. */
#include "pattern_loops.h"

#define STEP 514229 /* words; odd, so that it meets every word of a power of two */
#define PAGE_MASK ((uint64_t)WALK_PAGE_WORDS - 1)
#define MULTIPLIER 6364136223846793005u
#define INCREMENT 1442695040888963407u
#define LOW_BITS 12

/* At a cache line's start, so that a loop's place among the lines is the same on every platform. */
#define LOOP __attribute__((noinline, aligned(64))) static uint64_t

/*
 * No instruction, but where the value comes from is hidden: the compiler cannot tell which words
 * follow each other, and has to load each by itself.
 */
static inline uint64_t hidden(uint64_t value)
{
    __asm__ volatile("" : "+r"(value));
    return value;
}

static void advance(struct walk *walk, uint64_t count)
{
    walk->done = (walk->done + count) & walk->mask;
}

LOOP linear(struct walk *walk, uint64_t count)
{
    const uint64_t *words = walk->words, mask = walk->mask;
    uint64_t at = walk->at, sum = 0;
    advance(walk, count);
    do {
        at = hidden((at + 1) & mask);
        sum += words[at];
    } while (--count > 0);
    walk->at = at;
    return sum;
}

LOOP page(struct walk *walk, uint64_t count)
{
    const uint64_t *words = walk->words, first = walk->done & ~PAGE_MASK;
    uint64_t at = walk->at, sum = 0;
    advance(walk, count);
    do {
        at = hidden(first + ((at + STEP) & PAGE_MASK));
        sum += words[at];
    } while (--count > 0);
    walk->at = at;
    return sum;
}

LOOP heap(struct walk *walk, uint64_t count)
{
    const uint64_t *words = walk->words, mask = walk->mask;
    uint64_t at = walk->at, sum = 0;
    advance(walk, count);
    do {
        at = hidden((at + STEP) & mask);
        sum += words[at];
    } while (--count > 0);
    walk->at = at;
    return sum;
}

LOOP random_order(struct walk *walk, uint64_t count)
{
    const uint64_t *words = walk->words, mask = walk->mask;
    uint64_t state = walk->state, sum = 0;
    advance(walk, count);
    do {
        state = hidden(state * MULTIPLIER + INCREMENT);
        uint64_t at = state & mask;
        sum += words[at ^ at >> LOW_BITS];
    } while (--count > 0);
    walk->state = state;
    return sum;
}

const struct walk_pattern walk_patterns[WALK_PATTERNS] = {
    {"linear", linear},
    {"page", page},
    {"heap", heap},
    {"random", random_order},
};

void walk_start(struct walk *walk, const uint64_t *words, uint64_t bytes, uint64_t seed)
{
    uint64_t mask = bytes / sizeof *words - 1;
    *walk = (struct walk){.words = words, .mask = mask, .at = mask, .state = seed};
}

void walk_fill(uint64_t *words, uint64_t first, uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++)
        words[i] = (i & PAGE_MASK) + i / WALK_PAGE_WORDS;
}
