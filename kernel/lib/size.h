/* size: a number of bytes as a configuration writes it: 48k, 1280k, 1g. */
#ifndef MLPBOOT_LIB_SIZE_H
#define MLPBOOT_LIB_SIZE_H

#include <stdint.h>

#include "text.h"

#define SIZE_TEXT_MAX 24 /* characters of any size, the final NUL included */

/* Writes the size without a fraction, in the largest unit that allows it; returns `buffer`. */
const char *size_text(char buffer[SIZE_TEXT_MAX], uint64_t bytes);

#endif
