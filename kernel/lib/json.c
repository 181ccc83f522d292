/* json: writes members with their commas, indentation and escapes. */
#include "json.h"

#include "string.h"
#include "utf8.h"

#define LARGEST 9.2e18 /* that text_number writes in digits */

static void new_line(struct json *json)
{
    text_char(json->text, '\n');
    for (unsigned i = 0; i < json->depth; i++)
        text_printf(json->text, "  ");
}

static void quoted(struct json *json, const char *value)
{
    text_char(json->text, '"');
    for (size_t left = strlen(value), length; left > 0; value += length, left -= length) {
        unsigned char c = (unsigned char)*value;
        size_t printable = utf8_printable(value, left);
        length = printable > 0 ? printable : 1;
        if (c == '"' || c == '\\')
            text_char(json->text, '\\');
        if (printable > 0)
            text_printf(json->text, "%.*s", (int)length, value);
        else if (c < 0x20)
            text_printf(json->text, "\\u%04x", c);
        else
            text_char(json->text, '?');
    }
    text_char(json->text, '"');
}

static void start_member(struct json *json, const char *name)
{
    if (json->needs_comma)
        text_char(json->text, ',');
    new_line(json);
    quoted(json, name);
    text_printf(json->text, ": ");
    json->needs_comma = true;
}

void json_begin(struct json *json, struct text *text)
{
    *json = (struct json){.text = text, .depth = 1};
    text_char(text, '{');
}

void json_end(struct json *json)
{
    while (json->depth > 0)
        json_close(json);
    text_char(json->text, '\n');
}

void json_text(struct json *json, const char *name, const char *value)
{
    start_member(json, name);
    quoted(json, value);
}

void json_number(struct json *json, const char *name, double value, unsigned decimals)
{
    start_member(json, name);
    if (!(value > -LARGEST && value < LARGEST)) /* JSON has neither NAN nor infinities */
        text_printf(json->text, "null");
    else
        text_number(json->text, value, decimals);
}

void json_hex(struct json *json, const char *name, uint64_t value)
{
    char memory[24];
    json_text(json, name, text_write(memory, sizeof memory, "0x%lx", (unsigned long)value));
}

void json_bool(struct json *json, const char *name, bool value)
{
    start_member(json, name);
    text_printf(json->text, "%s", value ? "true" : "false");
}

void json_open(struct json *json, const char *name)
{
    start_member(json, name);
    text_char(json->text, '{');
    json->depth++;
    json->needs_comma = false;
}

void json_close(struct json *json)
{
    json->depth--;
    new_line(json);
    text_char(json->text, '}');
    json->needs_comma = true;
}
