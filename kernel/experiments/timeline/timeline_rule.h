/* timeline_rule: what the experiment and its rule both name. */
#ifndef MLPBOOT_EXPERIMENTS_TIMELINE_RULE_H
#define MLPBOOT_EXPERIMENTS_TIMELINE_RULE_H

/* The control's case, and its body: so many additions, each of which waits for the one before. */
#define TIMELINE_ADDITIONS "additions"
#define TIMELINE_ADDITIONS_COUNT 64

#endif
