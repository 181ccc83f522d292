/* made_tables: how tests make up the bytes of a firmware's tables. */
#ifndef MLPBOOT_TESTS_MADE_TABLES_H
#define MLPBOOT_TESTS_MADE_TABLES_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline void put(uint8_t *at, uint64_t value, unsigned bytes)
{
    memcpy(at, &value, bytes);
}

/* Copies exactly the bytes that may be read, so a sanitizer sees a step beyond them. To free. */
static inline void *exact_copy(const void *from, size_t bytes)
{
    void *to = malloc(bytes + (bytes == 0));
    memcpy(to, from, bytes);
    return to;
}

/* Sets the checksum at an offset of so many bytes, so that all of them add up to 0. */
static inline void make_sum_right(uint8_t *table, size_t bytes, size_t at)
{
    uint8_t sum = 0;
    table[at] = 0;
    for (size_t i = 0; i < bytes; i++)
        sum = (uint8_t)(sum + table[i]);
    table[at] = (uint8_t)-sum;
}

#endif
