/* command_report: makes one page of the runs in several folders. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../kernel/lib/utf8.h"
#include "../../kernel/report/elements.h"
#include "command.h"
#include "page_template.h"
#include "read_file.h"
#include "run_folders.h"
#include "run_members.h"

#define PIECE_BYTES (1u << 16) /* how much of a file is read at once */
#define ELEMENT_BYTES (1u << 18)
#define ERROR_MAX (PATH_MAX + 256)
#define OUT "report.html"

enum { OPTION_OUT };

static const struct option options[] = {
    [OPTION_OUT] = {"--out", "FILE", "the page, where there is no such file yet; without it, " OUT,
                    1, false},
    {.name = NULL},
};

struct report_page {
    const char *path;
    FILE *to;
};

/* Prints errno in words; always false. */
static bool fail(const char *path, const char *what)
{
    fprintf(stderr, "%s report: %s: %s: %s\n", PROGRAM, path, what, strerror(errno));
    return false;
}

static const char *put_element(void *context, const struct text *element)
{
    const struct report_page *page = context;

    return fwrite(element->at, 1, element->length, page->to) == element->length
               ? NULL
               : "cannot be written";
}

/* Adds a part of a file; what follows it then stays behind it. */
static bool put(struct report_page *page, struct element *element, const char *data, size_t length)
{
    static char memory[ELEMENT_BYTES];
    struct text text;

    text_init(&text, memory, sizeof(memory));
    const char *reason = elements_put(&text, element, data, length, put_element, page);
    return reason == NULL || fail(page->path, reason);
}

/* Adds a file piece by piece, whatever its length. */
static bool add_lines(struct report_page *page, struct element *element, const char *path,
                      FILE *from)
{
    static char data[PIECE_BYTES];
    size_t length = 0;

    do {
        length += fread(data + length, 1, sizeof(data) - length, from);
        if (ferror(from))
            return fail(path, "cannot be read");
        size_t whole = feof(from) ? length : utf8_whole(data, length);
        if (!put(page, element, data, whole))
            return false;
        length -= whole;
        memmove(data, data + whole, length);
    } while (!feof(from));
    return true;
}

/* Adds a table, unless the folder lacks it. */
static bool add_table(struct report_page *page, const struct run_folder *folder, const char *file)
{
    struct element element = {folder->name, file, true};
    char path[PATH_MAX + 16];

    snprintf(path, sizeof(path), "%s/%s", folder->path, file);
    FILE *from = fopen(path, "r");
    if (from == NULL)
        return errno == ENOENT || fail(path, "cannot be read");
    bool is_added = add_lines(page, &element, path, from);
    fclose(from);
    return is_added;
}

/* Returns the length without padding: the image writes blanks after the last line. */
static size_t without_padding(char *data, size_t length)
{
    size_t kept = length;

    while (kept > 0 && (data[kept - 1] == ' ' || data[kept - 1] == '\n'))
        kept--;
    if (kept < length)
        data[kept++] = '\n';
    return kept;
}

static bool add_conditions(struct report_page *page, const struct run_folder *folder)
{
    struct element element = {folder->name, "run.json", true};
    char path[RUN_JSON_PATH_MAX], *data;
    size_t length;

    if (!read_run_json(folder->path, path, &data, &length))
        return errno == ENOENT || fail(path, "cannot be read");
    errno = EFBIG;
    bool is_added = length <= RUN_JSON_BYTES_MAX
                        ? put(page, &element, data, without_padding(data, length))
                        : fail(path, "cannot be read");
    free(data);
    return is_added;
}

static bool add_runs(struct report_page *page, const struct run_folders *folders)
{
    if (fwrite(page_template, 1, page_template_bytes, page->to) != page_template_bytes)
        return fail(page->path, "cannot be written");
    for (size_t i = 0; i < folders->count; i++) {
        const struct run_folder *folder = &folders->at[i];
        if (!add_conditions(page, folder) || !add_table(page, folder, "verdicts.csv") ||
            !add_table(page, folder, "results.csv"))
            return false;
    }
    return true;
}

/* Writes a page; overwrites nothing, and leaves no partial page. */
static bool write_page(const char *path, const struct run_folders *folders)
{
    int handle = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (handle < 0 && errno == EEXIST) {
        fprintf(stderr, "%s report: %s: is there already; name another file with --out\n", PROGRAM,
                path);
        return false;
    }
    struct report_page page = {path, handle < 0 ? NULL : fdopen(handle, "w")};
    if (page.to == NULL)
        return fail(path, "cannot be created");
    bool is_whole = add_runs(&page, folders);
    if (fclose(page.to) != 0 && is_whole)
        is_whole = fail(path, "cannot be written");
    if (!is_whole)
        unlink(path);
    return is_whole;
}

static enum exit_code report_main(const struct arguments *arguments)
{
    struct run_folders folders = {.at = NULL};
    const char *out = option_value(arguments, OPTION_OUT);
    char error[ERROR_MAX];

    if (out == NULL)
        out = OUT;
    if (!run_folders_find(&folders, arguments->operands, arguments->operand_count, error,
                          sizeof(error))) {
        fprintf(stderr, "%s report: %s\n", PROGRAM, error);
        return EXIT_FAILED;
    }
    bool is_whole = write_page(out, &folders);
    if (is_whole)
        printf("%s: %zu %s; any browser shows it\n", out, folders.count,
               folders.count == 1 ? "run" : "runs");
    run_folders_free(&folders);
    return is_whole ? EXIT_RIGHT : EXIT_FAILED;
}

static void help(FILE *to)
{
    fputs(
        "\nA FOLDER is one that a run left, with run.json, verdicts.csv and results.csv, or one\n"
        "that holds such folders, as `results` of a stick does. The page is one file that needs\n"
        "nothing else, no network either. Runs are called by the names of their folders, with as\n"
        "many of those above as tell them apart. No file is ever overwritten.\n",
        to);
}

const struct command command_report = {
    .name = "report",
    .does = "one page for the browser over several runs, side by side",
    .operand = "FOLDER...",
    .options = options,
    .help = help,
    .run = report_main,
};
