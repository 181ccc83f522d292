/* results_dir: the directory a run leaves its files in; what is in them is on the disk. */
#include "results_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOG "log.txt" /* what every run writes */

/* Returns errno in words, behind what failed: "out/results.csv: cannot be written: ...". */
static const char *fail(struct results_dir *dir, const char *file, const char *what)
{
    int number = errno;

    snprintf(dir->reason, sizeof(dir->reason), "%s%s%s: %s: %s", dir->path, *file ? "/" : "", file,
             what, strerror(number));
    return dir->reason;
}

/* Says that the folder above is missing. */
static const char *refuse_parent(struct results_dir *dir)
{
    size_t length = strlen(dir->path);

    while (length > 1 && dir->path[length - 1] == '/')
        length--;
    while (length > 0 && dir->path[length - 1] != '/')
        length--;
    while (length > 1 && dir->path[length - 1] == '/')
        length--;
    snprintf(dir->reason, sizeof(dir->reason), "%s: cannot be created: there is no folder %.*s",
             dir->path, (int)length, dir->path);
    return dir->reason;
}

/* Creates the last folder alone: a parent that is missing may be misspelt. NULL, or why not. */
static const char *make_directory(struct results_dir *dir)
{
    struct stat status;

    if (mkdir(dir->path, 0777) == 0 || errno == EEXIST)
        return NULL;
    int reason = errno;
    /* A file system may be read-only and the folder still be there. */
    if (stat(dir->path, &status) == 0 && S_ISDIR(status.st_mode))
        return NULL;
    errno = reason;
    return reason == ENOENT && strchr(dir->path, '/') != NULL ? refuse_parent(dir)
                                                              : fail(dir, "", "cannot be created");
}

/* Takes the last part of the real path as the name: "." could be that of any directory. */
static void take_name(struct results_dir *dir)
{
    char whole[PATH_MAX];
    const char *from = realpath(dir->path, whole) != NULL ? whole : dir->path;
    const char *slash = strrchr(from, '/');

    snprintf(dir->name, sizeof(dir->name), "%.*s", NAME_MAX, slash != NULL ? slash + 1 : from);
}

const char *results_dir_open(struct results_dir *dir, const char *path)
{
    dir->handle = -1;
    if (snprintf(dir->path, sizeof(dir->path), "%s", path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return fail(dir, "", "cannot be created");
    }
    if (strcmp(path, "-") == 0) {
        snprintf(dir->reason, sizeof(dir->reason),
                 "-: results are several files and go to no standard output; accepted: a folder "
                 "(./- is one called -)");
        return dir->reason;
    }
    const char *reason = make_directory(dir);
    if (reason != NULL)
        return reason;
    dir->handle = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir->handle < 0)
        return fail(dir, "", "cannot be opened as a directory");
    take_name(dir);
    return NULL;
}

void results_dir_close(struct results_dir *dir)
{
    if (dir->handle >= 0)
        close(dir->handle);
    dir->handle = -1;
}

static bool write_all(int handle, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t written = write(handle, data, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        data += written;
        length -= (size_t)written;
    }
    return true;
}

/* True if the file holds exactly this from `offset` to its end. False: errno has the reason. */
static bool holds(struct results_dir *dir, const char *file, off_t offset, const char *data,
                  size_t length)
{
    char block[65536];
    int handle = openat(dir->handle, file, O_RDONLY | O_CLOEXEC);
    ssize_t got = handle < 0 ? -1 : 1;

    while (got > 0) {
        got = pread(handle, block, sizeof(block), offset);
        if (got > 0 && ((size_t)got > length || memcmp(block, data, (size_t)got) != 0)) {
            errno = EIO;
            got = -1;
        }
        if (got > 0) {
            offset += got;
            data += got;
            length -= (size_t)got;
        }
    }
    if (got == 0 && length > 0) {
        errno = EIO; /* the file ends too early */
        got = -1;
    }
    int reason = errno;
    if (handle >= 0)
        close(handle);
    errno = reason;
    return got == 0;
}

/* Writes a file, opened with `flags`; flushes and closes it. If that fails, the file is removed. */
static const char *write_new(struct results_dir *dir, const char *file, int flags, const char *data,
                             size_t length)
{
    int handle = openat(dir->handle, file, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);

    if (handle < 0)
        return fail(dir, file, "cannot be created");
    bool is_written = write_all(handle, data, length) && fsync(handle) == 0;
    const char *reason = is_written ? NULL : fail(dir, file, "cannot be written");
    if (close(handle) != 0 && reason == NULL)
        reason = fail(dir, file, "cannot be written");
    if (reason != NULL)
        unlinkat(dir->handle, file, 0);
    return reason;
}

