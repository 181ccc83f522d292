/* distribution: all samples of one point, kept sorted. */
#ifndef MLPBOOT_ANALYSIS_DISTRIBUTION_H
#define MLPBOOT_ANALYSIS_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

struct distribution {
    uint32_t *sorted; /* the caller's memory, `room` values */
    uint32_t count, room;
    uint32_t discarded; /* samples known to be disturbed, not among `sorted` */
    uint64_t sum;
    uint32_t visits;                    /* told by distribution_end_visit, */
    double visits_mean, visits_squares; /* their medians' mean, and squares off it */
};

void distribution_init(struct distribution *d, uint32_t *memory, uint32_t room);

/*
 * How many of these sorted samples, at least one, taken one after another, were not interrupted: a
 * sample of more than eight times the median of its neighbours was, and is not slow by itself.
 */
uint32_t distribution_undisturbed(const uint32_t *sorted, uint32_t count);

/* Adds sorted samples, in one pass over all; those beyond `room` are dropped. */
void distribution_merge(struct distribution *d, const uint32_t *sorted, uint32_t count);

/* A visit whose samples were merged is over; this was their median. */
void distribution_end_visit(struct distribution *d, double median);

/* Standard deviation of the visits' medians; NAN below two visits. */
double distribution_between_visits(const struct distribution *d);

/* Adds one sample; nothing happens once `room` is used up. */
void distribution_add(struct distribution *d, uint32_t sample);

/* The sample of rank ceil(percent * count / 100), at least the first; 0 to 100. NAN without
 * samples. */
double distribution_percentile(const struct distribution *d, unsigned percent);

/* Mean of the two middle samples where there is no middle one; NAN without samples. */
double distribution_median(const struct distribution *d);
double distribution_mean(const struct distribution *d);

/*
 * The median's 95 % confidence interval by order statistics, from the normal approximation of the
 * binomial: ranks count/2 -+ 0.98 sqrt(count) (Conover, Practical Nonparametric Statistics).
 * False below six samples, where no such interval exists.
 */
bool distribution_median_interval(const struct distribution *d, double *low, double *high);

/* Whether half that interval is within `precision`, a fraction of the median. */
bool distribution_is_precise(const struct distribution *d, double precision);

#endif
