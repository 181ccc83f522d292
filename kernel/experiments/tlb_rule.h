/* walks: what a page walk costs and how many go side by side, from loads that hit the caches. */
#ifndef MLPBOOT_ANALYSIS_WALKS_H
#define MLPBOOT_ANALYSIS_WALKS_H

#include "../data/row.h"
#include "../data/verdict.h"

extern const char *const walks_verdict_names[];

/*
 * Adds `walk_cost` and `parallel_walks` of every case that walks, against the case that does the
 * same without walking: "4k-cold" and "4k-walkmem" against "4k-warm", "4k" against "2m". The cost
 * is the difference for one load; walks side by side are that cost over what each further load
 * adds. `rows` are all rows of the experiment, each case's together and sorted. Pure.
 */
void walks_compare(const struct row *rows, size_t count, struct verdict_list *verdicts);

#endif
