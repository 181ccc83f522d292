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
#include "grow.h"
#include "json_reader.h"
#include "read_file.h"
#include "run_members.h"
#include "stored_verdicts.h"

#define CELL_MAX 64          /* characters of a printed column */
#define LINE_BYTES_MAX 16384 /* of the CSV; every text twice, should all of it be quotes */

/* What is the same for all cases of a run. */
struct summary_run {
    char folder[PATH_MAX];
    char platform[JSON_TEXT_MAX], processor[JSON_TEXT_MAX], label[JSON_TEXT_MAX];
    char interrupts[JSON_TEXT_MAX];
    double max_gap_ns, gaps_over_1us_per_second, smi_during_run, frequency_drift_percent, tsc_hz;
    char run_status[JSON_TEXT_MAX], machine[JSON_TEXT_MAX], utc[JSON_TEXT_MAX];
};

struct summary_row {
    size_t run;
    char variant[NAME_BYTES];
    char status[8];
    double mlp, one_load, time_at_mlp_plus_1, overhead, walk_cost;
};

const char stored_summary_header[] = "folder,platform,processor,label,case,status,mlp,one_load,"
                                     "time_at_mlp_plus_1,overhead,walk_cost,"
                                     "interrupts,max_gap_ns,gaps_over_1us_per_second,smi_during_"
                                     "run,frequency_drift_percent,tsc_hz,run_status,machine,utc\n";

/* In the header's order. `title` NULL: not printed. `path`: where run.json has it. */
struct summary_column {
    const char *title;
    enum { OF_RUN, OF_ROW } of;
    size_t offset; /* in its struct */
    bool is_text;
    const char *path;
};

#define RUN(name) OF_RUN, offsetof(struct summary_run, name)
#define ROW(name) OF_ROW, offsetof(struct summary_row, name)

static const struct summary_column columns[] = {
    {"folder", RUN(folder), true, NULL},
    {"platform", RUN(platform), true, "platform"},
    {"processor", RUN(processor), true, "processor.brand"},
    {"label", RUN(label), true, "label"},
    {"case", ROW(variant), true, NULL},
    {"status", ROW(status), true, NULL},
    {"MLP", ROW(mlp), false, NULL},
    {"one load", ROW(one_load), false, NULL},
    {"at MLP + 1", ROW(time_at_mlp_plus_1), false, NULL},
    {"overhead %", ROW(overhead), false, NULL},
    {"walk cost", ROW(walk_cost), false, NULL},
    {"interrupts", RUN(interrupts), true, "certificate.interrupts"},
    {"max gap ns", RUN(max_gap_ns), false, "certificate.max_gap_ns"},
    {"gaps/s", RUN(gaps_over_1us_per_second), false, "certificate.gaps_over_1us_per_second"},
    {"SMI", RUN(smi_during_run), false, "certificate.smi_during_run"},
    {"drift %", RUN(frequency_drift_percent), false, "certificate.frequency_drift_percent"},
    {NULL, RUN(tsc_hz), false, "tsc_hz"},
    {"run status", RUN(run_status), true, "status"},
    {"machine", RUN(machine), true, "machine.id"},
    {"UTC", RUN(utc), true, "machine.utc_start"},
};

#define COLUMNS (sizeof(columns) / sizeof(*columns))

bool is_directory(const char *path)
{
    struct stat seen;

    return stat(path, &seen) == 0 && S_ISDIR(seen.st_mode);
}

/* Where a column's value is, given its run and, for a case's columns, its row. */
static void *value_at(const struct summary_run *run, const struct summary_row *row,
                      const struct summary_column *column)
{
    return (char *)(column->of == OF_RUN ? (void *)run : (void *)row) + column->offset;
}

static const char *text_of(const struct stored_summary *summary, const struct summary_row *row,
                           const struct summary_column *column)
{
    return value_at(&summary->runs[row->run], row, column);
}

static double number_of(const struct stored_summary *summary, const struct summary_row *row,
                        const struct summary_column *column)
{
    return *(const double *)value_at(&summary->runs[row->run], row, column);
}

