/* loaded_rule: names of the rows of experiment loaded, and of what others do meanwhile. */
#ifndef MLPBOOT_EXPERIMENTS_LOADED_RULE_H
#define MLPBOOT_EXPERIMENTS_LOADED_RULE_H

#include <stdbool.h>

#include "../../data/generators.h"

/*
 * Rows of a case whose pattern says what other cores do; `k` is the pause between their blocks, and
 * empty where they rest. Metric tsc: n loads side by side, in ticks.
 */
#define LOADED_CHAIN "chain"     /* ticks of n loads, each of which needs the one before, */
#define LOADED_SHORT 8           /* n of a short chain, */
#define LOADED_LONG 72           /* and of a long one */
#define LOADED_TRAFFIC "traffic" /* GB/s that the others moved during the visits of n and k */
#define LOADED_PACE "pace"       /* ticks of the sentinel's block at the end of those visits */

/* The work of the other cores; ends with a pattern of NULL. */
struct loaded_work {
    const char *pattern;
    enum generator_work work;
};
extern const struct loaded_work loaded_works[];

#endif
