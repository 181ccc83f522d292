/* distribution: all samples of one point, kept sorted. */
#ifndef MLPBOOT_ANALYSIS_DISTRIBUTION_H
#define MLPBOOT_ANALYSIS_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

/* The mean of some values, and the squares by which they are off it. */
struct spread {
    double mean, squares;
};

struct distribution {
    uint32_t *sorted; /* the caller's memory, `room` values */
    uint32_t count, room;
    uint32_t step;      /* of the clock that took them; up to 1: finer than a sample can tell */
    uint32_t discarded; /* samples known to be disturbed, not among `sorted` */
    uint64_t sum;
    uint32_t visits; /* told by distribution_end_visit, and their centres and means */
    struct spread centers, means;
};

/* Empty. The clock's step is set by whoever knows it. */
void distribution_init(struct distribution *d, uint32_t *memory, uint32_t room);

/*
 * How many of these sorted samples, at least one, taken one after another, were not interrupted: a
 * sample of more than eight times the median of its neighbours was, and is not slow by itself.
 */
uint32_t distribution_undisturbed(const uint32_t *sorted, uint32_t count);

/* Adds sorted samples, in one pass over all; those beyond `room` are dropped. */
void distribution_merge(struct distribution *d, const uint32_t *sorted, uint32_t count);

/* A visit is over; these were its samples, all merged: at least one. */
void distribution_end_visit(struct distribution *d, const uint32_t *sorted, uint32_t count);

/* Adds one sample; nothing happens once `room` is used up. */
void distribution_add(struct distribution *d, uint32_t sample);

/* The sample of rank ceil(percent * count / 100), at least the first; 0 to 100. NAN without
 * samples. */
double distribution_percentile(const struct distribution *d, unsigned percent);

/* The first percentile between a clock's steps, as the centre is; from the least sample to the
 * tenth percentile. NAN without samples. */
double distribution_fastest(const struct distribution *d);

/* Mean of the two middle samples where there is no middle one; NAN without samples. */
double distribution_median(const struct distribution *d);
double distribution_mean(const struct distribution *d);

/*
 * The median of a clock that moves in steps, finer than those: each sample counts as anything
 * within half a step of it (the median of grouped data; Yule, An Introduction to the Theory of
 * Statistics). Of samples that hardly differ it is the mean. It needs samples that begin at random
 * places of a step. NAN without samples.
 */
double distribution_center(const struct distribution *d);

/*
 * The centre's 95 % confidence interval by order statistics, from the normal approximation of the
 * binomial: ranks count/2 -+ 0.98 sqrt(count) (Conover, Practical Nonparametric Statistics).
 * False below six samples, where no such interval exists.
 */
bool distribution_median_interval(const struct distribution *d, double *low, double *high);

/* Whether half that interval is within `precision`, a fraction of the centre. */
bool distribution_is_precise(const struct distribution *d, double precision);

/* Whether the 95 % interval of a percentile, by order statistics as above, is no wider than this
 * share of it, or than a step of the clock. */
bool distribution_is_placed(const struct distribution *d, unsigned percent, double share);

/*
 * Standard errors of centre and mean: of the visits' scatter, since what changes from visit to
 * visit is not seen within one; of the centre at least that interval's, and of both what so many
 * samples leave open of a clock's step. Student's t of visits - 1 makes them an
 * interval. NAN below two visits.
 */
double distribution_center_error(const struct distribution *d);
double distribution_mean_error(const struct distribution *d);

#endif
