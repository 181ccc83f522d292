/* drift: how much a machine's times change from one moment to another. */
#ifndef MLPBOOT_ANALYSIS_DRIFT_H
#define MLPBOOT_ANALYSIS_DRIFT_H

#include "../data/row.h"
#include "interval.h"
#include "statistics.h"

/* Rows of the reference points, measured again and again during an experiment: `stage` counts. */
#define DRIFT_METRIC "epoch"

#define DRIFT_LEAST 0.015 /* a run of seconds does not predict the minutes after it better */

/*
 * Returns by which share two times of this table may move against each other, at 95 %: from how far
 * the points of each epoch are off their own means, compared with each other, without what the
 * scatter of their visits explains. At least DRIFT_LEAST; 0: no epochs.
 */
double drift_between(const struct table *table);

/*
 * Returns by which share of itself a time of this table may be off in another run, minutes later,
 * at 95 %: from the epochs' variance and Student's t. If the whole run varies more than
 * neighbouring epochs do (their Allan variance; Allan, "Statistics of atomic frequency standards",
 * 1966), minutes vary more than the run: by that factor to the power of 1.5, the factor being at
 * most 16. Below three epochs, and at the least, it is DRIFT_LEAST. 0: no epochs.
 */
double drift_later(const struct table *table);

/* Widens the interval of one of the table's times by that. */
struct interval drift_widen(struct interval time, const struct table *table);

#endif
