/* floor_rule: what measuring itself costs, and how far above that other values stand. */
#ifndef MLPBOOT_EXPERIMENTS_FLOOR_RULE_H
#define MLPBOOT_EXPERIMENTS_FLOOR_RULE_H

#include <stdbool.h>

#include "../answer.h"

/*
 * Rows of experiment `floor`, in ticks unless noted.
 *
 * Case timer: `pair`, between two timestamps back to back; `least`, the smallest of those that is
 * not 0; `step`, the distance between intervals that comes most often. Cases lfence and cpuid:
 * `tsc`, N = 0, K = 0, an empty sample whose timestamps are ordered by that instruction. Case core:
 * `tsc`, k register-to-register additions on n registers in turn, so that n = 1 is a chain of one
 * core cycle each, and 9-byte NOPs where n = 0; `forward`, k loads of what the store before each
 * wrote, in n chains; `rate`, ticks in a second, absent where they are
 * not a processor's; `width`, the additions a cycle that are published of this processor, absent
 * where none are; `alone`, 1 where the core is known to have no other thread that is awake;
 * `emulated`, 1 where instructions are known to be; `hypervisor`, 1 where there is one;
 * `small_host_pages`, 1 where pieces of a large page have translations of their own (host_pages.h).
 * Case payload: `instructions`, counted of k additions.
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
#define FLOOR_FORWARD "forward"
#define FLOOR_RATE "rate"
#define FLOOR_WIDTH "width"
#define FLOOR_ALONE "alone"
#define FLOOR_EMULATED "emulated"

/* Returns the empty sample of a case lfence or cpuid; NULL: none was measured. */
const struct row *floor_empty_sample(const struct table *table);

/* Returns why case core's times may not be the whole core's: its additions were far slower than is
 * published. */
enum reason floor_doubt_pace(const struct table *core);

/* True if case core's times are no processor's: additions that need each other take a cycle each on
 * any processor, and others less. */
bool floor_is_emulator(const struct table *core);

/*
 * Adds `above_floor` to the case of one experiment other than floor that has the smallest median
 * time (metric tsc, in ticks): that time in empty samples of the same order; doubt where it is
 * within their deciles. Adds nothing where no case has a time or there is no such empty sample.
 */
void floor_compare(const struct evidence *evidence);

#endif
