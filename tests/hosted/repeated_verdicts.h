/* repeated_verdicts: what many runs of the same configuration say, verdict by verdict. */
#ifndef MLPBOOT_HOSTED_REPEATED_VERDICTS_H
#define MLPBOOT_HOSTED_REPEATED_VERDICTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../../kernel/data/verdict.h"

#define REPEATED_STATUSES (VERDICT_ERROR + 1)

struct repeated_value; /* one run's */

/* One verdict of one case. */
struct repeated_verdict {
    char experiment[NAME_BYTES], variant[NAME_BYTES], name[NAME_BYTES], unit[NAME_BYTES];
    size_t runs;                    /* that have it */
    size_t seen[REPEATED_STATUSES]; /* of them, by enum verdict_status */
    struct repeated_value *values;  /* of those with a value, whatever the status */
    size_t count;
    /*
     * Made by repeated_verdicts_conclude; NAN where no run has such a value. A median is a value
     * that some run had, of an even number the lower one: 20.5 loads would be in no interval.
     */
    double median, ok_median, ok_least, ok_most;
    size_t intervals, held; /* of the ok values; those that hold `median` */
};

/* Starts as zeroes. In the order in which the runs named them first. */
struct repeated_verdicts {
    struct repeated_verdict *at;
    size_t count;
    size_t next; /* where the next verdict is likely to be: runs have the same ones in one order */
};

extern const char repeated_verdicts_header[]; /* of the CSV, with its newline */

/*
 * Adds one run's verdicts.csv. False: `error` names the file and what was expected. Of one that
 * cannot be read nothing is added.
 */
bool repeated_verdicts_add(struct repeated_verdicts *all, const char *path, char *error,
                           size_t error_size);

/* Call once, after the last run and before what follows. */
void repeated_verdicts_conclude(struct repeated_verdicts *all);

/* All of it as CSV, to free; NULL: not enough memory. What is not known is empty. */
char *repeated_verdicts_csv(const struct repeated_verdicts *all);

/* Aligned columns and a last line of totals; what is not known is "-". */
void repeated_verdicts_print(const struct repeated_verdicts *all, FILE *to);

void repeated_verdicts_free(struct repeated_verdicts *all);

#endif
