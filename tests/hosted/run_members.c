/* run_members: what a stored run.json says, member by member. */
#include "run_members.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "grow.h"
#include "read_file.h"

struct member_reading {
    struct run_members *members;
    const char *reason; /* why not all are kept; NULL: they are */
};

static void add(void *context, const char *path, const char *text)
{
    struct member_reading *reading = context;
    struct run_members *members = reading->members;

    if (reading->reason != NULL)
        return;
    struct run_member *list = grow(members->at, members->count, sizeof(*list));
    if (list != NULL)
        members->at = list;
    if (list == NULL || members->count == RUN_MEMBERS_MAX) {
        reading->reason = list == NULL ? "not enough memory" : "more members than any run has";
        return;
    }
    struct run_member *member = &list[members->count++];
    snprintf(member->path, sizeof(member->path), "%s", path);
    snprintf(member->text, sizeof(member->text), "%s", text);
}

static bool read_text(const char *path, const char *data, size_t length,
                      struct run_members *members, char *error, size_t error_size)
{
    struct member_reading reading = {.members = members};
    char why[JSON_PATH_MAX + 128];

    if (!json_visit(data, length, add, &reading, why, sizeof(why)))
        snprintf(error, error_size, "%s: %s; it has to be JSON as a run leaves it", path, why);
    else if (reading.reason != NULL)
        snprintf(error, error_size, "%s: %s", path, reading.reason);
    else
        return true;
    return false;
}

static bool is_json(const char *data, size_t length)
{
    char why[JSON_PATH_MAX + 128];

    return length <= RUN_JSON_BYTES_MAX && json_read(data, length, NULL, 0, why, sizeof(why));
}

/* Whether it can be read and is JSON, as far as it goes: then it takes the place of `data`. */
static bool take_spare(const char *path, char **data, size_t *length)
{
    char *spare;
    size_t spare_length;

    if (!read_file(path, (size_t)RUN_JSON_BYTES_MAX + 1, &spare, &spare_length))
        return false;
    bool is_taken = is_json(spare, spare_length);
    if (is_taken) {
        free(*data);
        *data = spare;
        *length = spare_length;
    } else {
        free(spare);
    }
    return is_taken;
}

bool read_run_json(const char *folder, char path[RUN_JSON_PATH_MAX], char **data, size_t *length)
{
    char spare[RUN_JSON_PATH_MAX];

    snprintf(spare, sizeof(spare), "%s/run.bak", folder);
    snprintf(path, RUN_JSON_PATH_MAX, "%s/run.json", folder);
    if (!read_file(path, (size_t)RUN_JSON_BYTES_MAX + 1, data, length))
        return false;
    if (is_json(*data, *length) || !take_spare(spare, data, length))
        return true;
    fprintf(stderr,
            "%s: %s is no JSON: power was cut while it was written; %s, which was written before "
            "it, is taken\n",
            PROGRAM, path, spare);
    memcpy(path, spare, sizeof(spare));
    return true;
}

bool read_run_members(const char *folder, struct run_members *members, char *error,
                      size_t error_size)
{
    char path[RUN_JSON_PATH_MAX], *data;
    size_t length;

    *members = (struct run_members){.at = NULL};
    if (!read_run_json(folder, path, &data, &length)) {
        snprintf(error, error_size, "%s: %s; expected the run.json that a run leaves", path,
                 strerror(errno));
        return false;
    }
    bool is_read = length <= RUN_JSON_BYTES_MAX;
    if (!is_read)
        snprintf(error, error_size, "%s: longer than %u MB", path, RUN_JSON_BYTES_MAX >> 20);
    else
        is_read = read_text(path, data, length, members, error, error_size);
    free(data);
    if (!is_read)
        run_members_free(members);
    return is_read;
}

const char *run_member(const struct run_members *members, const char *path)
{
    for (size_t i = 0; i < members->count; i++)
        if (strcmp(members->at[i].path, path) == 0)
            return members->at[i].text;
    return "";
}

void run_members_free(struct run_members *members)
{
    free(members->at);
    *members = (struct run_members){.at = NULL};
}
