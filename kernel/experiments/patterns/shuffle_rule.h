/* shuffle_rule: names of the rows and patterns of experiment shuffle. */
#ifndef MLPBOOT_EXPERIMENTS_SHUFFLE_RULE_H
#define MLPBOOT_EXPERIMENTS_SHUFFLE_RULE_H

#include "../../data/tables.h"
#include "../../data/verdict.h"
#include "../../lib/text.h"
#include "../../probe/shuffle_loops.h"

/*
 * Rows of experiment `shuffle`. tsc, ns: time of k swaps in a row, by `bytes` of the array and
 * `stage`, in pass n over the array; a size without memory has one row without samples. checksum:
 * 32 bits that tell the order the array was left in. Counts, where there are counters: metric is
 * the event's key; k, `bytes` and `stage` are as for tsc, and there is no n.
 */
#define SHUFFLE_CHECKSUM_NAME "checksum"

#define SHUFFLE_PASSES 3 /* over the array; older runs have fewer */

/* The meaning of a case's pattern. */
struct shuffle_pattern {
    const char *name;
    enum shuffle_loop loop;
    enum shuffle_source source;
    const char *plain; /* the pattern it is compared with; NULL: this one is plain */
};

/* All patterns; the last has no name. */
extern const struct shuffle_pattern shuffle_patterns[];

#endif
