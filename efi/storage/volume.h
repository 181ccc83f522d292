/* volume: a volume as the firmware shows it: its files, and the sectors below them. */
#ifndef MLPBOOT_EFI_STORAGE_VOLUME_H
#define MLPBOOT_EFI_STORAGE_VOLUME_H

#include <efi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fat.h"

#define VOLUME_PATH_MAX 128

struct volume {
    EFI_HANDLE handle;
    uint32_t medium;      /* when it was opened, as Block I/O tells media apart */
    EFI_FILE_HANDLE root; /* NULL: it was not opened */
    const char *closed;   /* why nothing is read or written here; NULL: it is open */
    const char *unfit;    /* why no results go here; NULL: they can */
    char words[160];      /* of `closed`, where it is put together */
    size_t piece;         /* bytes that are written between two flushes */
    char name[64];        /* what people call it */
    bool is_marked;       /* it is not the one booted from, and carries the marker */
    bool was_dirty;       /* before this boot: the bit that says so stays */
};

/* Functions return NULL, or the reason in words. Paths begin at the root; '/' is as '\'. */

/* Opens the volume of that handle, the one booted from or a marked one, and finds what keeps
 * results off it before anything is written: memory in place of a disk, or write protection. */
const char *volume_open(struct volume *volume, EFI_HANDLE handle, bool is_marked);

/* Closes it. Its files have to be closed by then. */
void volume_close(struct volume *volume);

/* Why nothing can be read or written there; NULL: it is open. */
const char *volume_obstacle(const struct volume *volume);

/* From now on nothing is read or written there, for that reason, which has to stay. */
void volume_give_up(struct volume *volume, const char *reason);

/* The same, of all volumes that there are. */
void volume_give_up_all(const char *reason);

/*
 * Reads a file into `buffer`; *length gets its size, which may be more than `room`: then only the
 * first `room` bytes were read. A file that is not there has length 0 and sets *missing.
 */
const char *volume_read(const struct volume *volume, const char *path, char *buffer, size_t room,
                        size_t *length, bool *missing);

/* Calls file(context, name) for each file of a folder; for none where there is no folder. */
typedef void volume_file(void *context, const uint16_t *name);
const char *volume_list(const struct volume *volume, const char *path, volume_file *file,
                        void *context);

/* Opens a file or folder by the firmware's file protocol. */
EFI_STATUS volume_find(const struct volume *volume, EFI_FILE_HANDLE *file, const char *path,
                       UINT64 mode, UINT64 attributes);

/* Calls see(context, entry) for all entries of an open folder. */
typedef void volume_entry(void *context, const EFI_FILE_INFO *entry);
const char *volume_look_through(EFI_FILE_HANDLE folder, volume_entry *see, void *context);

/* What the firmware knows of an open file, until the next call; NULL: it does not tell. */
EFI_FILE_INFO *volume_info(EFI_FILE_HANDLE file);
bool volume_is_folder(EFI_FILE_HANDLE file);

/* Bytes that are free; UINT64_MAX where the firmware does not tell. */
uint64_t volume_free(const struct volume *volume);

/* --- around the firmware's file system --- */

/* Reads the volume's FAT anew, from its sectors. Valid until the next call, for any volume. */
const char *volume_fat(const struct volume *volume, struct fat **fat);

/*
 * Checks the whole FAT as fsck.fat does. What is found is told, or why it could not be checked; a
 * volume on which writing may destroy what is there becomes unfit.
 */
void volume_check(struct volume *volume, void (*tell)(const char *words));

/* Whether so many bytes from `at` of the volume are those of `data`; *same is set where they could
 * be read. */
const char *volume_compare(const struct volume *volume, uint64_t at, const char *data,
                           size_t length, bool *same);

/*
 * Sets or clears the bit of the boot sector that says that somebody writes and has not ended, and
 * has the medium keep it. Nothing is done where there is no FAT, no way to its sectors, or another
 * medium by now: the bit is for who checks the volume later.
 */
void volume_mark(const struct volume *volume, bool is_written);

#endif
