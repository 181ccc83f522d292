/* kept: the files of a run in memory, whole, so that any place can be given them at any time. */
#ifndef MLPBOOT_EFI_STORAGE_KEPT_H
#define MLPBOOT_EFI_STORAGE_KEPT_H

#include "../../kernel/platform.h"
#include "place.h"

/* Starts as zeroes. */
struct kept {
    struct platform *memory; /* allocates and releases */
    unsigned files;
    struct place_file file[PLACE_FILES_MAX];
    size_t room[PLACE_FILES_MAX];
};

/* Gives all memory back, and begins anew without any file. */
void kept_init(struct kept *kept, struct platform *memory);

/* Adds a file, empty; the name has to stay. */
void kept_add(struct kept *kept, const char *name, size_t planned, bool is_copy);

/* The file of that name, or NULL. */
struct place_file *kept_find(struct kept *kept, const char *name);

/*
 * Adds to its end, or replaces all of it: what a longer text leaves behind a shorter one becomes
 * line ends. Returns NULL, or why it is as it was: there is not enough memory. A file that could
 * not be added to once is never added to again: it ends early, and has no hole.
 */
const char *kept_append(struct kept *kept, struct place_file *file, const char *data,
                        size_t length);
const char *kept_replace(struct kept *kept, struct place_file *file, const char *data,
                         size_t length);

#endif
