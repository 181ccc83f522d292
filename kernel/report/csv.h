/* csv: the lines of results.csv and verdicts.csv. */
#ifndef MLPBOOT_REPORT_CSV_H
#define MLPBOOT_REPORT_CSV_H

#include "../data/row.h"
#include "../data/verdict.h"
#include "../lib/text.h"

#define CSV_ROW_MAX 1400 /* no line is longer, its newline included */

extern const char csv_results_header[]; /* with its newline */
extern const char csv_verdicts_header[];

/* Append one line. Fields with a comma, a quote or a newline are quoted as in RFC 4180. */
void csv_result(struct text *text, const struct row *row);
void csv_verdict(struct text *text, const struct verdict *verdict);

#endif
