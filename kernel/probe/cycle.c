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
 * its shifts scaled to that width. A shift to the right by half of the bits or more under xor is
 * its own inverse, and a product with an odd number has one: so no two numbers become the same.
 */
static uint64_t mix_by(uint64_t x, unsigned bits, uint64_t first, uint64_t second)
{
    uint64_t mask = (1ull << bits) - 1;
    unsigned shift = bits / 2 + 1;
    x ^= x >> shift;
    x = x * first & mask;
    x ^= x >> shift;
    x = x * second & mask;
    return x ^ x >> shift;
}

static uint64_t mix(uint64_t x, unsigned bits)
{
    return mix_by(x, bits, 0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53);
}

/* Undoes mix: by the factors' inverses modulo 2^64, the second one first. */
static uint64_t unmix(uint64_t x, unsigned bits)
{
    return mix_by(x, bits, 0x9cb4b2f8129337db, 0x4f74430c22a54005);
}

/* The bits of a page, of a line of it in turn, and of a lap, in a paged cycle's number and line. */
enum { PAGES_BITS = 4, LINES_BITS = 3, LAPS_BITS = 3, TURN_BITS = PAGES_BITS + LINES_BITS };

static unsigned windows_bits(const struct cycle *cycle)
{
    return cycle->bits - TURN_BITS - LAPS_BITS;
}

/* Returns the bits that make another order of accesses of each window and lap. */
static uint64_t turn_of(uint64_t window, uint64_t lap)
{
    return (window + lap) * 5 & ((1 << TURN_BITS) - 1);
}

/* Returns the line that comes with number i, by functions of i that can be undone. In a paged cycle
 * the low bits are an access among those to the same pages, which bits in the middle choose; the
 * highest are the lap. No two lines of a lap are neighbours, which a prefetcher would fetch. */
static uint64_t line_of(const struct cycle *cycle, uint64_t i)
{
    if (!cycle->is_paged)
        return mix(i, cycle->bits);
    unsigned windows = windows_bits(cycle);
    uint64_t window = mix(i >> TURN_BITS & ((1ull << windows) - 1), windows);
    uint64_t lap = i >> (TURN_BITS + windows), turn = i & ((1 << TURN_BITS) - 1);
    uint64_t access = mix(turn ^ turn_of(window, lap), TURN_BITS);
    return window << (TURN_BITS + LAPS_BITS) | access << LAPS_BITS | lap;
}

/* Returns the number that a line comes with. */
static uint64_t number_of(const struct cycle *cycle, uint64_t line)
{
    if (!cycle->is_paged)
        return unmix(line, cycle->bits);
    unsigned windows = windows_bits(cycle);
    uint64_t window = line >> (TURN_BITS + LAPS_BITS), lap = line & ((1 << LAPS_BITS) - 1);
    uint64_t access = line >> LAPS_BITS & ((1 << TURN_BITS) - 1);
    uint64_t turn = unmix(access, TURN_BITS) ^ turn_of(window, lap);
    return lap << (TURN_BITS + windows) | unmix(window, windows) << TURN_BITS | turn;
}

/* Returns the first line of the array that comes with number i, or with one after it. */
static uint64_t line_from(const struct cycle *cycle, uint64_t i)
{
    uint64_t line, last = (1ull << cycle->bits) - 1;
    while (line = line_of(cycle, i & last), line >= cycle->lines)
        i++;
    return line;
}

static uint8_t *line_at(const struct cycle *cycle, uint64_t line)
{
    return cycle->base + line * LINE_BYTES;
}

/* Line by line, as they lie in memory: in the cycle's order each write would wait for memory. */
bool cycle_extend(struct cycle *cycle, uint64_t count)
{
    uint64_t left = cycle->lines - cycle->linked;
    uint64_t end = cycle->linked + (count < left ? count : left);
    for (; cycle->linked < end; cycle->linked++) {
        uint64_t next = line_from(cycle, number_of(cycle, cycle->linked) + 1);
        *(uint8_t **)(void *)line_at(cycle, cycle->linked) = line_at(cycle, next);
    }
    return end == cycle->lines;
}

uint8_t *cycle_line(const struct cycle *cycle, uint64_t place)
{
    uint64_t all = 1ull << cycle->bits;
    return line_at(cycle, line_from(cycle, place % cycle->lines * all / cycle->lines));
}
