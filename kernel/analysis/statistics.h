/* statistics: quantiles, and the larger and the smaller of two numbers. */
#ifndef MLPBOOT_ANALYSIS_STATISTICS_H
#define MLPBOOT_ANALYSIS_STATISTICS_H

/* Standard deviations to either side that hold 95 % of a normal distribution. */
#define NORMAL_95 1.96

/* Returns the same of Student's distribution; at least one degree of freedom. */
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
