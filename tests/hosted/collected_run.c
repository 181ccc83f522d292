/* collected_run: the files of one run, as cells for a database. */
#include "collected_run.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/lib/sha256.h"
#include "../../kernel/lib/utf8.h"
#include "read_file.h"
#include "run_members.h"

#define SCHEMA 1 /* of run.json: the one whose members are known here */
#define PATH_BYTES (PATH_MAX + 16)

static const struct {
    const char *name;
    size_t most;
} files[RUN_FILES] = {
    [RUN_JSON] = {"run.json", RUN_JSON_BYTES_MAX},
    [RUN_VERDICTS] = {"verdicts.csv", VERDICTS_FILE_BYTES_MAX},
    [RUN_RESULTS] = {"results.csv", RESULTS_FILE_BYTES_MAX},
};

/* --- files and id ---------------------------------------------------------------------------- */

static void name_file(const struct collected_run *run, unsigned file, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%s", run->path, files[file].name);
}

/* Always false. */
static bool fail(const struct collected_run *run, unsigned file, char *error, size_t error_size,
                 const char *why)
{
    char path[PATH_BYTES];

    name_file(run, file, path);
    snprintf(error, error_size, "%s: %s", path, why);
    return false;
}

static bool load(struct collected_run *run, unsigned file, char *error, size_t error_size)
{
    struct run_file *to = &run->file[file];
    char path[PATH_BYTES], why[64];

    name_file(run, file, path);
    bool is_read = file == RUN_JSON ? read_run_json(run->path, path, &to->data, &to->length)
                                    : read_file(path, files[file].most + 1, &to->data, &to->length);
    if (!is_read)
        return fail(run, file, error, error_size, strerror(errno));
    if (to->length <= files[file].most)
        return true;
    snprintf(why, sizeof(why), "longer than %zu MB", files[file].most >> 20);
    return fail(run, file, error, error_size, why);
}

/* The blanks at run.json's end are room to rewrite it in place. */
static void drop_padding(struct run_file *file)
{
    while (file->length > 0 && strchr(" \t\r\n", file->data[file->length - 1]) != NULL &&
           file->data[file->length - 1] != '\0')
        file->length--;
    file->data[file->length] = '\0';
}

static bool identify(struct collected_run *run)
{
    uint8_t digest[SHA256_BYTES];
    size_t length = 0, at = 0;

    for (unsigned i = 0; i < RUN_FILES; i++)
        length += run->file[i].length;
    char *all = malloc(length + 1);
    if (all == NULL)
        return false;
    for (unsigned i = 0; i < RUN_FILES; at += run->file[i++].length)
        memcpy(all + at, run->file[i].data, run->file[i].length);
    sha256(all, length, digest);
    free(all);
    for (unsigned i = 0; i < SHA256_BYTES; i++)
        snprintf(run->id + 2 * i, 3, "%02x", digest[i]);
    return true;
}

/* --- run.json -------------------------------------------------------------------------------- */

/* Of the character at the start of a text; 0: there is none that can be printed. */
static size_t character(const char *at, size_t left)
{
    bool is_blank = left > 0 && (*at == '\n' || *at == '\r' || *at == '\t');

    return is_blank ? 1 : utf8_printable(at, left);
}

static bool is_utf8(const char *text, size_t length)
{
    for (size_t at = 0, step; at < length; at += step) {
        step = character(text + at, length - at);
        if (step == 0)
            return false;
    }
    return true;
}

/* A name of a folder is any bytes; a database takes characters. */
static void copy_folder(struct collected_run *run)
{
    size_t length = 0, left = strlen(run->path), step;

    for (const char *at = run->path; left > 0; at += step, left -= step) {
        size_t bytes = utf8_printable(at, left);
        step = bytes > 0 ? bytes : 1;
        if (length + step >= sizeof(run->folder))
            break;
        memcpy(run->folder + length, bytes > 0 ? at : "?", step);
        length += step;
    }
    run->folder[length] = '\0';
}

static size_t want(enum collect_table_name table, struct run_cells *cells,
                   struct json_member *wanted)
{
    const struct collect_table *schema = &collect_tables[table];
    size_t count = 0;

    for (size_t i = 0; i < schema->count; i++) {
        const struct collect_column *column = &schema->columns[i];
        bool is_text = column->kind == COLLECT_TEXT;
        if (column->path != NULL)
            wanted[count++] = (struct json_member){column->path, is_text ? cells->text[i] : NULL,
                                                   is_text ? NULL : &cells->number[i]};
    }
    return count;
}

