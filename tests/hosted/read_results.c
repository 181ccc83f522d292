/* read_results: a stored results.csv, of any origin, back into rows. */
#include "read_results.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv_reader.h"
#include "read_file.h"

enum column_kind {
    COLUMN_NAME,       /* char[NAME_BYTES], at least one character */
    COLUMN_WORD,       /* the same, may be empty */
    COLUMN_UNIT,       /* char[ROW_UNIT_BYTES], may be empty */
    COLUMN_COORDINATE, /* int64_t, may be empty */
    COLUMN_COUNT,      /* uint64_t */
    COLUMN_NUMBER      /* double */
};

struct column {
    const char *name;
    enum column_kind kind;
    size_t offset; /* in struct row */
};

#define FIELD(name) offsetof(struct row, name)

static const struct column columns[] = {
    {"experiment", COLUMN_NAME, FIELD(experiment)},
    {"case", COLUMN_WORD, FIELD(variant)},
    {"n", COLUMN_COORDINATE, FIELD(n)},
    {"k", COLUMN_COORDINATE, FIELD(k)},
    {"bytes", COLUMN_COORDINATE, FIELD(bytes)},
    {"stage", COLUMN_COORDINATE, FIELD(stage)},
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
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

/* One file being read. */
struct parse {
    const char *name;
    struct csv_reader reader;
    const struct column *header[RESULTS_COLUMNS_MAX]; /* by position; NULL: not known, ignored */
    size_t header_count;
    struct results_table *table;
    size_t room;
    char *error;
    size_t error_size;
};

/* Always false. `line` 0: the file as a whole; `column` NULL: the line as a whole. */
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

/* A field as it may be shown on a terminal: what cannot be printed becomes a question mark. */
static const char *shown(struct csv_field *field)
{
    for (size_t i = 0; i < field->length; i++)
        if (!isprint((unsigned char)field->text[i]))
            field->text[i] = '?';
    return field->text;
}

static const struct column *find_column(const char *name)
{
    for (size_t i = 0; i < COLUMNS; i++)
        if (strcmp(columns[i].name, name) == 0)
            return &columns[i];
    return NULL;
}

static bool has_column(const struct parse *parse, const struct column *column)
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
        const struct column *column = find_column(field.text);
        if (column != NULL && has_column(parse, column))
            return fail(parse, field.line, column->name, "named twice in the header");
        if (parse->header_count == RESULTS_COLUMNS_MAX)
            return fail(parse, field.line, NULL, "more than %d columns", RESULTS_COLUMNS_MAX);
        parse->header[parse->header_count++] = column;
    }
    return check_header(parse);
}

/* Whole numbers from 0 to `most`. */
static bool read_whole(struct parse *parse, const struct column *column, struct csv_field *field,
                       uint64_t most, uint64_t *value)
{
    const char *digits = field->text + (field->text[0] == '-');

    *value = 0;
    if (*digits == '\0' || strspn(digits, "0123456789") != strlen(digits))
        return fail(parse, field->line, column->name, "\"%s\" is not a whole number", shown(field));
    if (digits != field->text)
        return fail(parse, field->line, column->name, "\"%s\" is negative", field->text);
    for (; *digits != '\0'; digits++) {
        unsigned digit = (unsigned)(*digits - '0');
        if (*value > (most - digit) / 10)
            return fail(parse, field->line, column->name, "\"%s\" is too large", field->text);
        *value = *value * 10 + digit;
    }
    return true;
}

/*
 * Decimal only: strtod alone would also take "nan", "inf" and hexadecimal. An empty field is NAN
 * here; check_row then sees whether it may be.
 */
static bool read_number(struct parse *parse, const struct column *column, struct csv_field *field,
                        double *value)
{
    char *end = NULL;

    if (field->length == 0) {
        *value = NAN;
        return true;
    }
    *value = strtod(field->text, &end);
    if (strspn(field->text, "0123456789+-.eE") != field->length || *end != '\0')
        return fail(parse, field->line, column->name, "\"%s\" is not a number", shown(field));
    if (!isfinite(*value))
        return fail(parse, field->line, column->name, "\"%s\" is too large", field->text);
    return true;
}

