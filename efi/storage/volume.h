/* volume: a volume as the firmware shows it: its files, and the sectors below them. */
#ifndef MLPBOOT_EFI_STORAGE_VOLUME_H
#define MLPBOOT_EFI_STORAGE_VOLUME_H

#include <efi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fat.h"

#define VOLUME_PATH_MAX 128

#define VOLUME_RESULTS "\\results"
#define VOLUME_MARKER "\\mlpboot.results"

struct volume {
    EFI_HANDLE handle;
    uint32_t medium;      /* when it was opened, as Block I/O tells media apart */
    EFI_FILE_HANDLE root; /* NULL: it was not opened */
    const char *closed;   /* why nothing is read or written here; NULL: it is open */
    const char *unfit;    /* why no results go here; NULL: they can */
    char words[160];      /* of `closed`, where it is put together */
    size_t piece;         /* bytes that are written between two flushes */
    char name[64];        /* what people call it */
    uint64_t filled;      /* bytes with which files were made longer, */
    uint64_t shown_at;    /* and when they were shown last, as firmware_milliseconds tells */
    bool is_marked;       /* it has the marker, and is not the one booted from */
    bool is_dirty;        /* somebody wrote to it before, and did not end */
    bool closes_to_flush; /* the firmware writes a file's folder entry when the file is closed */
};

/* Functions return NULL, or the reason in words. Paths begin at the root; '/' is as '\'. */

/*
 * Opens the volume that this was booted from, and finds what keeps results off it: memory in place
 * of a disk, write protection, neither a folder for results nor the marker. If it is a FAT whose
 * sectors the firmware shows, its folders are walked before: the firmware opens none that has no
 * end.
 */
const char *volume_open_own(struct volume *volume, EFI_HANDLE handle);

/*
 * Opens another volume if it carries the marker. That, and whether the firmware can read its
 * folders, is found out from its sectors: the firmware is asked for nothing on a volume that is not
 * marked. Sets is_marked where it is marked and cannot be opened, and where the marker's name was
 * altered.
 */
const char *volume_open_marked(struct volume *volume, EFI_HANDLE handle);

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

/* The firmware's information about an open file, until the next call; NULL: it does not tell. */
EFI_FILE_INFO *volume_info(EFI_FILE_HANDLE file);
bool volume_is_folder(EFI_FILE_HANDLE file);

/* Bytes that are free; UINT64_MAX where the firmware does not tell. */
uint64_t volume_free(const struct volume *volume);

/* --- around the firmware's file system --- */

/* Reads the volume's FAT anew, from its sectors. Valid until the next call, for any volume. */
const char *volume_fat(const struct volume *volume, struct fat **fat);

/* True if so many bytes from `at` of the volume are those of `data`; *same is set where they could
 * be read. */
const char *volume_compare(const struct volume *volume, uint64_t at, const char *data,
                           size_t length, bool *same);

#endif
