/* read_results: reads a stored results.csv, of any origin, into rows. */
#include "read_results.h"

#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv_reader.h"
#include "read_file.h"

enum results_column_kind {
    COLUMN_NAME,       /* char[NAME_BYTES], at least one character */
    COLUMN_CASE,       /* read by case_read, may be empty */
    COLUMN_UNIT,       /* char[ROW_UNIT_BYTES], may be empty */
    COLUMN_COORDINATE, /* int64_t, may be empty */
    COLUMN_COUNT,      /* uint64_t */
    COLUMN_NUMBER      /* double */
};

struct results_column {
    const char *name;
    enum results_column_kind kind;
    size_t offset; /* in struct row */
};

#define FIELD(name) offsetof(struct row, name)

static const struct results_column columns[] = {
    {"experiment", COLUMN_NAME, FIELD(variant.experiment)},
    {"case", COLUMN_CASE, FIELD(variant)},
    {"n", COLUMN_COORDINATE, FIELD(n)},
    {"k", COLUMN_COORDINATE, FIELD(k)},
    {"bytes", COLUMN_COORDINATE, FIELD(bytes)},
    {"stage", COLUMN_COORDINATE, FIELD(stage)},
    {"attempt", COLUMN_COUNT, FIELD(attempt)},
    {"metric", COLUMN_NAME, FIELD(metric)},
    {"unit", COLUMN_UNIT, FIELD(unit)},
    {"samples", COLUMN_COUNT, FIELD(samples)},
    {"discarded", COLUMN_COUNT, FIELD(discarded)},
    {"min", COLUMN_NUMBER, FIELD(min)},
    {"p10", COLUMN_NUMBER, FIELD(p10)},
    {"median", COLUMN_NUMBER, FIELD(median)},
    {"p90", COLUMN_NUMBER, FIELD(p90)},
    {"max", COLUMN_NUMBER, FIELD(max)},
    {"mean", COLUMN_NUMBER, FIELD(mean)},
    {"p1", COLUMN_NUMBER, FIELD(p1)},
    {"visits", COLUMN_COUNT, FIELD(visits)},
    {"center", COLUMN_NUMBER, FIELD(center)},
    {"center_error", COLUMN_NUMBER, FIELD(center_error)},
    {"mean_error", COLUMN_NUMBER, FIELD(mean_error)},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))
#define BEHIND 4                   /* the columns behind the numbers: visits to mean_error */
#define ORDERED 5                  /* numbers that rise: min to max */
#define NUMBERS 7                  /* min to max, mean and p1 */
#define LARGEST 9007199254740992.0 /* 2^53: a double holds every whole number up to here */
#define ROUNDING 0.001             /* a mean's largest error; numbers have three decimals */

/* A file while it is read. */
struct parse {
    const char *name;
    struct csv_reader reader;
    const struct results_column
        *header[RESULTS_COLUMNS_MAX]; /* by position; NULL: unknown, ignored */
    size_t header_count;
    struct csv_field field[RESULTS_COLUMNS_MAX]; /* of the current record */
    char case_text[NAME_BYTES];                  /* the text that the row's case was read from */
    struct results_table *table;
    size_t room;
    char *error;
    size_t error_size;
};

/* Reports an error; always false. `line` 0: the file as a whole; `column` NULL: the line. */
__attribute__((format(printf, 4, 5))) static bool fail(struct parse *parse, unsigned long line,
                                                       const char *column, const char *format, ...)
{
    char what[256], where[128] = "";
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    if (line != 0 && column != NULL)
        snprintf(where, sizeof(where), "line %lu, column %s: ", line, column);
    else if (line != 0)
        snprintf(where, sizeof(where), "line %lu: ", line);
    snprintf(parse->error, parse->error_size, "%s: %s%s", parse->name, where, what);
    return false;
}

/* True if it is printable ASCII, whatever the locale: no other byte may reach a terminal. */
static bool is_printable(char c)
{
    return c >= 0x20 && c < 0x7f;
}

/* Returns the field for a terminal: question marks replace what cannot be printed. */
static const char *shown(struct csv_field *field)
{
    for (size_t i = 0; i < field->length; i++)
        if (!is_printable(field->text[i]))
            field->text[i] = '?';
    return field->text;
}

static const struct results_column *find_column(const char *name)
{
    for (size_t i = 0; i < COLUMNS; i++)
        if (strcmp(columns[i].name, name) == 0)
            return &columns[i];
    return NULL;
}

