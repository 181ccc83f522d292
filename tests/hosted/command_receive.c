/* command_receive: extracts runs' files from the log of a serial port. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "read_file.h"
#include "results_dir.h"
#include "serial_log.h"

#define LOG_BYTES_MAX ((size_t)1 << 30)
#define ACCEPTED "accepted: the log of a serial port"

enum { OPTION_OUT };

static const struct option options[] = {
    [OPTION_OUT] = {"--out", "DIR", "where the runs' folders are made; else the current folder", 1,
                    false},
    {.name = NULL},
};

/* Where files go, and how that went. */
struct receipt {
    const char *out;
    const char *run;
    struct results_dir dir;
    bool is_whole;   /* every file so far is whole */
    bool has_failed; /* something could not be written, and was reported */
};

static bool fail(const char *what, const char *reason)
{
    fprintf(stderr, "%s receive: %s%s%s\n", PROGRAM, what, *what != '\0' ? ": " : "", reason);
    return false;
}

/* --- one file -------------------------------------------------------------------------------- */

static void write_file(struct receipt *r, const char *name, const struct serial_whole *whole)
{
    const char *reason = results_dir_create(&r->dir, name, whole->data, whole->length);

    if (reason == NULL)
        return;
    r->has_failed = true;
    fail("", reason);
}

static void receive_whole(struct receipt *r, const struct serial_file *file,
                          const struct serial_whole *whole)
{
    write_file(r, file->name, whole);
    printf("%s/%s: whole, %zu bytes%s\n", r->run, file->name, whole->length,
           file->version > 0 ? "" : ", without a checksum");
}

/* Saves a partial file under another name, so that nobody mistakes it for the file. */
static void receive_part(struct receipt *r, const struct serial_file *file,
                         const struct serial_whole *whole)
{
    char name[BLOCK_FILE_MAX + 32] = "nothing";

    r->is_whole = false;
    if (whole->length > 0) {
        if (file->version > 1)
            snprintf(name, sizeof(name), "%s.%u.part", file->name, file->version);
        else
            snprintf(name, sizeof(name), "%s.part", file->name);
        write_file(r, name, whole);
    }
    printf("%s/%s: not whole: %s; what there is, %zu bytes: %s\n", r->run, file->name,
           whole->reason, whole->length, name);
}

static bool is_same_file(const struct serial_file *a, const struct serial_file *b)
{
    return strcmp(a->name, b->name) == 0;
}

/* Joins each writing of the file files[first], the last first, until one is whole. A file without
 * blocks has version 0 and comes last. */
static void receive_file(struct receipt *r, const struct serial_run *run, size_t first)
{
    unsigned below = UINT_MAX;
    const struct serial_file *file;

    do {
        file = NULL;
        for (size_t i = first; i < run->count; i++)
            if (is_same_file(&run->files[i], &run->files[first]) && run->files[i].version < below &&
                (file == NULL || run->files[i].version > file->version))
                file = &run->files[i];
        if (file == NULL)
            return;
        below = file->version;
        struct serial_whole whole;
        serial_file_join(file, &whole);
        if (whole.is_whole) {
            receive_whole(r, file, &whole);
            file = NULL;
        } else {
            receive_part(r, file, &whole);
        }
        free(whole.data);
    } while (file != NULL && below > 0);
}

/* --- runs ------------------------------------------------------------------------------------ */

static bool is_first(const struct serial_run *run, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (is_same_file(&run->files[i], &run->files[index]))
            return false;
    return true;
}

static void receive_files(struct receipt *r, const struct serial_run *run)
{
    bool has_blocks = false;

    r->run = run->name;
    for (size_t i = 0; i < run->count; i++) {
        has_blocks |= run->files[i].version > 0;
        if (is_first(run, i))
            receive_file(r, run, i);
    }
    if (!has_blocks)
        printf("%s: nothing else is in the log: the run could save its files\n", run->name);
}

static const char *path_of(const struct receipt *r, const char *run, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s", r->out, run);
    return path;
}

