/* walk_table: a walk's case on the console. */
#ifndef MLPBOOT_EXPERIMENTS_WALK_TABLE_H
#define MLPBOOT_EXPERIMENTS_WALK_TABLE_H

#include "../lib/text.h"
#include "../data/row.h"

/* Everything per access: times, and what was counted. */
void walk_show(const struct row *rows, size_t count, struct text *text);

#endif
