/* plot: a curve in plain text. */
#ifndef MLPBOOT_LIB_PLOT_H
#define MLPBOOT_LIB_PLOT_H

#include <stddef.h>

#include "text.h"

/*
 * Draws y over x in 64 by 12 characters with both axes' ends written, y from 0. At least two points
 * with different x; y not negative.
 */
void plot_curve(const double *x, const double *y, size_t count, struct text *text);

#endif
