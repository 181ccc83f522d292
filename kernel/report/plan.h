/* plan: how large the files of a run may become. */
#ifndef MLPBOOT_REPORT_PLAN_H
#define MLPBOOT_REPORT_PLAN_H

#include <stdint.h>

#include "../config/config.h"

/* In bytes. */
struct plan {
    uint64_t results, verdicts, conditions, log;
    uint64_t report; /* report.html behind its template: what it has of the others */
};

/*
 * About twice what a run with that configuration leaves where all counters there are count, so that
 * few exceed it: a sum over the configuration, whose factors are rows that runs had. `processors`:
 * how many there are, 1 where nobody tells. With `core = all` it is what each of them leaves, and
 * once more what one does. It is never more than the image's own volume takes: what exceeds the
 * plan has its file grow, but what has no room for it is refused.
 */
struct plan plan_files(const struct config *config, unsigned processors);

#endif
