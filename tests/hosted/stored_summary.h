/* stored_summary: runs of any machines, one line for each case, read back from their files. */
#ifndef MLPBOOT_HOSTED_STORED_SUMMARY_H
#define MLPBOOT_HOSTED_STORED_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct summary_run;
struct summary_row;

/* Starts as zeroes. */
struct stored_summary {
    struct summary_run *runs;
    size_t run_count;
    struct summary_row *rows; /* their cases */
    size_t count;
};

extern const char stored_summary_header[]; /* of the CSV, with its newline */

/* Whether that is a directory, as far as can be told. */
bool is_directory(const char *path);

/*
 * Adds the cases of a folder, by its results.csv and run.json, or of a results.csv alone, which
 * names no machine; one line without a case where none has an `mlp` verdict. False: `error` names
 * the file and what was expected; the summary is as it was.
 */
bool stored_summary_add(struct stored_summary *summary, const char *path, char *error,
                        size_t error_size);

/* All of it as CSV, to free; NULL: not enough memory. What is not known is empty. */
char *stored_summary_csv(const struct stored_summary *summary);

/* Aligned columns; what is not known is "-". */
void stored_summary_print(const struct stored_summary *summary, FILE *to);

/* Also right after a failure. */
void stored_summary_free(struct stored_summary *summary);

#endif
