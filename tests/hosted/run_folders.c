/* run_folders: the folders that runs left, at or below those that were named. */
#include "run_folders.h"

#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"

static void fail(struct run_folders *folders, void (*tell)(const char *words), const char *path,
                 const char *why)
{
    char words[PATH_MAX + 128];

    folders->failures++;
    snprintf(words, sizeof(words), "%s: %s", path, why);
    tell(words);
}

static bool is_of_run(const char *name)
{
    static const char *const files[] = {"results.csv", "verdicts.csv", "run.json"};

    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        if (strcmp(name, files[i]) == 0)
            return true;
    return false;
}

static bool add(struct run_folders *folders, const char *path, size_t length)
{
    char **paths = grow(folders->paths, folders->count, sizeof(*paths));

    if (paths == NULL)
        return false;
    folders->paths = paths;
    paths[folders->count] = strndup(path, length);
    return paths[folders->count] != NULL && ++folders->count;
}

/* The folder that this file is in, once. */
static void add_folder_of(struct run_folders *folders, FTSENT *file,
                          void (*tell)(const char *words))
{
    if (file->fts_level == FTS_ROOTLEVEL || file->fts_parent->fts_number != 0 ||
        !is_of_run(file->fts_name))
        return;
    file->fts_parent->fts_number = 1;
    if (!add(folders, file->fts_path, file->fts_pathlen - file->fts_namelen - 1u))
        fail(folders, tell, file->fts_path, "not enough memory for its name");
}

static void look_at(struct run_folders *folders, FTSENT *entry, void (*tell)(const char *words))
{
    switch (entry->fts_info) {
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        fail(folders, tell, entry->fts_path, strerror(entry->fts_errno));
        break;
    case FTS_F:
        add_folder_of(folders, entry, tell);
        break;
    default:
        break;
    }
}

static int by_name(const FTSENT **left, const FTSENT **right)
{
    return strcmp((*left)->fts_name, (*right)->fts_name);
}

static void find_below(struct run_folders *folders, char *path, void (*tell)(const char *words))
{
    char *const roots[] = {path, NULL};
    size_t before = folders->count, failures = folders->failures;
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
    FTSENT *entry;

    while (tree != NULL && (entry = fts_read(tree)) != NULL)
        look_at(folders, entry, tell);
    if (tree == NULL)
        fail(folders, tell, path, strerror(errno));
    else
        fts_close(tree);
    if (folders->count == before && folders->failures == failures)
        fail(folders, tell, path,
             "no run is there; expected a folder with run.json, verdicts.csv and results.csv, or "
             "one with such folders in it");
}

void run_folders_find(struct run_folders *folders, char *const *named, int count,
                      void (*tell)(const char *words))
{
    for (int i = 0; i < count; i++) {
        size_t length = strlen(named[i]);
        while (length > 1 && named[i][length - 1] == '/')
            length--;
        char *path = strndup(named[i], length);
        if (path != NULL)
            find_below(folders, path, tell);
        else
            fail(folders, tell, named[i], "not enough memory for its name");
        free(path);
    }
}

void run_folders_free(struct run_folders *folders)
{
    for (size_t i = 0; i < folders->count; i++)
        free(folders->paths[i]);
    free(folders->paths);
    *folders = (struct run_folders){.paths = NULL};
}
