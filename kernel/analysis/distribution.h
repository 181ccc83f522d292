/* distribution: all samples of one point, kept sorted. */
#ifndef MLPBOOT_ANALYSIS_DISTRIBUTION_H
#define MLPBOOT_ANALYSIS_DISTRIBUTION_H

#include <stdbool.h>

#include "moments.h"

struct distribution {
    uint32_t *sorted; /* the caller's memory, `room` values */
    uint32_t count, room;
    uint32_t step;      /* of the clock, in ticks; up to 1: finer than a sample can tell */
    uint32_t discarded; /* samples known to be disturbed, not among `sorted` */
    uint64_t sum;
    uint32_t visits; /* counted by distribution_end_visit, with their centres and means */
    struct moments centers, means;
};

/* Starts empty; the caller sets the clock's step. */
void distribution_init(struct distribution *d, uint32_t *memory, uint32_t room);

/* Returns how many of these sorted samples, at least one, taken one after another, were not
 * interrupted. A sample above eight times its neighbours' median, and above eight steps of the
 * clock, was interrupted: what takes less than a step is often read as none. */
uint32_t distribution_undisturbed(const uint32_t *sorted, uint32_t count, uint32_t step);

/* Adds sorted samples, in one pass over all; those beyond `room` are dropped. */
void distribution_merge(struct distribution *d, const uint32_t *sorted, uint32_t count);

/* Ends a visit; these were its samples, at least one, all merged. */
void distribution_end_visit(struct distribution *d, const uint32_t *sorted, uint32_t count);

/* Adds one sample, if there is room. */
void distribution_add(struct distribution *d, uint32_t sample);

/* All below are NAN without samples. Returns the sample of rank ceil(percent * count / 100), at
 * least the first; 0 to 100. */
double distribution_percentile(const struct distribution *d, unsigned percent);

/* Returns the first percentile between a clock's steps, as distribution_center does; from the least
 * sample to the tenth percentile. */
double distribution_fastest(const struct distribution *d);

/* Returns the middle sample, or the mean of the two middle ones. */
double distribution_median(const struct distribution *d);
double distribution_mean(const struct distribution *d);

/*
 * Returns the median between a clock's steps: each sample counts as anything within half a step of
 * it (the median of grouped data; Yule, An Introduction to the Theory of Statistics). For samples
 * that hardly differ it is the mean. Samples have to begin at random places of a step.
 */
double distribution_center(const struct distribution *d);

/*
 * True if half the centre's 95 % confidence interval is within `precision`, a fraction of the
 * centre. It is by order statistics, from the normal approximation of the binomial: ranks
 * count/2 -+ 0.98 sqrt(count) (Conover, Practical Nonparametric Statistics). False below six
 * samples, where no such interval exists.
 */
bool distribution_is_precise(const struct distribution *d, double precision);

/* True if a percentile's 95 % interval (order statistics) is within this share of it or a step. */
bool distribution_is_placed(const struct distribution *d, unsigned percent, double share);

/*
 * Return the standard error of centre or mean, from the scatter between visits: samples of one
 * visit resemble each other more than samples of different visits. It is at least what a clock's
 * step leaves open, and a centre's at least that of the interval above. Student's t of visits - 1
 * makes it an interval. NAN below two visits.
 */
double distribution_center_error(const struct distribution *d);
double distribution_mean_error(const struct distribution *d);

#endif
