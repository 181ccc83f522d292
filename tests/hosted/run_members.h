/* run_members: what a stored run.json says, member by member. */
#ifndef MLPBOOT_HOSTED_RUN_MEMBERS_H
#define MLPBOOT_HOSTED_RUN_MEMBERS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "json_reader.h"

#define RUN_JSON_PATH_MAX (PATH_MAX + 16)

#define RUN_MEMBERS_MAX 4096 /* a run has some hundred */

struct run_member {
    char path[JSON_PATH_MAX]; /* "machine.bios.version" */
    char text[JSON_TEXT_MAX]; /* a number as it is written */
};

/* In the order of the file. */
struct run_members {
    struct run_member *at;
    size_t count;
};

/*
 * Reads a folder's run.json as read_file does, up to one byte more than RUN_JSON_BYTES_MAX. Where
 * it is no JSON and run.bak is, power was cut while the image wrote it: run.bak is taken, and
 * standard error told. `path` gets the name of the file that was taken, or could not be read.
 */
bool read_run_json(const char *folder, char path[RUN_JSON_PATH_MAX], char **data, size_t *length);

/* Reads all members of a folder's run.json that are texts, numbers, true or false. False: `error`
 * names the file and what was expected; there are none. The caller frees with run_members_free. */
bool read_run_members(const char *folder, struct run_members *members, char *error,
                      size_t error_size);

/* Its text; empty where it is not there, or null. */
const char *run_member(const struct run_members *members, const char *path);

/* Also right after a failed read. */
void run_members_free(struct run_members *members);

#endif
