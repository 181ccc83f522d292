/* summary: the few numbers by which cases of a run, and runs, are laid side by side. */
#ifndef MLPBOOT_REPORT_SUMMARY_H
#define MLPBOOT_REPORT_SUMMARY_H

#include "verdict_index.h"

/* One case that has an `mlp` verdict. Ticks but for mlp and overhead; NAN where there is none. */
struct summary_case {
    const struct variant *of;   /* the verdict's own */
    enum verdict_status status; /* of mlp */
    double mlp, one_load, time_at_mlp_plus_1;
    double overhead;  /* percent */
    double walk_cost; /* of the case of that name, whichever experiment measured it */
};

/*
 * The next such case that was not skipped: looks from *at on in the index's list, which starts at 0
 * and is moved behind it. False: there is none left.
 */
bool summary_next(const struct verdict_index *verdicts, size_t *at, struct summary_case *found);

#endif
