/* statistics: what several rules of thumb and theorems share. */
#ifndef MLPBOOT_ANALYSIS_STATISTICS_H
#define MLPBOOT_ANALYSIS_STATISTICS_H

/* Standard deviations to either side that hold 95 % of a normal distribution. */
#define NORMAL_95 1.96

/* The same of Student's distribution, of as many degrees of freedom, at least one. */
double student_95(double freedom);

#endif
