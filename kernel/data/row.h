/* row: one point and metric, a row of results.csv. */
#ifndef MLPBOOT_DATA_ROW_H
#define MLPBOOT_DATA_ROW_H

#include "case.h"

#define ROW_NONE (-1) /* a column that does not apply; empty in the file */

/*
 * A case that could not be measured has one row of this metric, with no samples and the reason in
 * place of the unit: the table alone then says what verdicts.csv says.
 */
#define ROW_SKIPPED "skipped"

#define ROW_UNIT_BYTES 120

/* The columns of the file, which has `attempt` last. Numbers are raw. */
struct row {
    struct variant variant;     /* columns `experiment` and `case` */
    int64_t n, k, bytes, stage; /* the sweep's coordinates, or ROW_NONE */
    uint64_t attempt; /* at a search: 0 is the first, and a search that starts over counts up */
    char metric[NAME_BYTES];
    char unit[ROW_UNIT_BYTES];
    uint64_t samples, discarded;
    double min, p10, median, p90, max, mean;
    double p1;
    uint64_t visits; /* that the samples are from; 0: not known, or no visits */
    /* The median between clock steps; its standard error and the mean's, NAN below two visits. */
    double center, center_error, mean_error;
};

/* Rows of one case, in the order of row_compare. At least one. */
struct table {
    const struct variant *variant;
    const struct row *rows;
    size_t count;
    size_t first_verdict; /* number of the first one that it got when it was judged */
};

/* Copies a name of at most NAME_BYTES - 1 characters; a longer one is cut. */
void name_copy(char *to, const char *from);

/*
 * Multiplies a row's numbers, and rounds them to the decimals of results.csv: a row must say the
 * same before and after its way through the file.
 */
void row_scale(struct row *row, double factor);

/* Below, at or above 0 as `a` comes before, with or after `b`: by n, k, bytes, stage, attempt,
 * metric, and then by whatever differs, so that equal rows only are equal. Both of one case. */
int row_compare(const struct row *a, const struct row *b);

/* The same of their points and metrics alone. */
int row_compare_points(const struct row *a, const struct row *b);

/* True if it has samples of that metric. */
bool row_is(const struct row *row, const char *metric);

#endif
