/* noise_rule: from the rows of experiment noise to what a spinning core noticed. */
#ifndef MLPBOOT_EXPERIMENTS_NOISE_RULE_H
#define MLPBOOT_EXPERIMENTS_NOISE_RULE_H

#include <stdbool.h>

#include "../../data/tables.h"
#include "../../data/verdict.h"
#include "../../lib/text.h"

/*
 * Rows of experiment `noise`. Times are in nanoseconds unless noted.
 *
 * gap: one row per decade, n its lower end's exponent; samples counts the gaps. loop: the time
 * between two readings. threshold: a longer time is a gap. observed: one sample per slice, its
 * length in microseconds. chain: ticks of k dependent additions, which take one core cycle each;
 * one row per slice, `stage` its number. smi: count of system-management interrupts, before and
 * after as two samples; absent where it is not known.
 *
 * Case `core` has one row per slice, `stage` its number. core_shared: for each visit 1 where the
 * core was shared and 0 where it was whole; other visits are discarded.
 */
#define NOISE_GAP "gap"
#define NOISE_LOOP "loop"
#define NOISE_THRESHOLD "threshold"
#define NOISE_OBSERVED "observed"
#define NOISE_CHAIN "chain"
#define NOISE_SMI "smi"
#define NOISE_SHARED "core_shared"

#define NOISE_INTERRUPTS "interrupts" /* the case in which they are on */
#define NOISE_CORE "core"             /* and that of the states of the core */

#define NOISE_BRIEF_MILLISECONDS 50 /* of a brief measurement */

/* Sums over some rows. Times in nanoseconds where no unit is named. */
struct noise_summary {
    double seconds; /* observed; 0: nothing is known */
    double loop, threshold, gap_time, max_gap;
    double gaps, gaps_over_1us;
    unsigned slices;                          /* with a chain's time */
    double fastest, slowest, ticks_per_cycle; /* ticks per cycle of one slice; the mean of all */
    double error;                             /* of a slice, the largest standard error */
    bool smi_known;
    double smi_first, smi_last;
};

/*
 * Adds rows of any order to a summary that starts as zeroes; rows of other experiments and skipped
 * cases add nothing. Call again for rows of another time.
 */
void noise_summary_add(struct noise_summary *summary, const struct row *rows, size_t count);

/* Returns which share of the time a sibling had of the core, by the slices of case core: 0 to 1; 0
 * without slices. */
double noise_share(const struct table *table);

/* Computes the core's change of frequency from its fastest to its slowest slice, in percent of its
 * mean, and the 95 % half width, for all slices at once. False: fewer than two slices. */
bool noise_drift(const struct noise_summary *summary, double *percent, double *half_width);

/* Judges whether that change is too small to matter: each time's interval holds as much
 * (DRIFT_LEAST). False: its interval does not tell. */
bool noise_is_steady(const struct noise_summary *summary, bool *is_steady);

#endif
