/* results: the two things a run leaves, points (rows of results.csv) and verdicts. */
#ifndef MLPBOOT_REPORT_RESULTS_H
#define MLPBOOT_REPORT_RESULTS_H

#include <stddef.h>
#include <stdint.h>

#define RESULT_NAME_MAX 56 /* an experiment, a case, a metric: the longest event has 49 */
#define RESULT_NONE (-1)   /* a column that does not apply; empty in the file */

/*
 * A case that could not be measured has one row of this metric, with no samples and the reason in
 * place of the unit: the table alone then says what verdicts.csv says.
 */
#define RESULT_SKIPPED "skipped"
#define RESULT_UNIT_MAX 120

/* One point and metric: a row of results.csv, in the order of its columns. Numbers are raw. */
struct result_row {
    char experiment[RESULT_NAME_MAX];
    char variant[RESULT_NAME_MAX]; /* the column `case`: what was varied besides the sweep */
    int64_t n, k, bytes, stage;    /* the sweep's coordinates, or RESULT_NONE */
    char metric[RESULT_NAME_MAX];
    char unit[RESULT_UNIT_MAX];
    uint64_t samples, discarded;
    double min, p10, median, p90, max, mean;
};

enum verdict_status { VERDICT_OK, VERDICT_DOUBT, VERDICT_SKIP, VERDICT_ERROR };

#define VERDICT_METHOD_MAX 160

/* One answer: a row of verdicts.csv. */
struct verdict {
    char experiment[RESULT_NAME_MAX];
    char variant[RESULT_NAME_MAX];
    char name[RESULT_NAME_MAX];
    double value, low, high; /* NAN where there is none; empty in the file */
    char unit[RESULT_NAME_MAX];
    enum verdict_status status;
    char method[VERDICT_METHOD_MAX]; /* how it was found, or why it was not, in a few words */
};

/* A growing list in memory that the caller provides. */
struct verdict_list {
    struct verdict *at;
    size_t count, room;
};

/* Copies a name of at most RESULT_NAME_MAX - 1 characters; a longer one is cut. */
void result_name(char *to, const char *from);

/*
 * Multiplies a row's numbers, and rounds them to the decimals of results.csv: a row must say the
 * same before and after its way through the file.
 */
void result_scale(struct result_row *row, double factor);

#endif
