/* csv_reader: the fields of a CSV text one after the other, as RFC 4180 has them. */
#ifndef MLPBOOT_HOSTED_CSV_READER_H
#define MLPBOOT_HOSTED_CSV_READER_H

#include <stdbool.h>
#include <stddef.h>

#define CSV_FIELD_MAX 239 /* characters in one field: no verdict's method is longer */

struct csv_reader {
    const char *at, *end;
    unsigned long line;  /* where `at` is; starts at 1 */
    bool comma_was_last; /* so that a field follows, if only an empty one */
    const char *error;   /* why the last csv_next was false, in words; NULL: the text ended */
};

struct csv_field {
    char text[CSV_FIELD_MAX + 1]; /* without its quotes; never holds a NUL */
    size_t length;
    unsigned long line; /* on which it starts */
    bool is_quoted;
    bool is_last; /* of its record */
};

/* Starts at the text's beginning, after a UTF-8 byte order mark if there is one. */
void csv_start(struct csv_reader *reader, const char *data, size_t length);

/*
 * Reads the next field. Records end with LF, CR LF or the end of the text. Any bytes are safe.
 * An empty line is one empty field. False: the text ended, or `reader->error` is set.
 */
bool csv_next(struct csv_reader *reader, struct csv_field *field);

#endif
