/* volumes: those that this boot has to do with: the one booted from, and those that are marked for
 * results. */
#ifndef MLPBOOT_EFI_STORAGE_VOLUMES_H
#define MLPBOOT_EFI_STORAGE_VOLUMES_H

#include "places.h"
#include "volume.h"

#define VOLUMES_MARKER "\\mlpboot.results"

/*
 * Opens the volume booted from. Returns NULL, or why there is none to read from; a volume that
 * takes no results is told, too.
 */
const char *volumes_open(void (*tell)(const char *words));

/* Looks for marked ones, and checks all that may be written to: each is told of that cannot. */
void volumes_choose(void);

/* Closes them. */
void volumes_close(void);

/* As volume_read and volume_list: of the server that this was started from, or of the volume. */
const char *volumes_read(const char *path, char *buffer, size_t room, size_t *length,
                         bool *missing);
const char *volumes_list(const char *path, volume_file *file, void *context);

/* The first that results can go to, NULL: none. What is to be found in the next boot is there. */
struct volume *volumes_first(void);

/* Adds a folder on each to the places, in their order. */
void volumes_add_places(struct places *places);

/* NNNN of the folder that is this place; 0: it is none, or no place at all. */
unsigned volumes_number(const struct place *place);

#endif