static bool has_column(const struct parse *parse, const struct results_column *column)
{
    for (size_t i = 0; i < parse->header_count; i++)
        if (parse->header[i] == column)
            return true;
    return false;
}

static bool check_header(struct parse *parse)
{
    for (size_t i = 0; i < COLUMNS; i++)
        if (!has_column(parse, &columns[i]))
            return fail(parse, 1, columns[i].name, "missing from the header");
    return true;
}

static bool read_header(struct parse *parse)
{
    struct csv_field field = {.is_last = false};

    while (!field.is_last) {
        if (!csv_next(&parse->reader, &field)) {
            const char *why = parse->reader.error;
            return why != NULL ? fail(parse, parse->reader.line, NULL, "%s", why)
                               : fail(parse, 0, NULL, "is empty; its first line names the columns");
        }
        const struct results_column *column = find_column(field.text);
        if (column != NULL && has_column(parse, column))
            return fail(parse, field.line, column->name, "named twice in the header");
        if (parse->header_count == RESULTS_COLUMNS_MAX)
            return fail(parse, field.line, NULL, "more than %d columns", RESULTS_COLUMNS_MAX);
        parse->header[parse->header_count++] = column;
    }
    return check_header(parse);
}

/* Reads a whole number from 0 to `most`. */
static bool read_whole(struct parse *parse, const struct results_column *column,
                       struct csv_field *field, uint64_t most, uint64_t *value)
{
    const char *digits = field->text + (field->text[0] == '-');

    *value = 0;
    if (*digits == '\0' || strspn(digits, "0123456789") != strlen(digits))
        return fail(parse, field->line, column->name,
                    "\"%s\" is not a whole number; accepted: 0 and above", shown(field));
    if (digits != field->text)
        return fail(parse, field->line, column->name, "\"%s\" is negative; accepted: 0 and above",
                    field->text);
    for (; *digits != '\0'; digits++) {
        unsigned digit = (unsigned)(*digits - '0');
        if (*value > (most - digit) / 10)
            return fail(parse, field->line, column->name,
                        "\"%s\" is too large; accepted: up to %" PRIu64, field->text, most);
        *value = *value * 10 + digit;
    }
    return true;
}

/*
 * Reads a decimal number: strtod alone would also take "nan", "inf" and hexadecimal. An empty field
 * is NAN; check_row judges whether it may be empty.
 */
static bool read_decimal(struct parse *parse, const struct results_column *column,
                         struct csv_field *field, double *value)
{
    char *end = NULL;

    if (field->length == 0) {
        *value = NAN;
        return true;
    }
    *value = strtod(field->text, &end);
    if (strspn(field->text, "0123456789+-.eE") != field->length || *end != '\0')
        return fail(parse, field->line, column->name,
                    "\"%s\" is not a number; accepted: a decimal one, as 120.5", shown(field));
    if (*value < 0)
        return fail(parse, field->line, column->name, "\"%s\" is negative; accepted: 0 and above",
                    field->text);
    if (*value > LARGEST)
        return fail(parse, field->line, column->name, "\"%s\" is too large; accepted: up to %.0f",
                    field->text, LARGEST);
    return true;
}

/* Checks a name's bytes: names are compared, and replaced bytes could make two the same. */
static bool check_name(struct parse *parse, const struct results_column *column,
                       struct csv_field *field)
{
    if (field->length == 0 && column->kind == COLUMN_NAME)
        return fail(parse, field->line, column->name, "is empty; accepted: 1 to %d characters",
                    NAME_BYTES - 1);
    for (size_t i = 0; i < field->length; i++) {
        unsigned char byte = (unsigned char)field->text[i];
        if (!is_printable(field->text[i]))
            return fail(parse, field->line, column->name,
                        "\"%s\" holds the byte 0x%02x; accepted: printable ASCII", shown(field),
                        byte);
    }
    return true;
}

static bool check_length(struct parse *parse, const struct results_column *column,
                         struct csv_field *field, size_t room)
{
    if (field->length < room)
        return true;
    return fail(parse, field->line, column->name, "\"%s\" is longer than %zu characters",
                shown(field), room - 1);
}

/* Reads the case, unless it is that of the row before, which the row still holds. */
static bool read_case(struct parse *parse, const struct results_column *column,
                      struct csv_field *field, struct variant *variant)
{
    if (strcmp(field->text, parse->case_text) == 0)
        return true;
    if (!check_length(parse, column, field, NAME_BYTES) || !check_name(parse, column, field))
        return false;
    memcpy(parse->case_text, field->text, field->length + 1);
    case_read(field->text, variant);
    return true;
}

