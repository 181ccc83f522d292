/* collected_run: the files of one run, as cells for a database. */
#ifndef MLPBOOT_HOSTED_COLLECTED_RUN_H
#define MLPBOOT_HOSTED_COLLECTED_RUN_H

#include <limits.h>

#include "collect_tables.h"
#include "json_reader.h"
#include "read_results.h"

/* A file of the run in memory. */
struct run_file {
    char *data;
    size_t length;
};

enum run_file_name { RUN_JSON, RUN_VERDICTS, RUN_RESULTS, RUN_FILES };

/* A table's cells that come from run.json, and where their texts and numbers are. */
struct run_cells {
    struct collect_cell at[COLLECT_COLUMNS_MAX];
    char text[COLLECT_COLUMNS_MAX][JSON_TEXT_MAX];
    double number[COLLECT_COLUMNS_MAX];
};

struct collected_run {
    const char *path;
    char folder[PATH_MAX]; /* its path; what is no character is `?` */
    char id[COLLECT_ID_BYTES];
    struct run_file file[RUN_FILES];
    bool has_machine; /* a model has none */
    struct run_cells machine, run;
    struct verdicts_table verdicts;
    struct results_table points;
};

/*
 * Reads the folder's files and what run.json says. The id is SHA-256 of the bytes of run.json
 * without the blanks at its end, of verdicts.csv and of results.csv, one behind the other: a copy
 * of a run has the id of the run. False: `error` names the file and says what is wrong. Either way
 * the caller frees.
 */
bool collected_run_open(struct collected_run *run, const char *path, char *error,
                        size_t error_size);

/* Reads verdicts and points, after that. False as above. */
bool collected_run_read_rows(struct collected_run *run, char *error, size_t error_size);

void collected_run_free(struct collected_run *run);

#endif
