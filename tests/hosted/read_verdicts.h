/* read_verdicts: a stored verdicts.csv, as a run wrote it. */
#ifndef MLPBOOT_HOSTED_READ_VERDICTS_H
#define MLPBOOT_HOSTED_READ_VERDICTS_H

#include <stdbool.h>
#include <stddef.h>

#include "../../kernel/data/verdict.h"
#include "csv_reader.h"

#define VERDICTS_FILE_BYTES_MAX (16u << 20) /* a run leaves some kilobytes */

/* One line of it. What is not printable ASCII is `?` in texts, and names are cut. */
struct stored_verdict {
    char experiment[NAME_BYTES], variant[NAME_BYTES], name[NAME_BYTES], unit[NAME_BYTES];
    double value, low, high; /* NAN where there is none */
    enum verdict_status status;
    char method[CSV_FIELD_MAX + 1];
};

struct verdicts_table {
    struct stored_verdict *at;
    size_t count;
};

/* Whether they are of the same experiment, case and name. */
bool stored_verdict_same(const struct stored_verdict *a, const struct stored_verdict *b);

/*
 * Reads a file whose columns are those of verdicts.csv, in their order, and whose last line is
 * whole. False: `error` names the file and what was expected; the table is empty. So it is of a run
 * that ended before its first verdict. The caller frees with verdicts_table_free.
 */
bool read_verdicts(const char *path, struct verdicts_table *table, char *error, size_t error_size);

/* The same from a text in memory; `name` is what messages call it. Any bytes are safe. */
bool read_verdicts_text(const char *name, const char *data, size_t length,
                        struct verdicts_table *table, char *error, size_t error_size);

/* Also right after a failed read. */
void verdicts_table_free(struct verdicts_table *table);

#endif
