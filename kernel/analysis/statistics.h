/* statistics: quantiles, and the larger and the smaller of two numbers. */
#ifndef MLPBOOT_ANALYSIS_STATISTICS_H
#define MLPBOOT_ANALYSIS_STATISTICS_H

/* Standard deviations to either side that hold 95 % of a normal distribution. */
#define NORMAL_95 1.96

/* Standard deviations of a normal distribution from its first decile to its last. */
#define DECILES_APART 2.563

/* A median's standard error over the mean's, of normal samples: the root of half of pi (Kenney and
 * Keeping, Mathematics of Statistics). */
#define MEDIAN_ERROR 1.253

/* The levels by which an answer counts, as shares of its value. PRECISE_WITHIN: its interval
 * reaches less far to either side. WIDEST_SHARE: of one that is placed between points, from
 * end to end. SAME_SHARE: two numbers are the same that are no farther apart. */
#define PRECISE_WITHIN 0.05
#define WIDEST_SHARE 0.3
#define SAME_SHARE 0.03

/* Two points are on a line and may agree by chance; a third one tells. */
#define FEWEST_POINTS 3

/* A share of all visits, or of all samples: a state with fewer is not relied on. */
#define RARE 0.1

/* Returns log2 of a normal number above 0, to 12 digits; exact for powers of two. */
double log2_of(double x);

/* Returns what NORMAL_95 is, of Student's distribution; at least one degree of freedom. */
double student_95(double freedom);

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

#endif
