/* smt_rule: what a core has alone, and what beside a sibling thread that works. */
#ifndef MLPBOOT_EXPERIMENTS_SMT_RULE_H
#define MLPBOOT_EXPERIMENTS_SMT_RULE_H

/* A pattern beside the fillers' names: the case that is skipped without a sibling. */
#define SMT_NOBODY "sibling"

/* Metric of a row of each case whose sibling loads: the percentage of visits in which it read. */
#define SMT_READING "reading_percent"

#endif
