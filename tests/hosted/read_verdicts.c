/* read_verdicts: a stored verdicts.csv back into verdicts. */
#include "read_verdicts.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/report/csv.h"
#include "csv_reader.h"
#include "grow.h"
#include "read_file.h"

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

static const char *const field_names[FIELDS] = {
    [FIELD_EXPERIMENT] = "experiment",
    [FIELD_CASE] = "case",
    [FIELD_NAME] = "name",
    [FIELD_VALUE] = "value",
    [FIELD_LOW] = "low",
    [FIELD_HIGH] = "high",
    [FIELD_UNIT] = "unit",
    [FIELD_STATUS] = "status",
    [FIELD_METHOD] = "method",
};

/* One file being read. */
struct parse {
    const char *name;
    struct csv_reader reader;
    struct csv_field field[FIELDS];
    struct verdict_list *verdicts;
    char *error;
    size_t error_size;
};

/* Always false. `line` 0: the file as a whole. */
__attribute__((format(printf, 3, 4))) static bool fail(struct parse *parse, unsigned long line,
                                                       const char *format, ...)
{
    char what[512], where[32] = "";
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    if (line != 0)
        snprintf(where, sizeof(where), "line %lu, ", line);
    snprintf(parse->error, parse->error_size, "%s: %s%s", parse->name, where, what);
    return false;
}

/* As it may be shown on a terminal, and kept: any other byte becomes a question mark. */
static const char *shown(struct csv_field *field)
{
    for (size_t i = 0; i < field->length; i++)
        if (field->text[i] < 0x20 || field->text[i] > 0x7e)
            field->text[i] = '?';
    return field->text;
}

/* False: no record of so many fields; reader.error is NULL at the end of the text. */
static bool read_fields(struct parse *parse)
{
    for (size_t i = 0; i < FIELDS; i++) {
        if (!csv_next(&parse->reader, &parse->field[i]))
            return false;
        if (parse->field[i].is_last != (i == FIELDS - 1)) {
            parse->reader.error = "not as many columns as the header has";
            return false;
        }
    }
    return true;
}

static bool read_name(struct parse *parse, unsigned which, char name[NAME_BYTES])
{
    struct csv_field *field = &parse->field[which];

    for (size_t i = 0; i < field->length; i++)
        if (field->text[i] < 0x20 || field->text[i] > 0x7e)
            return fail(parse, field->line,
                        "column %s: holds the byte 0x%02x; accepted: printable ASCII",
                        field_names[which], (unsigned char)field->text[i]);
    if (field->length >= NAME_BYTES || (field->length == 0 && which != FIELD_CASE))
        return fail(parse, field->line, "column %s: \"%s\"; accepted: 1 to %d characters",
                    field_names[which], field->text, NAME_BYTES - 1);
    memcpy(name, field->text, field->length + 1);
    return true;
}

/* Decimal only: strtod alone would also take "nan", "inf" and hexadecimal. */
static bool read_number(struct parse *parse, unsigned which, double *number)
{
    struct csv_field *field = &parse->field[which];
    bool is_decimal = strspn(field->text, "+-.0123456789eE") == field->length;
    char *end = field->text;

    *number = NAN;
    if (field->length == 0)
        return true;
    if (is_decimal)
        *number = strtod(field->text, &end);
    if (is_decimal && *end == '\0' && isfinite(*number))
        return true;
    return fail(parse, field->line, "column %s: \"%s\" is not a number; accepted: a decimal one",
                field_names[which], shown(field));
}

static bool read_status(struct parse *parse, enum verdict_status *status)
{
    struct csv_field *field = &parse->field[FIELD_STATUS];

    for (unsigned i = VERDICT_OK; i <= VERDICT_ERROR; i++)
        if (strcmp(field->text, verdict_status_name((enum verdict_status)i)) == 0) {
            *status = (enum verdict_status)i;
            return true;
        }
    return fail(parse, field->line, "column status: \"%s\"; accepted: ok, doubt, skip, error",
                shown(field));
}

static bool read_verdict(struct parse *parse, struct verdict *verdict)
{
    char variant[NAME_BYTES];

    if (!read_name(parse, FIELD_EXPERIMENT, verdict->of.experiment) ||
        !read_name(parse, FIELD_CASE, variant) || !read_name(parse, FIELD_NAME, verdict->name) ||
        !read_number(parse, FIELD_VALUE, &verdict->value) ||
        !read_number(parse, FIELD_LOW, &verdict->low) ||
        !read_number(parse, FIELD_HIGH, &verdict->high) || !read_status(parse, &verdict->status))
        return false;
    case_read(variant, &verdict->of);
    snprintf(verdict->unit, sizeof(verdict->unit), "%.*s", NAME_BYTES - 1,
             shown(&parse->field[FIELD_UNIT]));
    snprintf(verdict->method, sizeof(verdict->method), "%.*s", VERDICT_METHOD_BYTES - 1,
             shown(&parse->field[FIELD_METHOD]));
    return true;
}

static bool add(struct parse *parse, const struct verdict *verdict)
{
    struct verdict_list *list = parse->verdicts;
    struct verdict *larger = grow(list->at, list->count, sizeof(*larger));

    if (larger == NULL)
        return fail(parse, 0, "not enough memory for its verdicts");
    list->at = larger;
    list->at[list->count++] = *verdict;
    return true;
}

static bool read_all(struct parse *parse)
{
    struct verdict verdict;

    memset(&verdict, 0, sizeof(verdict));
    while (read_fields(parse))
        if (!read_verdict(parse, &verdict) || !add(parse, &verdict))
            return false;
    return parse->reader.error == NULL ||
           fail(parse, parse->field[0].line, "%s", parse->reader.error);
}

bool read_verdicts_text(const char *name, const char *data, size_t length,
                        struct verdict_list *verdicts, char *error, size_t error_size)
{
    struct parse parse = {
        .name = name, .verdicts = verdicts, .error = error, .error_size = error_size};
    size_t header = strlen(csv_verdicts_header);

    *verdicts = (struct verdict_list){.at = NULL};
    if (length < header || memcmp(data, csv_verdicts_header, header) != 0)
        return fail(&parse, 0, "another header than verdicts.csv has");
    if (data[length - 1] != '\n')
        return fail(&parse, 0, "its last line was cut short");
    csv_start(&parse.reader, data + header, length - header);
    parse.reader.line = 2;
    if (read_all(&parse))
        return true;
    free(verdicts->at);
    *verdicts = (struct verdict_list){.at = NULL};
    return false;
}

bool read_verdicts(const char *path, struct verdict_list *verdicts, char *error, size_t error_size)
{
    char *data;
    size_t length;

    *verdicts = (struct verdict_list){.at = NULL};
    if (!read_file(path, VERDICTS_FILE_BYTES_MAX, &data, &length)) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        return false;
    }
    bool is_read = read_verdicts_text(path, data, length, verdicts, error, error_size);
    free(data);
    return is_read;
}
