/* run_folders: folders of runs, those that hold them, and the shortest names that tell them apart.
 */
#include "run_folders.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grow.h"

/* The file of a folder; false: its path is longer than any can be. */
static bool join(char path[PATH_MAX], const char *folder, const char *file)
{
    return snprintf(path, PATH_MAX, "%s/%s", folder, file) < PATH_MAX;
}

static bool has_file(const char *folder, const char *file)
{
    char path[PATH_MAX];

    return join(path, folder, file) && access(path, F_OK) == 0;
}

static bool is_run(const char *folder)
{
    return has_file(folder, "run.json") || has_file(folder, "results.csv");
}

static bool is_known(const struct run_folders *folders, const char *path)
{
    for (size_t i = 0; i < folders->count; i++)
        if (strcmp(folders->at[i].path, path) == 0)
            return true;
    return false;
}

/* False: errno says why not. */
static bool add(struct run_folders *folders, const char *path)
{
    char *whole = realpath(path, NULL);

    if (whole == NULL)
        return false;
    if (is_known(folders, whole)) {
        free(whole);
        return true;
    }
    struct run_folder *at = grow(folders->at, folders->count, sizeof(*at));
    if (at == NULL) {
        free(whole);
        return false;
    }
    folders->at = at;
    at[folders->count++] = (struct run_folder){.path = whole};
    return true;
}

static bool is_own_folder(const char *path)
{
    struct stat seen;

    return lstat(path, &seen) == 0 && S_ISDIR(seen.st_mode);
}

/* The runs in a folder; how many there are, or -1: errno says why it cannot be told. */
static int add_inner(struct run_folders *folders, const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort), runs = 0;

    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        if (runs >= 0 && entries[i]->d_name[0] != '.' && join(path, folder, entries[i]->d_name) &&
            is_own_folder(path) && is_run(path))
            runs = add(folders, path) ? runs + 1 : -1;
        free(entries[i]);
    }
    if (count < 0)
        return -1;
    free(entries);
    return runs;
}

/* The last parts of a path, so many of them; all of it where it has no more. */
static const char *tail(const char *path, unsigned parts)
{
    const char *at = path + strlen(path);

    while (at > path && !(at[-1] == '/' && --parts == 0))
        at--;
    return at;
}

static void find_name(const struct run_folders *folders, struct run_folder *folder)
{
    unsigned parts = 1;

    for (size_t i = 0; i < folders->count;) {
        const struct run_folder *other = &folders->at[i];
        bool is_same =
            other != folder && strcmp(tail(other->path, parts), tail(folder->path, parts)) == 0;
        parts += is_same;
        i = is_same ? 0 : i + 1;
    }
    folder->name = tail(folder->path, parts);
}

bool run_folders_find(struct run_folders *folders, char *const *paths, int count, char *error,
                      size_t error_size)
{
    for (int i = 0; i < count; i++) {
        int runs =
            is_run(paths[i]) ? (add(folders, paths[i]) ? 1 : -1) : add_inner(folders, paths[i]);
        if (runs > 0)
            continue;
        if (runs < 0)
            snprintf(error, error_size, "%s: cannot be read as a folder: %s", paths[i],
                     strerror(errno));
        else
            snprintf(error, error_size,
                     "%s: no run: neither it nor a folder in it holds a run.json or a results.csv",
                     paths[i]);
        run_folders_free(folders);
        return false;
    }
    for (size_t i = 0; i < folders->count; i++)
        find_name(folders, &folders->at[i]);
    return true;
}

void run_folders_free(struct run_folders *folders)
{
    for (size_t i = 0; i < folders->count; i++)
        free(folders->at[i].path);
    free(folders->at);
    *folders = (struct run_folders){.at = NULL};
}
