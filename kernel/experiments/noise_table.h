/* noise_table: a case of experiment noise on the console. */
#ifndef MLPBOOT_EXPERIMENTS_NOISE_TABLE_H
#define MLPBOOT_EXPERIMENTS_NOISE_TABLE_H

#include "../lib/text.h"
#include "../data/row.h"

/* As experiment.h says: the histogram of gaps. */
void noise_show(const struct row *rows, size_t count, struct text *text);

#endif
