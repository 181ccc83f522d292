/* run_folders: the runs that a command is to take, each with a name that no other has. */
#ifndef MLPBOOT_HOSTED_RUN_FOLDERS_H
#define MLPBOOT_HOSTED_RUN_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

struct run_folder {
    char *path;       /* where it really is, from the root */
    const char *name; /* the path's end: as many of its parts as tell it from the others */
};

/* Starts as zeroes. */
struct run_folders {
    struct run_folder *at;
    size_t count;
};

/*
 * Takes each path for the folder of a run, which holds a run.json or a results.csv, or else for one
 * that holds such folders: a stick's `results`. These are taken in the order of their names, but no
 * links among them, which lead to runs a second time. A run that is met again counts once. False:
 * `error` names what is neither, or cannot be read; there are no folders then.
 */
bool run_folders_find(struct run_folders *folders, char *const *paths, int count, char *error,
                      size_t error_size);

/* Also right after a failure. */
void run_folders_free(struct run_folders *folders);

#endif
