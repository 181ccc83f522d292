/* table: an experiment's rows and a run's verdicts as plain text for a console of 80 columns. */
#ifndef MLPBOOT_REPORT_TABLE_H
#define MLPBOOT_REPORT_TABLE_H

#include "../data/row.h"
#include "../lib/text.h"
#include "verdict_index.h"

#define TABLE_BYTES_MAX 16384 /* no table needs more */

/*
 * The summary of IIT Delhi 2018, table 6.1, of every case that has an `mlp` verdict (summary.h),
 * and what a page walk costs there. Empty where none has.
 */
void table_summary(const struct verdict_index *verdicts, struct text *text);

/*
 * How far above the floor of measuring an experiment's smallest value stands, in one line; empty
 * where none of its verdicts is `above_floor`.
 */
void table_above_floor(const struct verdict *verdicts, size_t count, struct text *text);

/* Two or three lines each. */
void table_verdicts(const struct verdict *verdicts, size_t count, struct text *text);

#endif
