/* generator: what another processor does to memory while ours measures. */
#ifndef MLPBOOT_PROBE_GENERATOR_H
#define MLPBOOT_PROBE_GENERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "../data/generators.h"

/* Bytes that only one processor writes: two lines, as both may be fetched or watched at once. */
#define GENERATOR_APART 128

/* The generator of one processor. Words that our processor writes, words that this processor writes
 * and words that nobody changes lie apart. */
struct generator {
    /* Sleeps until `sequence` is no longer what it was when it was looked at; or shorter. */
    void (*sleep)(struct generator *self, uint32_t sequence);
    uint8_t *array;
    uint64_t array_bytes;

    /* The last order, and whether it ends the work; its number is written last. */
    volatile uint32_t sequence __attribute__((aligned(GENERATOR_APART)));
    volatile struct generator_order order;
    volatile bool leaves;

    volatile uint32_t begun __attribute__((aligned(GENERATOR_APART))); /* the number it is at */
    volatile uint64_t done; /* bytes read and written so far */
    uint64_t at; /* where its next block is; one order goes on where the last one ended */
};

/* Its first order is to rest. `array` is 64-byte aligned; only whole blocks of `bytes` are used. */
void generator_init(struct generator *generator, uint8_t *array, uint64_t bytes,
                    void (*sleep)(struct generator *self, uint32_t sequence));

/*
 * For the other processor: writes its array once, as pages that were never written may all be one
 * of zeroes, then does as it is ordered until it gets the order to leave. It reads, writes or
 * copies (from the first half to the second) whole lines; the values are not zero, as some
 * processors need not write back zeroes over zeroes (Downs, "Hardware store elimination", 2020).
 * Each order is noticed within a block, or some hundred cycles of a pause. No exceptions but for
 * memory that is not there, no floating point; vector registers of 16 bytes.
 */
void generator_run(struct generator *generator);

/* Gives a new order, after the last one was begun; without an array none but rest or spin. A
 * generator that sleeps on `sequence` is still to be woken. */
void generator_order(struct generator *generator, const struct generator_order *order);

/* The last of all orders: generator_run returns. */
void generator_leave(struct generator *generator);

/* True if it does what it was last ordered. */
bool generator_has_begun(const struct generator *generator);

#endif
