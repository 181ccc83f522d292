/* read_verdicts: reads a verdicts.csv that a run wrote. */
#include "read_verdicts.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/report/csv.h"
#include "grow.h"
#include "read_file.h"

/* The columns of verdicts.csv, always the same. */
enum {
    FIELD_EXPERIMENT,
    FIELD_CASE,
    FIELD_NAME,
    FIELD_VALUE,
    FIELD_LOW,
    FIELD_HIGH,
    FIELD_UNIT,
    FIELD_STATUS,
    FIELD_METHOD,
    FIELDS
};

struct verdicts_record {
    struct csv_field field[FIELDS];
};

/* Reports an error; always false. */
__attribute__((format(printf, 3, 4))) static bool fail(char *error, size_t size, const char *format,
                                                       ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error, size, format, arguments);
    va_end(arguments);
    return false;
}

bool stored_verdict_same(const struct stored_verdict *a, const struct stored_verdict *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->variant, b->variant) == 0 &&
           strcmp(a->experiment, b->experiment) == 0;
}

/* Reads a record. False: it has another number of fields, or the text ends and reader->error is
 * NULL. Skips blank lines, in which a cut-off run ends. */
static bool read_record(struct csv_reader *reader, struct verdicts_record *record)
{
    for (size_t i = 0; i < FIELDS; i++) {
        do {
            if (!csv_next(reader, &record->field[i]))
                return false;
        } while (i == 0 && record->field[0].is_last && record->field[0].length == 0);
        if (record->field[i].is_last != (i == FIELD_METHOD)) {
            reader->error = "not as many columns as the header has";
            return false;
        }
    }
    return true;
}

/* Reads a decimal number, empty as NAN: strtod alone would also take hexadecimal. */
static bool read_number(const char *text, double *number)
{
    char *end;

    *number = NAN;
    if (*text == '\0')
        return true;
    *number = strtod(text, &end);
    return text[strspn(text, "+-.0123456789eE")] == '\0' && *end == '\0' && isfinite(*number);
}

static bool read_status(const char *text, enum verdict_status *status)
{
    for (unsigned i = 0; i <= VERDICT_ERROR; i++)
        if (strcmp(text, verdict_status_name((enum verdict_status)i)) == 0) {
            *status = (enum verdict_status)i;
            return true;
        }
    return false;
}

/* Copies what fits, with printable characters only. */
static void copy_text(char *to, size_t room, const struct csv_field *field)
{
    size_t length = field->length < room ? field->length : room - 1;

    for (size_t i = 0; i < length; i++)
        to[i] = field->text[i] >= 0x20 && field->text[i] < 0x7f ? field->text[i] : '?';
    to[length] = '\0';
}

/* Reads a verdict. Returns NULL, or what is wrong with it. */
static const char *read_line(const struct verdicts_record *record, struct stored_verdict *verdict)
{
    const struct csv_field *field = record->field;

    if (!read_number(field[FIELD_VALUE].text, &verdict->value) ||
        !read_number(field[FIELD_LOW].text, &verdict->low) ||
        !read_number(field[FIELD_HIGH].text, &verdict->high))
        return "not a number";
    if (!read_status(field[FIELD_STATUS].text, &verdict->status))
        return "no such status";
    copy_text(verdict->experiment, NAME_BYTES, &field[FIELD_EXPERIMENT]);
    copy_text(verdict->variant, NAME_BYTES, &field[FIELD_CASE]);
    copy_text(verdict->name, NAME_BYTES, &field[FIELD_NAME]);
    copy_text(verdict->unit, NAME_BYTES, &field[FIELD_UNIT]);
    copy_text(verdict->method, sizeof(verdict->method), &field[FIELD_METHOD]);
    return NULL;
}

/* Adds a record's verdict. Returns NULL, or what is wrong with it. */
static const char *add_record(struct verdicts_table *table, const struct verdicts_record *record)
{
    struct stored_verdict *list = grow(table->at, table->count, sizeof(*list));

    if (list == NULL)
        return "not enough memory";
    table->at = list;
    const char *reason = read_line(record, &list[table->count]);
    table->count += reason == NULL;
    return reason;
}

static bool read_all(const char *name, const char *data, size_t length,
                     struct verdicts_table *table, char *error, size_t error_size)
{
    size_t header = strlen(csv_verdicts_header);
    struct csv_reader reader;
    struct verdicts_record record;

    if (length == 0)
        return fail(error, error_size, "%s: is empty", name);
    if (length < header || memcmp(data, csv_verdicts_header, header) != 0)
        return fail(error, error_size, "%s: another header than verdicts.csv has", name);
    if (data[length - 1] != '\n')
        return fail(error, error_size, "%s: its last line was cut short", name);
    csv_start(&reader, data + header, length - header);
    const char *reason = NULL;
    while (reason == NULL && read_record(&reader, &record))
        reason = add_record(table, &record);
    if (reason == NULL)
        reason = reader.error;
    return reason == NULL ||
           fail(error, error_size, "%s: line %lu: %s", name, record.field[0].line + 1, reason);
}

bool read_verdicts_text(const char *name, const char *data, size_t length,
                        struct verdicts_table *table, char *error, size_t error_size)
{
    *table = (struct verdicts_table){.at = NULL};
    bool is_read = read_all(name, data, length, table, error, error_size);
    if (!is_read)
        verdicts_table_free(table);
    return is_read;
}

bool read_verdicts(const char *path, struct verdicts_table *table, char *error, size_t error_size)
{
    char *data;
    size_t length;

    *table = (struct verdicts_table){.at = NULL};
    if (!read_file(path, VERDICTS_FILE_BYTES_MAX, &data, &length))
        return fail(error, error_size, "%s: %s", path, strerror(errno));
    bool is_read = read_verdicts_text(path, data, length, table, error, error_size);
    free(data);
    return is_read;
}

void verdicts_table_free(struct verdicts_table *table)
{
    free(table->at);
    *table = (struct verdicts_table){.at = NULL};
}
