/* own_folder: a folder under /tmp of a test's own. */
#ifndef MLPBOOT_TESTS_OWN_FOLDER_H
#define MLPBOOT_TESTS_OWN_FOLDER_H

#include <stddef.h>

extern char own_folder[64];

/* Makes the folder; any user may read it. */
void make_own_folder(void);

/* Removes the folder with all that is in it. */
void remove_own_folder(void);

/* Returns the path of a name in the folder, until the next call. */
__attribute__((format(printf, 1, 2))) const char *own_path(const char *format, ...);

/* Writes a file, and makes the folders above it. */
void write_bytes(const char *path, const void *bytes, size_t length);
void write_text(const char *path, const char *text);

#endif
