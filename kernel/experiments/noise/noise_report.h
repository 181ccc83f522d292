/* noise_report: how quiet the machine was during a run, as a spinning core observed it. */
#ifndef MLPBOOT_EXPERIMENTS_NOISE_REPORT_H
#define MLPBOOT_EXPERIMENTS_NOISE_REPORT_H

#include "../../analysis/states.h"
#include "../../lib/text.h"
#include "../../platform.h"
#include "noise_rule.h"

/* Starts as zeroes. */
struct noise_report {
    struct noise_summary summary;
    struct variant variant; /* the case of noise it is about; without an experiment: none yet */
    char reason[ROW_UNIT_BYTES]; /* why nothing could be observed; empty */
    unsigned samples;            /* brief measurements, taken by the run itself */
    bool has_experiment;         /* experiment noise added to it */
    const struct states *states; /* of the core; NULL: they were not looked for */
};

/* Adds the rows of a brief measurement. */
void noise_report_add_sample(struct noise_report *report, const struct row *rows, size_t count);

/* Adds rows of experiment noise in the same case; rows of other experiments add nothing. */
void noise_report_add_rows(struct noise_report *report, const struct row *rows, size_t count);

/* Returns how far the rate in use is from the second clock's, in parts per million; or NAN. */
double noise_report_clock_error(const struct platform *platform);

/* True if that is so little that times in nanoseconds can be believed; false if it is NAN. */
bool noise_report_clocks_agree(const struct platform *platform);

/* Returns the percentage of visits to the sentinel that found a shared core; NAN: no visits. */
double noise_report_shared_percent(const struct noise_report *report);

/* Writes "interrupts off, gaps to 1.5 us, 3/s over 1 us, 0 SMI, drift 0.1 %", or why nothing was
 * observed. */
void noise_report_observed(const struct noise_report *report, const struct platform *platform,
                           struct text *text);

#endif
