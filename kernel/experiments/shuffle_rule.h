/* shuffle_rule: from the rows of experiment shuffle to what staging does for it. */
#ifndef MLPBOOT_ANALYSIS_SHUFFLE_RULE_H
#define MLPBOOT_ANALYSIS_SHUFFLE_RULE_H

#include "../data/row.h"
#include "../data/verdict.h"

/*
 * Rows of experiment `shuffle`, cases named loop, index source, page size. tsc: ticks of k swaps in
 * a row, by `bytes` of the array and `stage`; a size without memory has one row without samples.
 * checksum: 32 bits that tell the order the array was left in. Counts, where there are counters:
 * metric is the event's key, k, `bytes` and `stage` as for tsc.
 */
#define SHUFFLE_PLAIN_NAME "plain"
#define SHUFFLE_STAGED_NAME "staged"
#define SHUFFLE_CHECKSUM_NAME "checksum"

extern const char *const shuffle_verdict_names[];

/*
 * Adds for each case, from medians of the largest size measured (`method` has the smaller ones, as
 * far as there is room): swap_ticks, of the fastest stage; and for the plain loop plain_flatness,
 * by how many percent the slowest stage is above the fastest, noise alone; for the staged loop
 * best_stage, low to high those no slower as far as the samples tell, and staged_gain, by how many
 * percent the plain loop's swap_ticks are above the staged one's. For both mlp_counted with the
 * longest stage, misses outstanding per cycle with a miss; none where that was not counted. `rows`
 * are all rows of the experiment, each case's together. Pure.
 */
void shuffle_compare(const struct row *rows, size_t count, struct verdict_list *verdicts);

/* The largest size with samples below `below` bytes; 0: there is none. Rows of one case. */
int64_t shuffle_size_below(const struct row *rows, size_t count, int64_t below);

#endif
