/* table: a run's verdicts and its summary as plain text for the console. */
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

/* A line for each verdict; behind one in doubt, the reason. */
void table_verdicts(const struct verdict *verdicts, size_t count, struct text *text);

#endif
