/* csv_reader: the fields of a CSV text one after the other, as RFC 4180 has them. */
#include "csv_reader.h"

#include "read_file.h"

void csv_start(struct csv_reader *reader, const char *data, size_t length)
{
    *reader = (struct csv_reader){
        .at = data + byte_order_mark(data, length), .end = data + length, .line = 1};
}

static bool fail(struct csv_reader *reader, const char *error)
{
    reader->error = error;
    return false;
}

static bool add(struct csv_reader *reader, struct csv_field *field, char c)
{
    if (c == '\0')
        return fail(reader, "a NUL byte; this is not a text file");
    if (field->length == CSV_FIELD_MAX)
        return fail(reader, "a field longer than any column has");
    field->text[field->length++] = c;
    return true;
}

/* From behind the opening quote to behind the closing one. */
static bool read_quoted(struct csv_reader *reader, struct csv_field *field)
{
    field->is_quoted = true;
    while (reader->at < reader->end) {
        char c = *reader->at++;
        if (c == '"') {
            if (reader->at == reader->end || *reader->at != '"')
                return true;
            reader->at++;
        }
        if (c == '\n')
            reader->line++;
        if (!add(reader, field, c))
            return false;
    }
    return fail(reader, "a quote is opened and never closed");
}

static bool is_line_end(const struct csv_reader *reader)
{
    const char *at = reader->at;

    return *at == '\n' || (*at == '\r' && (at + 1 == reader->end || at[1] == '\n'));
}

static bool read_plain(struct csv_reader *reader, struct csv_field *field)
{
    while (reader->at < reader->end && *reader->at != ',' && !is_line_end(reader)) {
        if (*reader->at == '"')
            return fail(reader, "a quote inside a field that does not start with one");
        if (!add(reader, field, *reader->at++))
            return false;
    }
    return true;
}

/* Steps over what ends a field: a comma, a line's end, or the end of the text. */
static bool read_separator(struct csv_reader *reader, struct csv_field *field)
{
    field->is_last = true;
    if (reader->at == reader->end)
        return true;
    if (*reader->at == ',') {
        reader->at++;
        field->is_last = false;
        return true;
    }
    if (!is_line_end(reader))
        return fail(reader, "text after a closing quote");
    reader->at += *reader->at == '\r' && reader->at + 1 < reader->end ? 2 : 1;
    reader->line++;
    return true;
}

bool csv_next(struct csv_reader *reader, struct csv_field *field)
{
    field->length = 0;
    field->line = reader->line;
    field->is_quoted = false;
    /* After a last comma one more field follows, even where the text ends there. */
    bool is_expected = reader->at != reader->end || reader->comma_was_last;
    if (!is_expected)
        return false;
    bool is_quote = reader->at < reader->end && *reader->at == '"';
    if (is_quote)
        reader->at++;
    bool is_read = is_quote ? read_quoted(reader, field) : read_plain(reader, field);
    if (!is_read || !read_separator(reader, field))
        return false;
    reader->comma_was_last = !field->is_last;
    field->text[field->length] = '\0';
    return true;
}