static bool parse_run(const char *path, const char *data, size_t length, struct summary_run *run,
                      char *error, size_t error_size)
{
    struct json_member wanted[COLUMNS];
    char why[JSON_PATH_MAX + 128];
    size_t count = 0;

    for (size_t i = 0; i < COLUMNS; i++) {
        const struct summary_column *column = &columns[i];
        if (column->path != NULL && column->is_text)
            wanted[count++] = (struct json_member){column->path, value_at(run, NULL, column), NULL};
        else if (column->path != NULL)
            wanted[count++] = (struct json_member){column->path, NULL, value_at(run, NULL, column)};
    }
    if (json_read(data, length, wanted, count, why, sizeof(why)))
        return true;
    snprintf(error, error_size, "%s: %s; it has to be JSON as a run leaves it", path, why);
    return false;
}

static bool read_run(const char *folder, struct summary_run *run, char *error, size_t error_size)
{
    char path[RUN_JSON_PATH_MAX], *data = NULL;
    size_t length = 0;
    bool is_read = false;

    if (!read_run_json(folder, path, &data, &length)) {
        snprintf(error, error_size, "%s: %s; expected the run.json that a run leaves", path,
                 strerror(errno));
        return false;
    }
    if (length > RUN_JSON_BYTES_MAX)
        snprintf(error, error_size, "%s: longer than %u MB", path, RUN_JSON_BYTES_MAX >> 20);
    else
        is_read = parse_run(path, data, length, run, error, error_size);
    free(data);
    return is_read;
}

static bool append_row(struct stored_summary *summary, const struct summary_row *row)
{
    struct summary_row *rows = grow(summary->rows, summary->count, sizeof(*rows));

    if (rows == NULL)
        return false;
    summary->rows = rows;
    rows[summary->count++] = *row;
    return true;
}

static bool append_run(struct stored_summary *summary, const struct summary_run *run)
{
    struct summary_run *runs = grow(summary->runs, summary->run_count, sizeof(*runs));

    if (runs == NULL)
        return false;
    summary->runs = runs;
    runs[summary->run_count++] = *run;
    return true;
}

static bool add_case(struct stored_summary *summary, const struct summary_case *c)
{
    struct summary_row row = {
        .run = summary->run_count - 1,
        .mlp = c->mlp,
        .one_load = c->one_load,
        .time_at_mlp_plus_1 = c->time_at_mlp_plus_1,
        .overhead = c->overhead,
        .walk_cost = c->walk_cost,
    };

    case_name(c->variant, row.variant);
    snprintf(row.status, sizeof(row.status), "%s", verdict_status_name(c->status));
    return append_row(summary, &row);
}

/* A run without any case has a line too. */
static bool add_cases(struct stored_summary *summary, const struct verdict_list *verdicts)
{
    const struct summary_row nothing = {summary->run_count - 1, "", "", NAN, NAN, NAN, NAN, NAN};
    struct summary_case c;
    size_t at = 0, before = summary->count;

    while (summary_next(verdicts, &at, &c))
        if (!add_case(summary, &c))
            return false;
    return summary->count > before || append_row(summary, &nothing);
}

