/* read_verdicts: a stored verdicts.csv back into verdicts. */
#ifndef MLPBOOT_HOSTED_READ_VERDICTS_H
#define MLPBOOT_HOSTED_READ_VERDICTS_H

#include <stdbool.h>
#include <stddef.h>

#include "../../kernel/data/verdict.h"

#define VERDICTS_FILE_BYTES_MAX (16u << 20) /* a run leaves some kilobytes */

/*
 * Reads the file as a run writes it, which always has the same columns. Experiment, case and name
 * are printable ASCII, and all but the case are filled; in units and methods any other byte becomes
 * `?`. Value, low and high are finite decimal numbers, or NAN where they are empty. The last line
 * has its newline, or the file was cut short. A header alone is a run that ended before its first
 * verdict.
 * False: `error` (at least 1 byte) names file, line and column and says what was seen; the list is
 * empty. The caller frees verdicts->at.
 */
bool read_verdicts(const char *path, struct verdict_list *verdicts, char *error, size_t error_size);

/* The same from a text in memory; `name` is what messages call it. Any bytes are safe. */
bool read_verdicts_text(const char *name, const char *data, size_t length,
                        struct verdict_list *verdicts, char *error, size_t error_size);

#endif
