/* drift: how far a machine's times move by themselves from one moment to another. */
#ifndef MLPBOOT_ANALYSIS_DRIFT_H
#define MLPBOOT_ANALYSIS_DRIFT_H

#include <stdbool.h>

#include "../data/row.h"
#include "interval.h"
#include "statistics.h"

/* Rows of a few points that are measured again and again while an experiment lasts: `stage` counts.
 */
#define DRIFT_METRIC "epoch"

#define DRIFT_LEAST 0.015 /* no run of seconds knows the minutes after it better */

/*
 * By which part of itself a time of this table may be off in another run, minutes later: 95 % of
 * them to either side. From the epochs' variance and Student's t. Where the whole run varies more
 * than neighbouring epochs do (their Allan variance; Allan, "Statistics of atomic frequency
 * standards", 1966), minutes vary more than the run: by the same factor and half as much again (its
 * power of 1.5), the factor being sixteen at most. At least 1.5 percent, of two epochs that alone.
 * False: there are none.
 */
bool drift_share(const struct table *table, double *share);

/* An interval of one of its times, widened by that; as it is where there are too few epochs. */
struct interval drift_widen(struct interval time, const struct table *table);

#endif
