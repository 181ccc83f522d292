/* command_collect: puts runs of many machines into one database. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collect_writer.h"
#include "collected_run.h"
#include "command.h"
#include "run_folders.h"

#define ERROR_MAX 8192
#define PROGRESS_SECONDS 0.2

enum { OPTION_OUT };

static const struct option options[] = {
    [OPTION_OUT] = {"--out", "FILE|postgresql://...",
                    "a file of SQLite, or a PostgreSQL server; the tables are made where there "
                    "are none",
                    1, true},
    {.name = NULL},
};

struct collection {
    struct collect_writer *writer;
    size_t added, there, refused;
    double shown; /* when progress was last shown, in seconds */
};

/* --- what is said ---------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Prints words in place of the progress. A folder's name may hold any bytes. */
static void tell(const char *words)
{
    fputs(isatty(STDERR_FILENO) ? "\r\033[K" : "", stderr);
    fprintf(stderr, "%s collect: ", PROGRAM);
    for (; *words != '\0'; words++)
        fputc((unsigned char)*words < 0x20 || *words == 0x7f ? '?' : *words, stderr);
    fputc('\n', stderr);
}

static void show_progress(struct collection *c, size_t done, size_t count)
{
    if (!isatty(STDERR_FILENO) || (done < count && seconds_now() - c->shown < PROGRESS_SECONDS))
        return;
    c->shown = seconds_now();
    if (done < count)
        fprintf(stderr, "\r%zu of %zu runs", done, count);
    else
        fputs("\r\033[K", stderr);
}

/* --- one run --------------------------------------------------------------------------------- */

static const char *add_verdicts(struct collect_writer *writer, const struct collected_run *run)
{
    static struct collected_verdict line;
    struct collect_cell cells[COLLECT_COLUMNS_MAX];
    const char *reason = NULL;

    strcpy(line.run, run->id);
    for (size_t i = 0; i < run->verdicts.count && reason == NULL; i++) {
        line.is = run->verdicts.at[i];
        strcpy(line.status, verdict_status_name(line.is.status));
        collect_cells(TABLE_VERDICTS, &line, cells);
        reason = writer->add_row(writer, TABLE_VERDICTS, cells);
    }
    return reason;
}

static const char *add_points(struct collect_writer *writer, const struct collected_run *run)
{
    static struct collected_point line;
    struct collect_cell cells[COLLECT_COLUMNS_MAX];
    const char *reason = NULL;

    strcpy(line.run, run->id);
    for (size_t i = 0; i < run->points.count && reason == NULL; i++) {
        line.line = (int64_t)i + 2; /* after the header */
        line.is = run->points.rows[i];
        case_name(&line.is.variant, line.variant);
        collect_cells(TABLE_POINTS, &line, cells);
        reason = writer->add_row(writer, TABLE_POINTS, cells);
    }
    return reason;
}

/* Adds the rows of a run that was begun. Returns NULL, or why the database does not have them. */
static const char *add_rows(struct collect_writer *writer, struct collected_run *run,
                            char error[ERROR_MAX])
{
    if (!collected_run_read_rows(run, error, ERROR_MAX))
        return error;
    const char *reason = add_verdicts(writer, run);
    if (reason == NULL)
        reason = add_points(writer, run);
    if (reason == NULL)
        reason = writer->end_run(writer);
    if (reason == NULL)
        return NULL;
    snprintf(error, ERROR_MAX, "%s: %s", run->path, reason);
    return error;
}

/* Adds a run. Returns NULL, or why the database does not have it. */
static const char *add_run(struct collection *c, struct collected_run *run, char error[ERROR_MAX])
{
    struct collect_writer *writer = c->writer;
    bool is_there = false;
    const char *reason = writer->begin_run(writer, run->has_machine ? run->machine.at : NULL,
                                           run->run.at, &is_there);

    if (reason != NULL) {
        snprintf(error, ERROR_MAX, "%s: %s", run->path, reason);
        return error;
    }
    c->there += is_there;
    if (is_there)
        return NULL;
    reason = add_rows(writer, run, error);
    if (reason != NULL)
        writer->abandon_run(writer);
    c->added += reason == NULL;
    return reason;
}