static void fill(enum collect_table_name table, struct run_cells *cells)
{
    const struct collect_table *schema = &collect_tables[table];

    for (size_t i = 0; i < schema->count; i++) {
        const struct collect_column *column = &schema->columns[i];
        if (column->kind == COLLECT_TEXT)
            cells->at[i] = collect_text(column, cells->text[i], strlen(cells->text[i]));
        else
            cells->at[i] = collect_number(column, cells->number[i]);
    }
}

static struct collect_cell *run_cell(struct collected_run *run, const char *name)
{
    const struct collect_table *schema = &collect_tables[TABLE_RUNS];
    size_t i = 0;

    while (strcmp(schema->columns[i].name, name) != 0)
        i++;
    return &run->run.at[i];
}

static void set_text(struct collect_cell *cell, const char *text, size_t length)
{
    cell->is_null = false;
    cell->text = text;
    cell->length = length;
}

/* What run.json does not say by a member of its own. */
static void fill_rest(struct collected_run *run)
{
    const struct run_file *json = &run->file[RUN_JSON];
    const struct collect_cell *machine = &run->machine.at[0]; /* its id */

    run->has_machine = machine->length > 0;
    if (run->has_machine)
        set_text(run_cell(run, "machine"), machine->text, machine->length);
    copy_folder(run);
    set_text(run_cell(run, "id"), run->id, strlen(run->id));
    set_text(run_cell(run, "folder"), run->folder, strlen(run->folder));
    set_text(run_cell(run, "run_json"), json->data, json->length);
    /* Of several cores each case tells which; what is read is the last one's. */
    if (run_cell(run, "cores_measured")->whole != 1)
        run_cell(run, "core_type")->is_null = true;
}

static bool check_program(const struct collected_run *run, const char *program, double schema,
                          char *error, size_t error_size)
{
    char why[JSON_TEXT_MAX + 64];

    if (strcmp(program, "mlpboot") != 0) {
        snprintf(why, sizeof(why), "\"program\" is \"%s\"; expected \"mlpboot\"", program);
        return fail(run, RUN_JSON, error, error_size, why);
    }
    if (isnan(schema) || schema == SCHEMA)
        return true;
    snprintf(why, sizeof(why), "\"schema\" is %.15g; this version knows %d", schema, SCHEMA);
    return fail(run, RUN_JSON, error, error_size, why);
}

static bool read_json(struct collected_run *run, char *error, size_t error_size)
{
    const struct run_file *json = &run->file[RUN_JSON];
    struct json_member wanted[2 * COLLECT_COLUMNS_MAX + 2];
    char program[JSON_TEXT_MAX], why[JSON_PATH_MAX + 128];
    double schema;
    size_t count = want(TABLE_MACHINES, &run->machine, wanted);

    count += want(TABLE_RUNS, &run->run, wanted + count);
    wanted[count++] = (struct json_member){"program", program, NULL};
    wanted[count++] = (struct json_member){"schema", NULL, &schema};
    if (!json_read(json->data, json->length, wanted, count, why, sizeof(why)))
        return fail(run, RUN_JSON, error, error_size, why);
    if (!is_utf8(json->data, json->length))
        return fail(run, RUN_JSON, error, error_size, "not printable UTF-8");
    if (!check_program(run, program, schema, error, error_size))
        return false;
    fill(TABLE_MACHINES, &run->machine);
    fill(TABLE_RUNS, &run->run);
    fill_rest(run);
    return true;
}

bool collected_run_open(struct collected_run *run, const char *path, char *error, size_t error_size)
{
    memset(run, 0, sizeof(*run));
    run->path = path;
    for (unsigned i = 0; i < RUN_FILES; i++)
        if (!load(run, i, error, error_size))
            return false;
    drop_padding(&run->file[RUN_JSON]);
    if (!identify(run))
        return fail(run, RUN_JSON, error, error_size, "not enough memory for the run");
    return read_json(run, error, error_size);
}

/* --- rows ------------------------------------------------------------------------------------ */

bool collected_run_read_rows(struct collected_run *run, char *error, size_t error_size)
{
    const struct run_file *verdicts = &run->file[RUN_VERDICTS], *results = &run->file[RUN_RESULTS];
    char path[PATH_BYTES];

    name_file(run, RUN_VERDICTS, path);
    if (!read_verdicts_text(path, verdicts->data, verdicts->length, &run->verdicts, error,
                            error_size))
        return false;
    name_file(run, RUN_RESULTS, path);
    if (!read_results_text(path, results->data, results->length, &run->points, error, error_size))
        return false;
    return results->data[results->length - 1] == '\n' ||
           fail(run, RUN_RESULTS, error, error_size, "its last line was cut short");
}

void collected_run_free(struct collected_run *run)
{
    for (unsigned i = 0; i < RUN_FILES; i++)
        free(run->file[i].data);
    verdicts_table_free(&run->verdicts);
    results_table_free(&run->points);
}