static bool read_name(struct parse *parse, const struct column *column, struct csv_field *field,
                      char *name)
{
    if (field->length == 0 && column->kind == COLUMN_NAME)
        return fail(parse, field->line, column->name, "is empty");
    size_t room = column->kind == COLUMN_UNIT ? ROW_UNIT_BYTES : NAME_BYTES;
    if (field->length >= room) {
        return fail(parse, field->line, column->name, "\"%s\" is longer than %zu characters",
                    shown(field), room - 1);
    }
    memcpy(name, field->text, field->length + 1);
    return true;
}

static bool read_column(struct parse *parse, const struct column *column, struct csv_field *field,
                        struct row *row)
{
    void *into = (char *)row + column->offset;
    uint64_t whole;

    switch (column->kind) {
    case COLUMN_NAME:
    case COLUMN_WORD:
    case COLUMN_UNIT:
        return read_name(parse, column, field, into);
    case COLUMN_COUNT:
        return read_whole(parse, column, field, UINT64_MAX, into);
    case COLUMN_NUMBER:
        return read_number(parse, column, field, into);
    case COLUMN_COORDINATE:
        break;
    }
    if (field->length == 0) {
        *(int64_t *)into = ROW_NONE;
        return true;
    }
    if (!read_whole(parse, column, field, INT64_MAX, &whole))
        return false;
    *(int64_t *)into = (int64_t)whole;
    return true;
}

/* The fields of the record that starts here; 0 where it is not well formed. */
static size_t count_fields(struct csv_reader ahead)
{
    struct csv_field field = {.is_last = false};
    size_t count = 0;

    for (; !field.is_last; count++)
        if (!csv_next(&ahead, &field))
            return 0;
    return count == 1 && field.length == 0 && !field.is_quoted ? 0 : count;
}

/* A point without samples has no distribution; every other point has a whole one. */
static bool check_row(struct parse *parse, unsigned long line, const struct row *row)
{
    for (size_t i = 0; i < COLUMNS && row->samples != 0; i++) {
        const char *at = (const char *)row + columns[i].offset;
        if (columns[i].kind == COLUMN_NUMBER && isnan(*(const double *)at))
            return fail(parse, line, columns[i].name, "is empty, and the row has samples");
    }
    return true;
}

enum record { RECORD_ROW, RECORD_BLANK, RECORD_END, RECORD_WRONG };

/*
 * The fields are counted first: one that is missing shifts the others under wrong columns, and a
 * complaint about one of those would mislead.
 */
static enum record read_record(struct parse *parse, struct row *row)
{
    struct csv_field field = {.is_last = false};
    size_t count = count_fields(parse->reader);

    if (count != 0 && count != parse->header_count) {
        fail(parse, parse->reader.line, NULL, "%zu fields; the header names %zu columns", count,
             parse->header_count);
        return RECORD_WRONG;
    }
    for (size_t i = 0; !field.is_last; i++) {
        if (!csv_next(&parse->reader, &field)) {
            const char *why = parse->reader.error;
            bool is_known = i < parse->header_count && parse->header[i] != NULL;
            if (why == NULL)
                return RECORD_END;
            fail(parse, field.line, is_known ? parse->header[i]->name : NULL, "%s", why);
            return RECORD_WRONG;
        }
        if (count != 0 && parse->header[i] != NULL &&
            !read_column(parse, parse->header[i], &field, row))
            return RECORD_WRONG;
    }
    if (count == 0)
        return RECORD_BLANK;
    return check_row(parse, field.line, row) ? RECORD_ROW : RECORD_WRONG;
}

static bool add_row(struct parse *parse, const struct row *row)
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
    enum record record = RECORD_BLANK;

    memset(&row, 0, sizeof(row));
    if (!read_header(parse))
        return false;
    while (record != RECORD_END) {
        record = read_record(parse, &row);
        if (record == RECORD_WRONG || (record == RECORD_ROW && !add_row(parse, &row)))
            return false;
    }
    if (parse->table->count == 0)
        return fail(parse, 0, NULL, "holds no rows, only the header");
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
    if (!read_file(path, (size_t)RESULTS_FILE_BYTES_MAX + 1, &data, &length)) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
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
