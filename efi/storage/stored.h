/* stored: a file on a volume that has all its clusters before it is written. */
#ifndef MLPBOOT_EFI_STORAGE_STORED_H
#define MLPBOOT_EFI_STORAGE_STORED_H

#include "volume.h"

#define STORED_EXTENTS_MAX 64

/*
 * Functions return NULL, or the reason in words. Each that writes has written it all, flushed it
 * and read it back when it returns NULL: where the volume is a FAT whose sectors the firmware
 * shows, from those sectors, around whatever the firmware keeps of the file. A medium that takes
 * longer than 10 seconds and one more for each 20 KB is given up.
 */
struct stored {
    struct volume *volume;
    EFI_FILE_HANDLE file; /* NULL: it is not open */
    char path[VOLUME_PATH_MAX];
    uint64_t bytes;        /* that it has on the volume */
    const char *unlocated; /* why its sectors are unknown; NULL: */
    unsigned extents;      /* it is here */
    struct fat_extent extent[STORED_EXTENTS_MAX];
};

/* Opens the file; makes it where it does not exist. Its contents are then those of the medium. */
const char *stored_open(struct stored *stored, struct volume *volume, const char *path);

/*
 * Makes it so many bytes long, of which those that are new are line ends: whoever reads a file that
 * nobody came to cut reads text. Then stored_locate says whether what is on the disk is a file of
 * that size.
 */
const char *stored_grow(struct stored *stored, uint64_t bytes);
const char *stored_locate(struct stored *stored);

/* Writes within the size it has. */
const char *stored_write(struct stored *stored, uint64_t position, const char *data, size_t length);

/* Line ends from there on, so many. */
const char *stored_fill(struct stored *stored, uint64_t position, uint64_t length);

/* Makes it shorter. Not all firmware can. */
const char *stored_cut(struct stored *stored, uint64_t bytes);

/* Writes what the firmware has of it to the medium; closes the file and opens it again where the
 * firmware writes it only then. */
const char *stored_flush(struct stored *stored);

/* Takes it off the volume, as far as that works, and closes it; also where it could not be opened:
 * it may have been made all the same. */
void stored_remove(struct stored *stored);

/* Also of one that was not opened. */
void stored_close(struct stored *stored);

/*
 * Writes a file whole, in place where it is that long; else it is made that long first, where that
 * leaves room for results. It is padded with blanks to a multiple of STORED_UNIT, for which `data`
 * has room, and written at once: a power cut finds mostly the old text or the new one.
 */
#define STORED_UNIT 8192
const char *stored_keep(struct volume *volume, const char *path, char *data, size_t length);

#endif
