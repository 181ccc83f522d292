/* sort: numbers in rising order, in time n log n at worst. */
#ifndef MLPBOOT_LIB_SORT_H
#define MLPBOOT_LIB_SORT_H

#include <stddef.h>
#include <stdint.h>

/* In place. With NANs the order is undefined. */
void sort_doubles(double *values, size_t count);
void sort_numbers(uint32_t *values, size_t count);

#endif
