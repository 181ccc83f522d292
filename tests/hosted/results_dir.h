/* results_dir: the directory a run leaves its files in; what is in them is on the disk. */
#ifndef MLPBOOT_HOSTED_RESULTS_DIR_H
#define MLPBOOT_HOSTED_RESULTS_DIR_H

#include <limits.h>
#include <stddef.h>

#define RESULTS_REASON_MAX (PATH_MAX + 256)

struct results_dir {
    int handle;
    char path[PATH_MAX];     /* as given, for messages */
    char name[NAME_MAX + 1]; /* its last part, where it really is */
    char reason[RESULTS_REASON_MAX];
};

/*
 * All of these return NULL, or the reason in words, with the path; it stays until the next call.
 * `file` is a plain name without slashes.
 */

/* Opens a directory, creating it where it is missing, but none above it. "-" is refused. */
const char *results_dir_open(struct results_dir *dir, const char *path);
void results_dir_close(struct results_dir *dir);

/*
 * Takes the directory for one run, by creating its log.txt, empty. The reason not to: it holds a
 * file of a run already, also of one that has only just started.
 */
const char *results_dir_claim(struct results_dir *dir);

/* Takes an empty directory for many runs, by creating `file` in it, empty. */
const char *results_dir_claim_empty(struct results_dir *dir, const char *file);

/*
 * Add to a file's end; write it whole, in place of what it was; write it if it is new.
 * All three flush it to the disk and read it back. When one fails the file is as it was before.
 */
const char *results_dir_append(struct results_dir *dir, const char *file, const char *data,
                               size_t length);
const char *results_dir_replace(struct results_dir *dir, const char *file, const char *data,
                                size_t length);
const char *results_dir_create(struct results_dir *dir, const char *file, const char *data,
                               size_t length);

#endif