/* Writes a run into a new folder. */
static void receive_run(struct receipt *r, const struct serial_run *run)
{
    char path[PATH_MAX];
    const char *reason = NULL;

    if (mkdir(path_of(r, run->name, path), 0777) != 0)
        reason = strerror(errno);
    if (reason != NULL) {
        r->has_failed = true;
        fail(path, reason);
        return;
    }
    reason = results_dir_open(&r->dir, path);
    if (reason == NULL) {
        receive_files(r, run);
    } else {
        r->has_failed = true;
        fail("", reason);
    }
    results_dir_close(&r->dir);
}

/* Checks the log before anything is written. */
static bool can_receive(struct receipt *r, const struct serial_log *log)
{
    char path[PATH_MAX];
    struct stat status;
    const char *reason = results_dir_open(&r->dir, r->out);

    results_dir_close(&r->dir);
    if (reason != NULL)
        return fail("", reason);
    if (strlen(r->out) + 1 + SERIAL_RUN_MAX >= PATH_MAX)
        return fail(r->out, "the path is too long");
    for (size_t i = 0; i < log->count; i++)
        if (lstat(path_of(r, log->runs[i].name, path), &status) == 0)
            return fail(path, "is there already; name another directory with --out");
    return true;
}

static bool receive_runs(const char *path, const struct serial_log *log, const char *out)
{
    static struct receipt r;

    r = (struct receipt){.out = out, .is_whole = true};
    if (log->count == 0)
        return fail(path, "no file of a run is in it; " ACCEPTED);
    if (!can_receive(&r, log))
        return false;
    for (size_t i = 0; i < log->count && !r.has_failed; i++)
        receive_run(&r, &log->runs[i]);
    if (log->lost > 0)
        printf("%zu more blocks came damaged, of which nobody can tell whose they are\n",
               log->lost);
    return r.is_whole && !r.has_failed && log->lost == 0;
}

static bool read_log(const char *path, char **data, size_t *length)
{
    bool is_read = strcmp(path, "-") == 0
                       ? read_handle(STDIN_FILENO, LOG_BYTES_MAX + 1, data, length)
                       : read_file(path, LOG_BYTES_MAX + 1, data, length);

    if (!is_read) {
        fprintf(stderr, "%s receive: %s: %s; " ACCEPTED "\n", PROGRAM, path, strerror(errno));
        return false;
    }
    if (*length <= LOG_BYTES_MAX)
        return true;
    free(*data);
    return fail(path, "has more than 1 GB; cut out the runs that are wanted");
}

static enum exit_code receive_main(const struct arguments *arguments)
{
    const char *out = option_value(arguments, OPTION_OUT);
    struct serial_log log;
    bool is_whole;
    char *data;
    size_t length;

    if (!read_log(arguments->operand, &data, &length))
        return EXIT_FAILED;
    is_whole = serial_log_read(&log, data, length)
                   ? receive_runs(arguments->operand, &log, out != NULL ? out : ".")
                   : fail(arguments->operand, "there is not enough memory");
    serial_log_free(&log);
    free(data);
    return is_whole ? EXIT_RIGHT : EXIT_FAILED;
}

static void help(FILE *to)
{
    fputs(
        "\nLOG is what was recorded of a serial port, with all that a terminal adds; - is "
        "standard\n"
        "input. Each run in it becomes a folder of DIR, which must not be there yet. What a run\n"
        "could not save it has printed in blocks with a checksum: such a file is given back byte\n"
        "for byte, or the bytes are told that are missing or came damaged, and what there is goes\n"
        "into FILE.part. log.txt and verdicts.csv are always printed, as lines without a\n"
        "checksum; they are taken where there are no blocks of them.\n"
        "\nExit status: 0 every file is whole, 1 something is not, 2 wrong usage.\n",
        to);
}

const struct command command_receive = {
    .name = "receive",
    .does = "the files of runs, out of the log of a serial port",
    .operand = "LOG",
    .options = options,
    .help = help,
    .run = receive_main,
};
