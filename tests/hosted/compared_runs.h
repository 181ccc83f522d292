/* compared_runs: two runs, verdict by verdict, and under what conditions each was made. */
#ifndef MLPBOOT_HOSTED_COMPARED_RUNS_H
#define MLPBOOT_HOSTED_COMPARED_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "comparison.h"
#include "read_verdicts.h"
#include "run_members.h"

#define COMPARED_REASON_MAX (CSV_FIELD_MAX + 32)

enum { RUN_A, RUN_B, RUNS };

struct compared_run {
    const char *path; /* as given: of a folder, or of a verdicts.csv alone, which has no members */
    struct verdicts_table verdicts;
    struct run_members members;
};

/*
 * Two verdicts are compared where experiment, case and name are the same. What is left then is
 * compared where the cases only differ in what the configuration adds to all names of a run:
 * `-nopf` with prefetch = off, and the user's label.
 */

/* What has become of a verdict: an enum comparison_outcome, or only one run has it. */
enum { OUTCOME_ONLY_A = COMPARISON_OPEN + 1, OUTCOME_ONLY_B, OUTCOMES };

struct compared_verdict {
    const struct stored_verdict *of[RUNS]; /* NULL: the run is without it */
    struct compared value[RUNS];           /* as compared; ticks may have become nanoseconds */
    const char *unit;
    bool is_compared; /* by the rule; else there is nothing to compare, see `reason` */
    unsigned outcome;
    double difference, low, high; /* b less a; as in struct comparison */
    char reason[COMPARED_REASON_MAX];
};

/* Something that both runs tell, and differently. */
struct compared_condition {
    const char *path, *text[RUNS];
};

struct compared_runs {
    struct compared_run run[RUNS];
    struct compared_verdict *at; /* those of run A in its order, then those that only B has */
    size_t count, comparisons;
    size_t outcomes[OUTCOMES];
    struct compared_condition *conditions;
    size_t condition_count;
    bool in_nanoseconds; /* their ticks are not as long */
};

/* "same", "different", "cannot be told apart", "only in A", "only in B". */
const char *compared_outcome_name(unsigned outcome);

/* The same in percent of A's value; NAN where that is 0 or not there. */
double compared_percent(const struct compared_verdict *verdict, double difference);

/*
 * Reads and compares two folders, or verdicts.csv files alone; the paths stay the caller's. False:
 * `error` names the file and what was expected. The caller frees with compared_runs_free, in any
 * case.
 */
bool compared_runs_read(struct compared_runs *runs, const char *a, const char *b, char *error,
                        size_t error_size);

void compared_runs_free(struct compared_runs *runs);

#endif
