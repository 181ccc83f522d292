/* loads_table: N loads and K fillers as plain text for a console of 80 columns. */
#ifndef MLPBOOT_EXPERIMENTS_LOADS_TABLE_H
#define MLPBOOT_EXPERIMENTS_LOADS_TABLE_H

#include "../data/row.h"
#include "../lib/text.h"

/* Both as experiment.h says. Medians, N down and K across (at most ten values of K), and the curve
 * of N = 2. */
void loads_show(const struct table *table, struct text *text);

/* The curve of N = 2 alone. */
void loads_show_curve(const struct table *table, struct text *text);

#endif
