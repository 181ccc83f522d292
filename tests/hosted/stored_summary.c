/* stored_summary: one table of columns says what is read, written and printed of a case. */
#include "stored_summary.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../kernel/report/csv.h"
#include "../../kernel/report/summary.h"
#include "json_reader.h"
#include "read_file.h"
#include "stored_verdicts.h"

#define RUN_BYTES_MAX (16u << 20) /* a run.json has some kilobytes */
#define CELL_MAX 64               /* characters of a printed column */
#define ROW_BYTES_MAX 4096        /* of the CSV; every text twice, should all of it be quotes */

struct summary_row {
    char folder[PATH_MAX];
    char platform[JSON_TEXT_MAX], processor[JSON_TEXT_MAX], label[JSON_TEXT_MAX];
    char variant[NAME_BYTES];
    char status[8];
    double mlp, one_load, time_at_mlp_plus_1, overhead, walk_cost;
    char interrupts[JSON_TEXT_MAX];
    double max_gap_ns, gaps_over_1us_per_second, smi_during_run, frequency_drift_percent, tsc_hz;
};

const char stored_summary_header[] = "folder,platform,processor,label,case,status,mlp,one_load,"
                                     "time_at_mlp_plus_1,overhead,walk_cost,"
                                     "interrupts,max_gap_ns,gaps_over_1us_per_second,smi_during_"
                                     "run,frequency_drift_percent,tsc_hz\n";

/* In the header's order. `title` NULL: not printed. `path`: where run.json has it. */
struct summary_column {
    const char *title;
    size_t offset;
    bool is_text;
    const char *path;
};

#define FIELD(name) offsetof(struct summary_row, name)

static const struct summary_column columns[] = {
    {"folder", FIELD(folder), true, NULL},
    {"platform", FIELD(platform), true, "platform"},
    {"processor", FIELD(processor), true, "processor.brand"},
    {"label", FIELD(label), true, "label"},
    {"case", FIELD(variant), true, NULL},
    {"status", FIELD(status), true, NULL},
    {"MLP", FIELD(mlp), false, NULL},
    {"one load", FIELD(one_load), false, NULL},
    {"at MLP + 1", FIELD(time_at_mlp_plus_1), false, NULL},
    {"overhead %", FIELD(overhead), false, NULL},
    {"walk cost", FIELD(walk_cost), false, NULL},
    {"interrupts", FIELD(interrupts), true, "certificate.interrupts"},
    {"max gap ns", FIELD(max_gap_ns), false, "certificate.max_gap_ns"},
    {"gaps/s", FIELD(gaps_over_1us_per_second), false, "certificate.gaps_over_1us_per_second"},
    {"SMI", FIELD(smi_during_run), false, "certificate.smi_during_run"},
    {"drift %", FIELD(frequency_drift_percent), false, "certificate.frequency_drift_percent"},
    {NULL, FIELD(tsc_hz), false, "tsc_hz"},
};

#define COLUMNS (sizeof(columns) / sizeof(*columns))

bool is_directory(const char *path)
{
    struct stat seen;

    return stat(path, &seen) == 0 && S_ISDIR(seen.st_mode);
}

static char *text_of(const struct summary_row *row, const struct summary_column *column)
{
    return (char *)row + column->offset;
}

static double *number_of(const struct summary_row *row, const struct summary_column *column)
{
    return (double *)(void *)((char *)row + column->offset);
}

static bool parse_run(const char *path, const char *data, size_t length, struct summary_row *row,
                      char *error, size_t error_size)
{
    struct json_member wanted[COLUMNS];
    char why[JSON_PATH_MAX + 128];
    size_t count = 0;

    for (size_t i = 0; i < COLUMNS; i++) {
        const struct summary_column *column = &columns[i];
        if (column->path != NULL && column->is_text)
            wanted[count++] = (struct json_member){column->path, text_of(row, column), NULL};
        else if (column->path != NULL)
            wanted[count++] = (struct json_member){column->path, NULL, number_of(row, column)};
    }
    if (json_read(data, length, wanted, count, why, sizeof(why)))
        return true;
    snprintf(error, error_size, "%s: %s; it has to be JSON as a run leaves it", path, why);
    return false;
}

/* The machine and its noise, the same for all cases of a run. */
static bool read_run(const char *folder, struct summary_row *row, char *error, size_t error_size)
{
    char path[PATH_MAX + 16], *data = NULL;
    size_t length = 0;
    bool is_read = false;

    snprintf(path, sizeof(path), "%s/run.json", folder);
    if (!read_file(path, (size_t)RUN_BYTES_MAX + 1, &data, &length)) {
        snprintf(error, error_size, "%s: %s; expected the run.json that a run leaves", path,
                 strerror(errno));
        return false;
    }
    if (length > RUN_BYTES_MAX)
        snprintf(error, error_size, "%s: longer than %u MB", path, RUN_BYTES_MAX >> 20);
    else
        is_read = parse_run(path, data, length, row, error, error_size);
    free(data);
    return is_read;
}

static bool append(struct stored_summary *summary, const struct summary_row *row)
{
    struct summary_row *larger =
        realloc(summary->rows, (summary->count + 1) * sizeof(*summary->rows));

    if (larger == NULL)
        return false;
    summary->rows = larger;
    summary->rows[summary->count++] = *row;
    return true;
}

