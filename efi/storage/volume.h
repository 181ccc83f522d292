/* volume: the FAT volume that the image was booted from; configuration in, results out. */
#ifndef MLPBOOT_EFI_VOLUME_H
#define MLPBOOT_EFI_VOLUME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functions return NULL, or the reason in words. */

/* Opens the volume. Until it has succeeded, the others return its reason. */
const char *volume_open(void);

bool volume_is_open(void);

/* Closes all files; nothing is read or written any more. */
void volume_close(void);

/*
 * Reads a file, by its path from the root, into `buffer`; *length gets its size, which may be more
 * than `room`: then only the first `room` bytes were read. A file that is not there has length 0
 * and sets *missing.
 */
const char *volume_read(const char *name, char *buffer, size_t room, size_t *length, bool *missing);

/* Calls file(context, name) for each file of a directory; for none where there is no directory. */
typedef void volume_file(void *context, const uint16_t *name);
const char *volume_list(const char *directory, volume_file *file, void *context);

/* Writes a file of the root whole, with blanks at its end; as volume_replace. */
const char *volume_keep(const char *name, const char *data, size_t length);

/*
 * Makes \results\NNNN with the next free number. volume_results_name is its path afterwards, ""
 * before; volume_results_number its number, 0.
 */
const char *volume_start_results(void);
const char *volume_results_name(void);
unsigned volume_results_number(void);

/* Closes that folder; what is written from now on goes nowhere, until the next is made. */
void volume_end_results(void);

/* Whether the folder was made and took everything that was to be saved there. */
bool volume_has_results(void);

/* From now on the volume is not touched: what would read or write returns the reason. */
void volume_give_up(const char *reason);

/*
 * As in platform.h. Each writes, flushes, closes, then opens the file again and compares; only then
 * NULL is returned. A failed append takes back what it had added.
 */
const char *volume_append(const char *name, const char *data, size_t length);
const char *volume_replace(const char *name, const char *data, size_t length);

/* Appends what nobody misses: only where PLATFORM_ROOM_KEPT stays free, and volume_has_results does
 * not count it. */
const char *volume_append_copy(const char *name, const char *data, size_t length);

#endif
