/* logarithm: log2 where there is no libm. */
#ifndef MLPBOOT_LIB_LOGARITHM_H
#define MLPBOOT_LIB_LOGARITHM_H

/* The logarithm to base 2, to 12 digits; exact for powers of two. x is normal and above 0. */
double log2_of(double x);

#endif
