/* floor_rule: what measuring itself costs, and how far above that other values stand. */
#ifndef MLPBOOT_EXPERIMENTS_FLOOR_RULE_H
#define MLPBOOT_EXPERIMENTS_FLOOR_RULE_H

#include <stdbool.h>

#include "../../data/tables.h"
#include "../../data/verdict.h"
#include "../../lib/text.h"

/*
 * Rows of experiment `floor`, in ticks where nothing else is said.
 *
 * Case timer: `pair`, between two timestamps back to back; `least`, the smallest of those that is
 * not 0; `step`, the distance between intervals that comes most often. Cases lfence and cpuid:
 * `tsc`, N = 0, K = 0, an empty sample whose timestamps are ordered by that instruction. Case core:
 * `tsc`, k register-to-register additions on n registers in turn, so that n = 1 is a chain of one
 * core cycle each, and NOPs where n = 0; `rate`, ticks in a second, absent where they are not a
 * processor's; `width`, the additions a cycle that are published of this processor, absent where
 * none are; `emulated`, 1 where instructions are known to be. Case payload: `instructions`, counted
 * of k additions.
 */
#define FLOOR_EXPERIMENT "floor"
#define FLOOR_TIMER "timer"
#define FLOOR_LFENCE "lfence"
#define FLOOR_CPUID "cpuid"
#define FLOOR_CORE "core"
#define FLOOR_PAYLOAD "payload"
#define FLOOR_PAIR "pair"
#define FLOOR_LEAST "least"
#define FLOOR_STEP "step"
#define FLOOR_RATE "rate"
#define FLOOR_WIDTH "width"
#define FLOOR_EMULATED "emulated"

/* What is under all other experiments. Starts as zeroes. */
struct floor {
    struct row empty[ORDER_CPUID + 1]; /* by order of timestamps; without samples: there is none */
    double step;                       /* of the clock, in ticks; 0: not known */
    bool is_complete;                  /* it was measured in this run, and by this version */
    bool has_width;                    /* it is published what the core can do */
    const char *emulated;              /* why nothing here is a measurement; NULL */
};

/* Takes over what is said of it among tables of all experiments; what is not stays as it is. */
void floor_find(const struct tables *tables, struct floor *floor);

/*
 * Adds `above_floor` from the tables of one experiment other than floor: its smallest median time
 * (metric tsc, in ticks) in empty samples of the same order, in the case where it stands; doubt
 * where it is within the deciles of those. Nothing is added where there is no such row, or no floor
 * to compare with.
 */
void floor_compare(const struct floor *floor, const struct tables *tables,
                   struct verdict_list *verdicts);

#endif
