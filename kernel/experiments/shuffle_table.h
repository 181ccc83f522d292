/* shuffle_table: one case's throughput on the console, as the published table has it. */
#ifndef MLPBOOT_EXPERIMENTS_SHUFFLE_TABLE_H
#define MLPBOOT_EXPERIMENTS_SHUFFLE_TABLE_H

#include "../lib/text.h"
#include "../data/row.h"

/* As experiment.h says: swaps per microsecond, sizes down, up to nine stages across. */
void shuffle_show(const struct row *rows, size_t count, struct text *text);

#endif
