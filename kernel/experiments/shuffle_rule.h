/* shuffle_rule: from the rows of experiment shuffle to what staging does for it. */
#ifndef MLPBOOT_EXPERIMENTS_SHUFFLE_RULE_H
#define MLPBOOT_EXPERIMENTS_SHUFFLE_RULE_H

#include "../data/tables.h"
#include "../data/verdict.h"
#include "../lib/text.h"
#include "../probe/shuffle_loops.h"

/*
 * Rows of experiment `shuffle`. tsc, ns: time of k swaps in a row, by `bytes` of the array and
 * `stage`; a size without memory has one row without samples. checksum: 32 bits that tell the order
 * the array was left in. Counts, where there are counters: metric is the event's key, k, `bytes`
 * and `stage` as for tsc.
 */
#define SHUFFLE_CHECKSUM_NAME "checksum"

/* What a case's pattern says. */
struct shuffle_pattern {
    const char *name;
    enum shuffle_loop loop;
    enum shuffle_source source;
    const char *plain; /* the pattern it is compared with; NULL: this one is plain */
};

/* All of them; without a name at the end. */
extern const struct shuffle_pattern shuffle_patterns[];

extern const char *const shuffle_verdict_names[];

/*
 * Adds for each case, from medians of the largest size measured (`method` has the smaller ones, as
 * far as there is room): swap_ticks, of the fastest stage; and for the plain loop plain_flatness,
 * by how many percent the slowest stage is above the fastest, noise alone; for the staged loop
 * best_stage, low to high those no slower as far as the samples tell, and staged_gain, by how many
 * percent the plain loop's swap_ticks are above the staged one's. For both mlp_counted with the
 * longest stage, misses outstanding per cycle with a miss; none where that was not counted. Pure.
 */
void shuffle_compare(const struct tables *tables, struct verdict_list *verdicts);

/* As experiment.h says: swaps per microsecond, sizes down, up to nine stages across. */
void shuffle_show(const struct table *table, struct text *text);

#endif
