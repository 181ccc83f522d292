/* others: which processors may be generators, beside the one that measures. No firmware header, so
 * that tests can hand it processors of their own. */
#ifndef MLPBOOT_EFI_OTHERS_H
#define MLPBOOT_EFI_OTHERS_H

#include "processors.h"

/*
 * Sets is_chosen of those that may be generators, and of no others: the other threads of the core
 * that measures, or else one thread of each other core, those that are near it first; at most
 * `count`, 0: all there are. Never the one that measures, nor the boot processor, which waits for
 * it. Returns how many; 0: *reason says why.
 */
unsigned others_choose(struct processors *processors, bool are_siblings, unsigned count,
                       bool (*is_near)(const struct logical_processor *l), const char **reason);

#endif
