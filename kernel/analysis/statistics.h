/* statistics: what several rules of thumb and theorems share. */
#ifndef MLPBOOT_ANALYSIS_STATISTICS_H
#define MLPBOOT_ANALYSIS_STATISTICS_H

#define REACH_95                                                                                   \
    1.96 /* standard deviations to either side that hold 95 % of a normal distribution */

struct interval {
    double value, low, high;
};

#endif
