/* run_folders: the folders that runs left, at or below those that were named. */
#ifndef MLPBOOT_HOSTED_RUN_FOLDERS_H
#define MLPBOOT_HOSTED_RUN_FOLDERS_H

#include <stddef.h>

/* Starts as zeroes. */
struct run_folders {
    char **paths; /* as they were named, with what is below that behind; no slash at the end */
    size_t count;
    size_t failures; /* what could not be read, or holds no run; told */
};

/*
 * Adds every folder with a results.csv, verdicts.csv or run.json, at or below each of the named
 * ones, sorted by name below each. Links below them are not followed: `latest` would be there
 * twice. What cannot be read, and a named folder without any run, is told by `tell`, in words.
 */
void run_folders_find(struct run_folders *folders, char *const *named, int count,
                      void (*tell)(const char *words));

void run_folders_free(struct run_folders *folders);

#endif