static bool read_name(struct parse *parse, const struct results_column *column,
                      struct csv_field *field, char *name)
{
    if (!check_length(parse, column, field, NAME_BYTES) || !check_name(parse, column, field))
        return false;
    memcpy(name, field->text, field->length + 1);
    return true;
}

/* Reads a unit: people read it, so unprintable bytes are replaced. */
static bool read_unit(struct parse *parse, const struct results_column *column,
                      struct csv_field *field, char *unit)
{
    if (!check_length(parse, column, field, ROW_UNIT_BYTES))
        return false;
    memcpy(unit, shown(field), field->length + 1);
    return true;
}

static bool read_coordinate(struct parse *parse, const struct results_column *column,
                            struct csv_field *field, int64_t *value)
{
    uint64_t whole;

    *value = ROW_NONE;
    if (field->length == 0)
        return true;
    if (!read_whole(parse, column, field, INT64_MAX, &whole))
        return false;
    *value = (int64_t)whole;
    return true;
}

static bool read_column(struct parse *parse, const struct results_column *column,
                        struct csv_field *field, struct row *row)
{
    void *into = (char *)row + column->offset;

    switch (column->kind) {
    case COLUMN_NAME:
        return read_name(parse, column, field, into);
    case COLUMN_CASE:
        return read_case(parse, column, field, into);
    case COLUMN_UNIT:
        return read_unit(parse, column, field, into);
    case COLUMN_COUNT:
        return read_whole(parse, column, field, UINT64_MAX, into);
    case COLUMN_NUMBER:
        return read_decimal(parse, column, field, into);
    case COLUMN_COORDINATE:
        break;
    }
    return read_coordinate(parse, column, field, into);
}

static const struct results_column *const numbers = &columns[COLUMNS - BEHIND - NUMBERS];

static double number_of(const struct row *row, unsigned i)
{
    return *(const double *)(const void *)((const char *)row + numbers[i].offset);
}

/* Checks that a point with samples has a whole distribution, and one without has none. */
static bool check_presence(struct parse *parse, unsigned long line, const struct row *row)
{
    for (unsigned i = 0; i < NUMBERS; i++) {
        bool is_empty = isnan(number_of(row, i));
        if (is_empty && row->samples != 0)
            return fail(parse, line, numbers[i].name,
                        "is empty, and the row has samples; accepted: a number");
        if (!is_empty && row->samples == 0)
            return fail(parse, line, numbers[i].name,
                        "%.15g, and the row has no samples; accepted: empty", number_of(row, i));
    }
    return true;
}

static bool check_order(struct parse *parse, unsigned long line, const struct row *row)
{
    for (unsigned i = 1; i < ORDERED; i++)
        if (number_of(row, i) < number_of(row, i - 1))
            return fail(parse, line, numbers[i].name,
                        "%.15g is below %s, %.15g; accepted: min <= p10 <= median <= p90 <= max",
                        number_of(row, i), numbers[i - 1].name, number_of(row, i - 1));
    if (row->p1 < row->min || row->p1 > row->p10)
        return fail(parse, line, "p1", "%.15g; accepted: from min to p10, %.15g to %.15g", row->p1,
                    row->min, row->p10);
    double rounding = ROUNDING + row->max * DBL_EPSILON * 4;
    if (row->mean < row->min - rounding || row->mean > row->max + rounding)
        return fail(parse, line, "mean", "%.15g; accepted: from min to max, %.15g to %.15g",
                    row->mean, row->min, row->max);
    return true;
}

static bool is_time(const struct row *row)
{
    return strcmp(row->metric, "tsc") == 0 || strcmp(row->metric, "ns") == 0;
}

/*
 * Checks a row's numbers against each other. A clock that moves in steps shows 0 for shorter times:
 * some samples may be 0, but not all.
 */
static bool check_row(struct parse *parse, unsigned long line, const struct row *row)
{
    if (!check_presence(parse, line, row))
        return false;
    if (row->samples == 0)
        return true;
    if (!check_order(parse, line, row))
        return false;
    if (row->samples == 1 && row->max != row->min)
        return fail(parse, line, "max",
                    "%.15g, and min is %.15g; accepted: all the same, of one sample", row->max,
                    row->min);
    if (row->visits > row->samples)
        return fail(parse, line, "visits",
                    "%" PRIu64 "; accepted: no more than the %" PRIu64 " samples", row->visits,
                    row->samples);
    if (row->center > row->max + row->max * DBL_EPSILON * 4 + ROUNDING)
        return fail(parse, line, "center", "%.15g; accepted: no more than max, %.15g", row->center,
                    row->max);
    if (is_time(row) && row->max == 0)
        return fail(parse, line, "max", "0; accepted: times above 0");
    return true;
}

