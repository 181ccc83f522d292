/* pattern_loops: read every word of an array once, in four orders, and add the words up. */
#ifndef MLPBOOT_PROBE_PATTERN_LOOPS_H
#define MLPBOOT_PROBE_PATTERN_LOOPS_H

#include <stdint.h>

#define PATTERN_LOOPS 4
#define PATTERN_PAGE_BYTES (2u << 20) /* pattern `page` stays in these, whatever the mapping */
#define PATTERN_PAGE_WORDS (PATTERN_PAGE_BYTES / 8)

/* A pass over an array that can be interrupted between two accesses. */
struct pattern_pass {
    const uint64_t *words;
    uint64_t mask;  /* number of words, a power of two, less one */
    uint64_t at;    /* the word read last; one before the first at the start */
    uint64_t state; /* of the random order's generator */
    uint64_t done;  /* accesses of the pass under way */
};

/*
 * `linear`, `page` and `heap` are the orders of Thompson, "Memory access patterns are important"
 * (2012): the next word; the word 514229 further, modulo the 2 MB page, each page in turn; the
 * word 514229 further, modulo the array, a constant stride that a prefetcher may learn. `random`
 * has no stride: a linear congruential generator modulo the number of words, of full period (Hull
 * and Dobell, 1962), with Knuth's multiplier for MMIX (TAOCP 2, 3.3.4). Its low bits repeat soon
 * and are xored with higher ones (as in O'Neill's PCG, 2014), which can be undone: every word still
 * comes once. It needs a few registers and no memory.
 *
 * In every pattern an address depends on no loaded word, so that loads may overlap.
 *
 * The loops are compiled, not generated as probes are: the source defines them as a plain loop, and
 * compiled alike for every platform (LOOPS in the Makefile) they are the same machine code on all
 * of them. Each access is one load and one addition of a word, neither vectorised nor unrolled.
 */
struct pattern_loop {
    const char *name;
    /*
     * Makes the next `count` accesses of a pass, at least one, and returns the sum of the words. No
     * call may go beyond the array's end; with pattern `page`, none beyond the end of a 2 MB page.
     */
    uint64_t (*go)(struct pattern_pass *pass, uint64_t count);
};

extern const struct pattern_loop pattern_loops[PATTERN_LOOPS];

/* Starts the first pass. `bytes`: a power of two, at least 2 MB. Equal seeds, equal orders. */
void pattern_pass_start(struct pattern_pass *pass, const uint64_t *words, uint64_t bytes,
                        uint64_t seed);

/*
 * Writes words number first to first + count - 1: each holds its place in its 2 MB page plus the
 * page's number. A pass that leaves out pages or words and reads others twice has another sum, and
 * every sum up to 64 GB is a whole number that a double holds.
 */
void pattern_fill(uint64_t *words, uint64_t first, uint64_t count);

#endif
