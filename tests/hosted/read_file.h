/* read_file: a whole file into memory, up to a limit. */
#ifndef MLPBOOT_HOSTED_READ_FILE_H
#define MLPBOOT_HOSTED_READ_FILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads the first `most` bytes of a file (or all of it, if shorter) into malloc'ed memory with a
 * NUL after the last; NULs within are kept. The caller frees `*data`. Returns NULL, or the reason
 * in words, with nothing allocated: also for a FIFO or a terminal, which may never end.
 */
const char *read_file(const char *path, size_t most, char **data, size_t *length);

/*
 * Reads a small file of /proc or /sys into `buffer`, without its last newline, cut where it does
 * not fit. False: it could not be read, and `buffer` is empty. `size` must be at least 1.
 */
bool read_small_file(const char *path, char *buffer, size_t size);

/* Bytes of a UTF-8 byte order mark at a text's start: 3, or 0 if absent. */
size_t byte_order_mark(const char *data, size_t length);

#endif