static bool add_cases(struct stored_summary *summary, const struct verdict_list *verdicts,
                      struct summary_row *row)
{
    struct summary_case c;
    size_t at = 0, before = summary->count;

    while (summary_next(verdicts->at, verdicts->count, &at, &c)) {
        snprintf(row->variant, sizeof(row->variant), "%s", c.variant);
        snprintf(row->status, sizeof(row->status), "%s", verdict_status_name(c.status));
        row->mlp = c.mlp;
        row->one_load = c.one_load;
        row->time_at_mlp_plus_1 = c.time_at_mlp_plus_1;
        row->overhead = c.overhead;
        row->walk_cost = c.walk_cost;
        if (!append(summary, row))
            return false;
    }
    return summary->count > before || append(summary, row);
}

static bool read_and_judge(const char *path, bool is_folder, struct verdict_list *verdicts,
                           char *error, size_t error_size)
{
    char file[PATH_MAX + 16];
    struct results_table table;

    snprintf(file, sizeof(file), "%s%s", path, is_folder ? "/results.csv" : "");
    if (!read_results(file, &table, error, error_size)) {
        size_t length = strlen(error);
        snprintf(error + length, error_size - length,
                 "; expected a folder or a results.csv that a run left");
        return false;
    }
    bool is_judged = stored_verdicts(&table, verdicts);
    results_table_free(&table);
    if (!is_judged)
        snprintf(error, error_size, "%s: not enough memory for its verdicts", file);
    return is_judged;
}

bool stored_summary_add(struct stored_summary *summary, const char *path, char *error,
                        size_t error_size)
{
    struct summary_row row = {.folder = ""};
    struct verdict_list verdicts = {.at = NULL};
    bool is_folder = is_directory(path), is_added = false;

    for (size_t i = 0; i < COLUMNS; i++)
        if (!columns[i].is_text)
            *number_of(&row, &columns[i]) = NAN;
    if (strlen(path) >= sizeof(row.folder)) {
        snprintf(error, error_size, "%.40s...: a path longer than any can be", path);
        return false;
    }
    strcpy(row.folder, path);
    if (read_and_judge(path, is_folder, &verdicts, error, error_size) &&
        (!is_folder || read_run(path, &row, error, error_size))) {
        is_added = add_cases(summary, &verdicts, &row);
        if (!is_added)
            snprintf(error, error_size, "%s: not enough memory for its cases", path);
    }
    free(verdicts.at);
    return is_added;
}

char *stored_summary_csv(const struct stored_summary *summary)
{
    size_t size = sizeof(stored_summary_header) + summary->count * (ROW_BYTES_MAX + 2 * PATH_MAX);
    char *memory = malloc(size);
    struct text text;

    if (memory == NULL)
        return NULL;
    text_init(&text, memory, size);
    text_printf(&text, "%s", stored_summary_header);
    for (size_t i = 0; i < summary->count; i++) {
        for (size_t j = 0; j < COLUMNS; j++) {
            if (columns[j].is_text)
                csv_field(&text, text_of(&summary->rows[i], &columns[j]));
            else
                csv_number(&text, *number_of(&summary->rows[i], &columns[j]));
        }
        csv_end_line(&text);
    }
    return memory;
}

/* Of a long text its end is shown: the last part of a path tells the most. */
static void format_cell(const struct summary_row *row, const struct summary_column *column,
                        char cell[CELL_MAX])
{
    const char *text = text_of(row, column);
    struct text to;

    text_init(&to, cell, CELL_MAX);
    if (column->is_text) {
        size_t length = strlen(text);
        text_printf(&to, "%s", length == 0 ? "-" : text + (length < CELL_MAX ? 0 : length - 40));
    } else if (isnan(*number_of(row, column))) {
        text_char(&to, '-');
    } else {
        text_number(&to, *number_of(row, column), 1);
    }
}

static size_t width_of(const struct stored_summary *summary, const struct summary_column *column)
{
    char cell[CELL_MAX];
    size_t width = strlen(column->title);

    for (size_t i = 0; i < summary->count; i++) {
        format_cell(&summary->rows[i], column, cell);
        if (strlen(cell) > width)
            width = strlen(cell);
    }
    return width;
}

/* Texts to the left, numbers to the right; no blanks at the end of a line. */
static void print_cell(FILE *to, const struct summary_column *column, const char *cell, int width)
{
    fprintf(to, column->is_text ? "%-*s" : "%*s", width, cell);
    fputs(column->offset == FIELD(frequency_drift_percent) ? "\n" : "  ", to);
}

void stored_summary_print(const struct stored_summary *summary, FILE *to)
{
    char cell[CELL_MAX];
    int width[COLUMNS] = {0};

    for (size_t j = 0; j < COLUMNS && columns[j].title != NULL; j++) {
        width[j] = (int)width_of(summary, &columns[j]);
        print_cell(to, &columns[j], columns[j].title, width[j]);
    }
    for (size_t i = 0; i < summary->count; i++)
        for (size_t j = 0; j < COLUMNS && columns[j].title != NULL; j++) {
            format_cell(&summary->rows[i], &columns[j], cell);
            print_cell(to, &columns[j], cell, width[j]);
        }
}

void stored_summary_free(struct stored_summary *summary)
{
    free(summary->rows);
    *summary = (struct stored_summary){.rows = NULL};
}
