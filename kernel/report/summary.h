/* summary: the few numbers by which cases of a run, and runs, are compared. */
#ifndef MLPBOOT_REPORT_SUMMARY_H
#define MLPBOOT_REPORT_SUMMARY_H

#include "../data/verdict.h"
#include "../lib/text.h"

/* A case that has an `mlp` verdict. In ticks but for mlp and overhead; a missing number is NAN. */
struct summary_case {
    const struct variant *variant; /* the verdict's own */
    enum verdict_status status;    /* of mlp */
    double mlp, one_load, time_at_mlp_plus_1;
    double overhead;  /* percent */
    double walk_cost; /* of the case of that name, whichever experiment measured it */
};

/* Finds the next such case not skipped, from *at on, which starts at 0 and moves behind the
 * verdict. False: no case is left. */
bool summary_next(const struct verdict_list *verdicts, size_t *at, struct summary_case *found);

/* Adds a table of these cases, if any, as IIT Delhi 2018 has it (6.1), and a page walk's cost. */
void summary_show(const struct verdict_list *verdicts, struct text *text);

#endif