static void collect_folder(struct collection *c, const char *path)
{
    static struct collected_run run;
    char error[ERROR_MAX];
    const char *reason = error;

    if (collected_run_open(&run, path, error, sizeof(error)))
        reason = add_run(c, &run, error);
    if (reason != NULL)
        tell(reason);
    c->refused += reason != NULL;
    collected_run_free(&run);
}

/* --- all of them ----------------------------------------------------------------------------- */

/* The runs of each operand. */
struct operand_runs {
    struct run_folders *at; /* one for each operand */
    size_t count;           /* number of runs */
    size_t refused;         /* number of refused operands */
};

/* Finds each operand's runs; reports one without any, and goes on. */
static bool find_operand_runs(struct operand_runs *found, const struct arguments *arguments)
{
    char error[ERROR_MAX];

    found->at = calloc((size_t)arguments->operand_count, sizeof(*found->at));
    if (found->at == NULL)
        return false;
    for (int i = 0; i < arguments->operand_count; i++) {
        struct run_folders *folders = &found->at[i];
        if (!run_folders_find(folders, &arguments->operands[i], 1, error, sizeof(error))) {
            tell(error);
            found->refused++;
        }
        found->count += folders->count;
    }
    return true;
}

static void collect_all(struct collection *c, const struct operand_runs *found, int operands)
{
    char words[64];
    size_t done = 0;

    for (int i = 0; i < operands; i++)
        for (size_t j = 0; j < found->at[i].count && !c->writer->is_broken; j++) {
            collect_folder(c, found->at[i].at[j].path);
            show_progress(c, ++done, found->count);
        }
    if (done == found->count)
        return;
    snprintf(words, sizeof(words), "%zu more were not tried", found->count - done);
    tell(words);
    c->refused += found->count - done;
}

static bool is_server(const char *out)
{
    static const char *const schemes[] = {"postgresql://", "postgres://"};

    return strncmp(out, schemes[0], strlen(schemes[0])) == 0 ||
           strncmp(out, schemes[1], strlen(schemes[1])) == 0;
}

/* Opens the database. A message leaves a server's address out, which may hold a password. */
static bool open_database(struct collection *c, const char *out)
{
    char words[ERROR_MAX];
    const char *reason = is_server(out) ? collect_postgresql_open(out, &c->writer)
                                        : collect_sqlite_open(out, &c->writer);

    if (reason == NULL)
        return true;
    snprintf(words, sizeof(words), "%s: %s", is_server(out) ? "the server" : out, reason);
    tell(words);
    return false;
}

static enum exit_code collect_found(const struct operand_runs *found,
                                    const struct arguments *arguments)
{
    struct collection c = {.refused = found->refused};

    if (found->count > 0) {
        if (!open_database(&c, option_value(arguments, OPTION_OUT)))
            return EXIT_FAILED;
        collect_all(&c, found, arguments->operand_count);
        c.writer->close(c.writer);
    }
    printf("%zu runs added, %zu there already, %zu refused\n", c.added, c.there, c.refused);
    return c.refused == 0 ? EXIT_RIGHT : EXIT_FAILED;
}

static enum exit_code collect_main(const struct arguments *arguments)
{
    struct operand_runs found = {.at = NULL};

    if (!find_operand_runs(&found, arguments)) {
        tell("not enough memory for the names of the folders");
        return EXIT_FAILED;
    }
    enum exit_code code = collect_found(&found, arguments);
    for (int i = 0; i < arguments->operand_count; i++)
        run_folders_free(&found.at[i]);
    free(found.at);
    return code;
}

static void help(FILE *to)
{
    fputs(
        "\nA FOLDER is one that a run left, or one that holds such folders, as `results` of a\n"
        "stick does. Every run becomes a row of table runs, its machine one of machines,\n"
        "verdicts.csv and results.csv rows of verdicts and points. A run that is there already is\n"
        "left alone, from whichever folder it came. Several may collect into one database at the\n"
        "same time. A folder that cannot be read is named, and the others are collected.\n"
        "MANUAL.md explains the columns.\n"
        "\nSQLite needs the Debian package libsqlite3-0, PostgreSQL libpq5.\n",
        to);
}

const struct command command_collect = {
    .name = "collect",
    .does = "runs of many machines into one database, SQLite or PostgreSQL",
    .operand = "FOLDER...",
    .options = options,
    .help = help,
    .run = collect_main,
};