enum results_record_end { RECORD_ROW, RECORD_BLANK, RECORD_END, RECORD_WRONG };

/* Reads all fields of a record, and keeps as many as there are columns. */
static enum results_record_end read_fields(struct parse *parse, size_t *count)
{
    struct csv_field further, *field;

    *count = 0;
    do {
        bool is_known = *count < parse->header_count;
        field = is_known ? &parse->field[*count] : &further;
        if (!csv_next(&parse->reader, field)) {
            const char *why = parse->reader.error;
            const struct results_column *column = is_known ? parse->header[*count] : NULL;
            if (why == NULL)
                return RECORD_END;
            fail(parse, field->line, column != NULL ? column->name : NULL, "%s", why);
            return RECORD_WRONG;
        }
        ++*count;
    } while (!field->is_last);
    return *count == 1 && field->length == 0 && !field->is_quoted ? RECORD_BLANK : RECORD_ROW;
}

/*
 * Reads a record. Fields are counted first: a missing one shifts the others, and a complaint about
 * one of those would mislead.
 */
static enum results_record_end read_record(struct parse *parse, struct row *row)
{
    size_t count;
    enum results_record_end record = read_fields(parse, &count);

    if (record != RECORD_ROW)
        return record;
    if (count != parse->header_count) {
        fail(parse, parse->field[0].line, NULL, "%zu fields; the header names %zu columns", count,
             parse->header_count);
        return RECORD_WRONG;
    }
    for (size_t i = 0; i < count; i++)
        if (parse->header[i] != NULL &&
            !read_column(parse, parse->header[i], &parse->field[i], row))
            return RECORD_WRONG;
    return check_row(parse, parse->field[count - 1].line, row) ? RECORD_ROW : RECORD_WRONG;
}

static bool add_read_row(struct parse *parse, const struct row *row)
{
    struct results_table *table = parse->table;

    if (table->count == parse->room) {
        size_t room = parse->room == 0 ? 256 : parse->room * 2;
        struct row *larger = realloc(table->rows, room * sizeof(*larger));
        if (larger == NULL)
            return fail(parse, 0, NULL, "not enough memory for its rows");
        table->rows = larger;
        parse->room = room;
    }
    table->rows[table->count++] = *row;
    return true;
}

static bool read_table(struct parse *parse)
{
    struct row row;
    enum results_record_end record = RECORD_BLANK;

    memset(&row, 0, sizeof(row));
    row.p1 = row.center = row.center_error = row.mean_error = NAN;
    if (!read_header(parse))
        return false;
    while (record != RECORD_END) {
        record = read_record(parse, &row);
        if (record == RECORD_WRONG || (record == RECORD_ROW && !add_read_row(parse, &row)))
            return false;
    }
    return true;
}

bool read_results_text(const char *name, const char *data, size_t length,
                       struct results_table *table, char *error, size_t error_size)
{
    struct parse parse = {.name = name, .table = table, .error = error, .error_size = error_size};

    *table = (struct results_table){.rows = NULL};
    error[0] = '\0';
    csv_start(&parse.reader, data, length);
    if (read_table(&parse))
        return true;
    results_table_free(table);
    return false;
}

bool read_results(const char *path, struct results_table *table, char *error, size_t error_size)
{
    char *data = NULL;
    size_t length = 0;
    bool is_read = false;

    *table = (struct results_table){.rows = NULL};
    const char *reason = read_file(path, (size_t)RESULTS_FILE_BYTES_MAX + 1, &data, &length);
    if (reason != NULL) {
        snprintf(error, error_size, "%s: %s", path, reason);
        return false;
    }
    if (length > RESULTS_FILE_BYTES_MAX)
        snprintf(error, error_size, "%s: longer than %u MB", path, RESULTS_FILE_BYTES_MAX >> 20);
    else
        is_read = read_results_text(path, data, length, table, error, error_size);
    free(data);
    return is_read;
}

void results_table_free(struct results_table *table)
{
    free(table->rows);
    *table = (struct results_table){.rows = NULL};
}
