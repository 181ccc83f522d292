/* options: checks a command's arguments against the table of what it accepts. */
#include "options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct options_reader {
    const struct option *table;
    const char *operand;
    struct arguments *arguments;
    char *error;
    size_t error_size;
};

/* Reports an error; always false. */
__attribute__((format(printf, 2, 3))) static bool fail(struct options_reader *reader,
                                                       const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reader->error, reader->error_size, format, arguments);
    va_end(arguments);
    return false;
}

/* Adds "; accepted: --config F, ..." to the message. Always false. */
static bool add_accepted(struct options_reader *reader)
{
    size_t length = strlen(reader->error);
    const char *before = "; accepted: ";

    if (reader->operand != NULL && length < reader->error_size) {
        length += (size_t)snprintf(reader->error + length, reader->error_size - length, "%s%s",
                                   before, reader->operand);
        before = ", ";
    }
    for (const struct option *row = reader->table; row->name != NULL; row++) {
        if (length < reader->error_size) {
            length += (size_t)snprintf(reader->error + length, reader->error_size - length,
                                       "%s%s%s%s", before, row->name, row->value != NULL ? " " : "",
                                       row->value != NULL ? row->value : "");
        }
        before = ", ";
    }
    if (length < reader->error_size)
        snprintf(reader->error + length, reader->error_size - length, "%s--help", before);
    return false;
}

/* True if `text` is this option, alone or with "=VALUE". */
static bool is_option(const struct option *option, const char *text)
{
    size_t length = strlen(option->name);

    return strncmp(text, option->name, length) == 0 &&
           (text[length] == '\0' || text[length] == '=');
}

static bool add_value(struct options_reader *reader, unsigned row, const char *value)
{
    const struct option *option = &reader->table[row];
    struct option_values *given = &reader->arguments->given[row];

    if (option->value == NULL && value != NULL)
        return fail(reader, "%s=%s: this option has no value", option->name, value);
    if (option->value == NULL)
        value = "";
    else if (value == NULL || *value == '\0') {
        return fail(reader, "%s: no value; accepted: %s %s", option->name, option->name,
                    option->value);
    }
    if (given->count == option->most) {
        return fail(reader, "%s: given more than %s", option->name,
                    option->most == 1 ? "once" : "64 times");
    }
    given->value[given->count++] = value;
    return true;
}

static bool take_operand(struct options_reader *reader, const char *text)
{
    if (reader->operand == NULL || reader->arguments->operand != NULL) {
        fail(reader, "%s: one argument too many", text);
        return add_accepted(reader);
    }
    reader->arguments->operand = text;
    return true;
}

/* Returns the argument after an option; NULL: the next option or the end follows. */
static const char *take_value(char **argument, int *at)
{
    const char *value = argument[*at];

    if (value == NULL || strncmp(value, "--", 2) == 0)
        return NULL;
    ++*at;
    return value;
}

/* Takes one argument, or an option and its value; `*at` moves on. `argument` ends in NULL. */
static bool read_one(struct options_reader *reader, char **argument, int *at)
{
    char *text = argument[(*at)++];

    if (text[0] != '-' || text[1] == '\0')
        return take_operand(reader, text);
    for (unsigned row = 0; reader->table[row].name != NULL; row++) {
        if (!is_option(&reader->table[row], text))
            continue;
        const char *value = strchr(text, '=');
        if (value != NULL)
            return add_value(reader, row, value + 1);
        bool has_value = reader->table[row].value != NULL;
        return add_value(reader, row, has_value ? take_value(argument, at) : NULL);
    }
    fail(reader, "%s: no such option", text);
    return add_accepted(reader);
}

static bool check_required(struct options_reader *reader)
{
    if (reader->operand != NULL && reader->arguments->operand == NULL) {
        fail(reader, "%s is missing", reader->operand);
        return add_accepted(reader);
    }
    for (unsigned row = 0; reader->table[row].name != NULL; row++) {
        const struct option *option = &reader->table[row];
        if (option->is_required && reader->arguments->given[row].count == 0) {
            fail(reader, "%s %s is missing", option->name, option->value);
            return add_accepted(reader);
        }
    }
    return true;
}

bool options_read(const struct option *table, const char *operand, int count, char **argument,
                  struct arguments *arguments, char *error, size_t error_size)
{
    struct options_reader reader = {table, operand, arguments, error, error_size};

    *arguments = (struct arguments){.wants_help = false};
    for (int i = 0; i < count; i++) {
        if (strcmp(argument[i], "--help") == 0 || strcmp(argument[i], "-h") == 0) {
            arguments->wants_help = true;
            return true;
        }
    }
    for (int at = 0; at < count;)
        if (!read_one(&reader, argument, &at))
            return false;
    return check_required(&reader);
}

const char *option_value(const struct arguments *arguments, unsigned row)
{
    const struct option_values *given = &arguments->given[row];

    return given->count > 0 ? given->value[given->count - 1] : NULL;
}
