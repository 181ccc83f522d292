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

struct parse;

/* A column: how a field of it goes into its member of the row. */
struct results_column {
    const char *name;
    bool (*read)(struct parse *parse, const struct results_column *column, struct csv_field *field,
                 void *into);
    size_t offset; /* in struct row */
};

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
                         struct csv_field *field, void *into)
{
    double *value = into;
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

static bool check_length(struct parse *parse, const struct results_column *column,
                         struct csv_field *field, size_t room)
{
    if (field->length < room)
        return true;
    return fail(parse, field->line, column->name, "\"%s\" is longer than %zu characters",
                shown(field), room - 1);
}

/* Checks a name's bytes: names are compared, and replaced bytes could make two the same. */
static bool check_name(struct parse *parse, const struct results_column *column,
                       struct csv_field *field)
{
    if (!check_length(parse, column, field, NAME_BYTES))
        return false;
    for (size_t i = 0; i < field->length; i++) {
        unsigned char byte = (unsigned char)field->text[i];
        if (!is_printable(field->text[i]))
            return fail(parse, field->line, column->name,
                        "\"%s\" holds the byte 0x%02x; accepted: printable ASCII", shown(field),
                        byte);
    }
    return true;
}

/* Reads the case, unless it is that of the row before, which the row still holds. */
static bool read_case(struct parse *parse, const struct results_column *column,
                      struct csv_field *field, void *into)
{
    if (strcmp(field->text, parse->case_text) == 0)
        return true;
    if (!check_name(parse, column, field))
        return false;
    memcpy(parse->case_text, field->text, field->length + 1);
    case_read(field->text, into);
    return true;
}

static bool read_name(struct parse *parse, const struct results_column *column,
                      struct csv_field *field, void *into)
{
    if (field->length == 0)
        return fail(parse, field->line, column->name, "is empty; accepted: 1 to %d characters",
                    NAME_BYTES - 1);
    if (!check_name(parse, column, field))
        return false;
    memcpy(into, field->text, field->length + 1);
    return true;
}

/* Reads a unit: people read it, so unprintable bytes are replaced. */
static bool read_unit(struct parse *parse, const struct results_column *column,
                      struct csv_field *field, void *into)
{
    if (!check_length(parse, column, field, ROW_UNIT_BYTES))
        return false;
    memcpy(into, shown(field), field->length + 1);
    return true;
}

static bool read_count(struct parse *parse, const struct results_column *column,
                       struct csv_field *field, void *into)
{
    return read_whole(parse, column, field, UINT64_MAX, into);
}

/* Reads a coordinate, which may be empty. */
static bool read_coordinate(struct parse *parse, const struct results_column *column,
                            struct csv_field *field, void *into)
{
    uint64_t whole = (uint64_t)ROW_NONE;

    if (field->length > 0 && !read_whole(parse, column, field, INT64_MAX, &whole))
        return false;
    *(int64_t *)into = (int64_t)whole;
    return true;
}

#define FIELD(name) offsetof(struct row, name)

static const struct results_column columns[] = {
    {"experiment", read_name, FIELD(variant.experiment)},
    {"case", read_case, FIELD(variant)},
    {"n", read_coordinate, FIELD(n)},
    {"k", read_coordinate, FIELD(k)},
    {"bytes", read_coordinate, FIELD(bytes)},
    {"stage", read_coordinate, FIELD(stage)},
    {"attempt", read_count, FIELD(attempt)},
    {"metric", read_name, FIELD(metric)},
    {"unit", read_unit, FIELD(unit)},
    {"samples", read_count, FIELD(samples)},
    {"discarded", read_count, FIELD(discarded)},
    {"min", read_decimal, FIELD(min)},
    {"p10", read_decimal, FIELD(p10)},
    {"median", read_decimal, FIELD(median)},
    {"p90", read_decimal, FIELD(p90)},
    {"max", read_decimal, FIELD(max)},
    {"mean", read_decimal, FIELD(mean)},
    {"p1", read_decimal, FIELD(p1)},
    {"visits", read_count, FIELD(visits)},
    {"center", read_decimal, FIELD(center)},
    {"center_error", read_decimal, FIELD(center_error)},
    {"mean_error", read_decimal, FIELD(mean_error)},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

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
            !parse->header[i]->read(parse, parse->header[i], &parse->field[i],
                                    (char *)row + parse->header[i]->offset))
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