/* Flushes the directory, so that the file's name is on the disk, and reads the file back. */
static const char *settle(struct results_dir *dir, const char *file, off_t offset, const char *data,
                          size_t length)
{
    if (fsync(dir->handle) != 0)
        return fail(dir, file, "its directory cannot be flushed");
    return holds(dir, file, offset, data, length) ? NULL
                                                  : fail(dir, file, "does not read back right");
}

static const char *append_to(struct results_dir *dir, const char *file, int handle,
                             const char *data, size_t length)
{
    struct stat status;

    if (fstat(handle, &status) != 0)
        return fail(dir, file, "cannot be read");
    if (!write_all(handle, data, length) || fsync(handle) != 0) {
        const char *reason = fail(dir, file, "cannot be written");
        /* Half a row would spoil the rows before it. */
        if (ftruncate(handle, status.st_size) != 0)
            return fail(dir, file, "cannot be written, and its last line is not whole");
        return reason;
    }
    return settle(dir, file, status.st_size, data, length);
}

const char *results_dir_append(struct results_dir *dir, const char *file, const char *data,
                               size_t length)
{
    int handle =
        openat(dir->handle, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);

    if (handle < 0)
        return fail(dir, file, "cannot be opened");
    const char *reason = append_to(dir, file, handle, data, length);
    if (close(handle) != 0 && reason == NULL)
        reason = fail(dir, file, "cannot be written");
    return reason;
}

const char *results_dir_replace(struct results_dir *dir, const char *file, const char *data,
                                size_t length)
{
    char temporary[NAME_MAX + 1];

    if (snprintf(temporary, sizeof(temporary), "%s.new", file) > NAME_MAX) {
        errno = ENAMETOOLONG;
        return fail(dir, file, "cannot be created");
    }
    const char *reason = write_new(dir, temporary, O_TRUNC | O_NOFOLLOW, data, length);
    if (reason != NULL)
        return reason;
    if (renameat(dir->handle, temporary, dir->handle, file) != 0) {
        reason = fail(dir, file, "cannot be replaced");
        unlinkat(dir->handle, temporary, 0);
        return reason;
    }
    return settle(dir, file, 0, data, length);
}

const char *results_dir_create(struct results_dir *dir, const char *file, const char *data,
                               size_t length)
{
    const char *reason = write_new(dir, file, O_EXCL, data, length);

    return reason != NULL ? reason : settle(dir, file, 0, data, length);
}

static const char *refuse_used(struct results_dir *dir, const char *file)
{
    snprintf(dir->reason, sizeof(dir->reason),
             "%s: already holds a run (%s); name another directory", dir->path, file);
    return dir->reason;
}

/* Creates the file. Only one of two processes that start at once can do so. */
static const char *claim(struct results_dir *dir, const char *file)
{
    int handle =
        openat(dir->handle, file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);

    if (handle < 0)
        return errno == EEXIST ? refuse_used(dir, file) : fail(dir, file, "cannot be created");
    close(handle);
    return NULL;
}

const char *results_dir_claim(struct results_dir *dir)
{
    static const char *const files[] = {"results.csv", "verdicts.csv", "run.json", "report.html"};
    const char *reason = claim(dir, LOG);

    if (reason != NULL)
        return reason;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (faccessat(dir->handle, files[i], F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
            unlinkat(dir->handle, LOG, 0);
            return refuse_used(dir, files[i]);
        }
    return NULL;
}

/* Returns why a directory is not empty, or cannot be read; NULL: it is empty. */
static const char *refuse_contents(struct results_dir *dir, DIR *contents)
{
    const struct dirent *entry;

    errno = 0;
    while ((entry = readdir(contents)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(dir->reason, sizeof(dir->reason),
                 "%s: is not empty (%.40s); name another directory", dir->path, entry->d_name);
        return dir->reason;
    }
    return errno != 0 ? fail(dir, "", "cannot be read") : NULL;
}

const char *results_dir_claim_empty(struct results_dir *dir, const char *file)
{
    DIR *contents = opendir(dir->path);

    if (contents == NULL)
        return fail(dir, "", "cannot be read");
    const char *reason = refuse_contents(dir, contents);
    closedir(contents);
    return reason != NULL ? reason : claim(dir, file);
}
