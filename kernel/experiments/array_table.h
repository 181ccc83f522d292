/* array_table: latencies by array size as plain text for a console of 80 columns. */
#ifndef MLPBOOT_EXPERIMENTS_ARRAY_TABLE_H
#define MLPBOOT_EXPERIMENTS_ARRAY_TABLE_H

#include "../lib/text.h"
#include "../data/row.h"

/* One case: ticks per load, sizes down and N across, and the curve of N = 1. */
void array_show(const struct row *rows, size_t count, struct text *text);

#endif
