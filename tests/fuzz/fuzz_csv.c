/* fuzz_csv: any bytes as CSV; fields that were read, written with quotes, are read again. */
#include "fuzz.h"

#include "../hosted/csv_reader.h"

static char *written;
static size_t length;

static void put(char c)
{
    written[length++] = c;
}

static void put_field(const struct csv_field *field)
{
    put('"');
    for (size_t i = 0; i < field->length; i++) {
        if (field->text[i] == '"')
            put('"');
        put(field->text[i]);
    }
    put('"');
    put(field->is_last ? '\n' : ',');
}

static void check_field(const struct csv_field *field)
{
    MUST(field->length <= CSV_FIELD_MAX && strlen(field->text) == field->length);
    MUST(field->is_quoted || strpbrk(field->text, ",\"\n") == NULL);
}

static void read_again(const char *data, size_t size)
{
    struct csv_reader reader, second;
    struct csv_field field, same;
    csv_start(&reader, data, size);
    csv_start(&second, written, length);
    while (csv_next(&reader, &field)) {
        MUST(csv_next(&second, &same));
        MUST(same.length == field.length && same.is_quoted && same.is_last == field.is_last);
        MUST(memcmp(same.text, field.text, field.length) == 0);
    }
    MUST(!csv_next(&second, &same) && second.error == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct csv_reader reader;
    struct csv_field field;
    unsigned long line = 1;
    char *copy = fuzz_copy(data, size);
    written = malloc(4 * size + 8);
    MUST(written != NULL);
    length = 0;
    csv_start(&reader, copy, size);
    while (csv_next(&reader, &field)) {
        check_field(&field);
        MUST(field.line >= line && reader.line >= field.line);
        line = field.line;
        put_field(&field);
    }
    if (reader.error != NULL)
        fuzz_check_reason(reader.error);
    else
        MUST(reader.at == reader.end && reader.line <= size + 1);
    if (reader.error == NULL)
        read_again(copy, size);
    free(written);
    free(copy);
    return 0;
}
