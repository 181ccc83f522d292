/* cycle: the order is an invertible function of a counter, so it needs no memory of its own. */
#include "cycle.h"

#include <stddef.h>

void cycle_start(struct cycle *cycle, uint8_t *base, uint64_t bytes, bool is_paged)
{
    *cycle = (struct cycle){.base = base, .lines = bytes / LINE_BYTES, .is_paged = is_paged};
    while (1ull << cycle->bits < cycle->lines)
        cycle->bits++;
}

/*
 * A permutation of the numbers below 2^bits: the finalizer of MurmurHash3 (Appleby, fmix64) with
 * its shifts scaled to that width. A shift to the right under xor and a product with an odd number
 * can both be undone, so no two numbers become the same.
 */
static uint64_t mix(uint64_t x, unsigned bits)
{
    uint64_t mask = (1ull << bits) - 1;
    unsigned shift = bits / 2 + 1;
    x ^= x >> shift;
    x = x * 0xff51afd7ed558ccd & mask;
    x ^= x >> shift;
    x = x * 0xc4ceb9fe1a85ec53 & mask;
    return x ^ x >> shift;
}

/* Returns the line that comes with number i, by functions of i that can be undone. In a paged cycle
 * the low bits are an access among those to the same pages, which bits in the middle choose; the
 * highest are the lap. No two lines of a lap are neighbours, which a prefetcher would fetch. */
static uint64_t line_of(const struct cycle *cycle, uint64_t i)
{
    const unsigned pages = 4, lines = 3, laps = 3; /* bits */
    if (!cycle->is_paged)
        return mix(i, cycle->bits);
    unsigned windows = cycle->bits - pages - lines - laps;
    uint64_t window = mix(i >> (pages + lines) & ((1ull << windows) - 1), windows);
    uint64_t lap = i >> (pages + lines + windows);
    uint64_t access = mix((i ^ (window + lap) * 5) & ((1 << (pages + lines)) - 1), pages + lines);
    uint64_t page = access >> lines, line = (access & ((1 << lines) - 1)) << laps | lap;
    return window << (pages + lines + laps) | page << (lines + laps) | line;
}

static uint8_t *line_at(const struct cycle *cycle, uint64_t line)
{
    return cycle->base + line * LINE_BYTES;
}

static void link(uint8_t *from, uint8_t *to)
{
    *(uint8_t **)(void *)from = to;
}

bool cycle_extend(struct cycle *cycle, uint64_t count)
{
    uint64_t all = 1ull << cycle->bits;
    uint64_t end = count < all - cycle->index ? cycle->index + count : all;
    for (uint64_t i = cycle->index; i < end; i++) {
        uint64_t line = line_of(cycle, i);
        if (line >= cycle->lines)
            continue;
        uint8_t *next = line_at(cycle, line);
        if (cycle->last != NULL)
            link(cycle->last, next);
        cycle->last = next;
    }
    cycle->index = end;
    if (end == all)
        link(cycle->last, cycle->base); /* number 0 of the order is line 0 */
    return end == all;
}

uint8_t *cycle_line(const struct cycle *cycle, uint64_t place)
{
    uint64_t all = 1ull << cycle->bits;
    uint64_t i = place % cycle->lines * all / cycle->lines, line;
    while (line = line_of(cycle, i & (all - 1)), line >= cycle->lines)
        i++;
    return line_at(cycle, line);
}
