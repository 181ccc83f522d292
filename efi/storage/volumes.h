/* volumes: those that this boot has to do with: the one booted from, and where that takes no
 * results those that are marked for them. */
#ifndef MLPBOOT_EFI_STORAGE_VOLUMES_H
#define MLPBOOT_EFI_STORAGE_VOLUMES_H

#include "places.h"
#include "volume.h"

/*
 * Opens the volume booted from. Returns NULL, or why no volume can be read; a volume that takes no
 * results is reported, too.
 */
const char *volumes_open(void (*tell)(const char *words));

/*
 * Looks for marked volumes, once in a boot, and for more if none is marked: firmware may have
 * connected only what it boots. Each marked one that takes no results is reported. Only where
 * nothing else takes them: a disk that hangs its reader is not touched without need.
 */
void volumes_find_marked(void);

/* Closes them. */
void volumes_close(void);

/* As volume_read and volume_list: of the server that this was started from, or of the volume. */
const char *volumes_read(const char *path, char *buffer, size_t room, size_t *length,
                         bool *missing);
const char *volumes_list(const char *path, volume_file *file, void *context);

/* The first that results can go to, NULL: none. The state for the next boot is there. */
struct volume *volumes_first(void);

/* Adds a folder on the volume booted from, or on each marked one, to the places. */
void volumes_add_own(struct places *places);
void volumes_add_marked(struct places *places);

/* NNNN of the folder that is this place; 0: it is none, or no place at all. */
unsigned volumes_number(const struct place *place);

#endif
