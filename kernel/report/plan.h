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
 * About twice what a run with that configuration leaves on one core with all counters there are, so
 * that few exceed it: a sum over the configuration, whose factors are rows that runs had. With
 * `core = all` each core has as much.
 */
struct plan plan_files(const struct config *config);

#endif
