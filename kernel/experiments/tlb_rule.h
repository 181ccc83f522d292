/* tlb_rule: what a page walk costs and how many go side by side, from loads that hit the caches. */
#ifndef MLPBOOT_EXPERIMENTS_TLB_RULE_H
#define MLPBOOT_EXPERIMENTS_TLB_RULE_H

#include "../data/tables.h"
#include "../data/verdict.h"

extern const char *const tlb_verdict_names[];

/*
 * Adds `walk_cost` and `parallel_walks` of every case that walks, against the case that does the
 * same without walking: a cold TLB, and page tables in memory, against a warm one; 4 KB pages
 * against 2 MB. The cost is the difference for one load; walks side by side are that cost over what
 * each further load adds. Pure.
 */
void tlb_compare(const struct tables *tables, struct verdict_list *verdicts);

#endif
