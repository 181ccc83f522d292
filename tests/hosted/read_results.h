/* read_results: a stored results.csv, of any origin, back into rows. */
#ifndef MLPBOOT_HOSTED_READ_RESULTS_H
#define MLPBOOT_HOSTED_READ_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "../../kernel/data/row.h"

#define RESULTS_FILE_BYTES_MAX (256u << 20) /* a run leaves a few megabytes at most */
#define RESULTS_COLUMNS_MAX 64              /* in one file, the ones not known included */

struct results_table {
    struct row *rows;
    size_t count;
};

/*
 * Reads a file, in time linear in its length. Columns are found by their names, in any order, and
 * every column of csv_results_header is required; further columns and blank lines are ignored. An
 * empty n, k, bytes or stage becomes ROW_NONE, an empty center or error NAN; case and unit may be
 * empty, and min to p1 are, then NAN, in a row of 0 samples. Every other field must be filled.
 * Refused is
 *  - a name (experiment, case, metric) that holds a byte other than printable ASCII: it could be
 *    anything to a terminal, and replaced it could be another's name. In a unit it becomes `?`.
 *  - a number below 0, or above 2 to the 53rd;
 *  - other than min <= p10 <= median <= p90 <= max, other than one number where there is one
 * sample, a mean not within them, but for rounding to three decimals;
 *  - a row of times (metric tsc or ns) all of which are 0.
 * False: `error` (at least 1 byte) names file, line and column and says what was seen and what is
 * accepted; the table is empty. So it is of a run that ended before its first row, which left the
 * header alone. The caller frees with results_table_free.
 */
bool read_results(const char *path, struct results_table *table, char *error, size_t error_size);

/* The same from a text in memory; `name` is what messages call it. Any bytes are safe. */
bool read_results_text(const char *name, const char *data, size_t length,
                       struct results_table *table, char *error, size_t error_size);

/* Also right after a failed read. */
void results_table_free(struct results_table *table);

#endif
