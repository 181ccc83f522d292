/* statistics: what several rules of thumb and theorems share. */
#ifndef MLPBOOT_ANALYSIS_STATISTICS_H
#define MLPBOOT_ANALYSIS_STATISTICS_H

/* Standard deviations to either side that hold 95 % of a normal distribution. */
#define REACH_95 1.96

struct interval {
    double value, low, high;
};

/* The same of Student's distribution, of as many degrees of freedom, at least one. */
double student_95(double freedom);

/* By how much `a` is more than `b`, both at their worst. */
static inline struct interval interval_less(struct interval a, struct interval b)
{
    return (struct interval){a.value - b.value, a.low - b.high, a.high - b.low};
}

#endif