/* All of it or nothing. */
static bool add_run(struct stored_summary *summary, const struct summary_run *run,
                    const struct verdict_list *verdicts)
{
    size_t rows = summary->count, runs = summary->run_count;

    if (append_run(summary, run) && add_cases(summary, verdicts))
        return true;
    summary->count = rows;
    summary->run_count = runs;
    return false;
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

static bool start_run(const char *path, struct summary_run *run, char *error, size_t error_size)
{
    memset(run, 0, sizeof(*run));
    for (size_t i = 0; i < COLUMNS; i++)
        if (columns[i].of == OF_RUN && !columns[i].is_text)
            *(double *)value_at(run, NULL, &columns[i]) = NAN;
    if (strlen(path) >= sizeof(run->folder)) {
        snprintf(error, error_size, "%.40s...: a path longer than any can be", path);
        return false;
    }
    strcpy(run->folder, path);
    return true;
}

bool stored_summary_add(struct stored_summary *summary, const char *path, char *error,
                        size_t error_size)
{
    struct summary_run run;
    struct verdict_list verdicts = {.at = NULL};
    bool is_folder = is_directory(path), is_added = false;

    if (start_run(path, &run, error, error_size) &&
        read_and_judge(path, is_folder, &verdicts, error, error_size) &&
        (!is_folder || read_run(path, &run, error, error_size))) {
        is_added = add_run(summary, &run, &verdicts);
        if (!is_added)
            snprintf(error, error_size, "%s: not enough memory for its cases", path);
    }
    free(verdicts.at);
    return is_added;
}

static void format_line(const struct stored_summary *summary, const struct summary_row *row,
                        struct text *text)
{
    text_clear(text);
    for (size_t j = 0; j < COLUMNS; j++) {
        if (columns[j].is_text)
            csv_field(text, text_of(summary, row, &columns[j]));
        else
            csv_number(text, number_of(summary, row, &columns[j]));
    }
    csv_end_line(text);
}

char *stored_summary_csv(const struct stored_summary *summary)
{
    char *memory = NULL, line[LINE_BYTES_MAX];
    size_t size = 0;
    struct text text;
    FILE *to = open_memstream(&memory, &size);

    if (to == NULL)
        return NULL;
    text_init(&text, line, sizeof(line));
    fputs(stored_summary_header, to);
    for (size_t i = 0; i < summary->count; i++) {
        format_line(summary, &summary->rows[i], &text);
        fputs(line, to);
    }
    if (fclose(to) == 0)
        return memory;
    free(memory);
    return NULL;
}

/* A folder's name may hold anything, and the table goes to a terminal. */
static void hide_controls(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

/* Of a long text its end is shown: the last part of a path tells the most. */
static void format_cell(const struct stored_summary *summary, const struct summary_row *row,
                        const struct summary_column *column, char cell[CELL_MAX])
{
    struct text to;

    text_init(&to, cell, CELL_MAX);
    if (column->is_text) {
        const char *text = text_of(summary, row, column);
        size_t length = strlen(text);
        text_printf(&to, "%s", length == 0 ? "-" : text + (length < CELL_MAX ? 0 : length - 40));
        hide_controls(cell);
    } else if (isnan(number_of(summary, row, column))) {
        text_char(&to, '-');
    } else {
        text_number(&to, number_of(summary, row, column), 1);
    }
}

static size_t width_of(const struct stored_summary *summary, const struct summary_column *column)
{
    char cell[CELL_MAX];
    size_t width = strlen(column->title);

    for (size_t i = 0; i < summary->count; i++) {
        format_cell(summary, &summary->rows[i], column, cell);
        if (strlen(cell) > width)
            width = strlen(cell);
    }
    return width;
}

/* Texts to the left, but for the last, numbers to the right; no blanks at the end of a line. */
static void print_cell(FILE *to, const struct summary_column *column, const char *cell, int width)
{
    bool is_last = column == &columns[COLUMNS - 1];

    fprintf(to, column->is_text && !is_last ? "%-*s" : "%*s", width, cell);
    fputs(is_last ? "\n" : "  ", to);
}

void stored_summary_print(const struct stored_summary *summary, FILE *to)
{
    char cell[CELL_MAX];
    int width[COLUMNS] = {0};

    for (size_t j = 0; j < COLUMNS; j++) {
        if (columns[j].title == NULL)
            continue;
        width[j] = (int)width_of(summary, &columns[j]);
        print_cell(to, &columns[j], columns[j].title, width[j]);
    }
    for (size_t i = 0; i < summary->count; i++)
        for (size_t j = 0; j < COLUMNS; j++) {
            if (columns[j].title == NULL)
                continue;
            format_cell(summary, &summary->rows[i], &columns[j], cell);
            print_cell(to, &columns[j], cell, width[j]);
        }
}

void stored_summary_free(struct stored_summary *summary)
{
    free(summary->runs);
    free(summary->rows);
    *summary = (struct stored_summary){.rows = NULL};
}
