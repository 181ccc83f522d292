/* volume: the FAT volume that the image was booted from; configuration in, results out. */
#ifndef MLPBOOT_EFI_VOLUME_H
#define MLPBOOT_EFI_VOLUME_H

#include <stdbool.h>
#include <stddef.h>

/* Functions return NULL, or the reason in words. */

/* Opens the volume. Until it has succeeded, the others return its reason. */
const char *volume_open(void);

/*
 * Reads a file of the root into `buffer`; *length gets its size, which may be more than `room`:
 * then only the first `room` bytes were read. A file that is not there has length 0 and sets
 * *missing.
 */
const char *volume_read(const char *name, char *buffer, size_t room, size_t *length, bool *missing);

/*
 * Makes \results\NNNN with the next free number. volume_results_name is its path afterwards, ""
 * before.
 */
const char *volume_start_results(void);
const char *volume_results_name(void);

/* From now on the volume is not touched: what would read or write returns the reason. */
void volume_give_up(const char *reason);

/*
 * As in platform.h. Each writes, flushes, closes, then opens the file again and compares; only then
 * NULL is returned. A failed append takes back what it had added.
 */
const char *volume_append(const char *name, const char *data, size_t length);
const char *volume_replace(const char *name, const char *data, size_t length);

#endif
