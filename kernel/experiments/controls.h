/* controls: takes an `ok` from any verdict, whichever rule gave it. */
#ifndef MLPBOOT_EXPERIMENTS_CONTROLS_H
#define MLPBOOT_EXPERIMENTS_CONTROLS_H

#include "experiment.h"
#include "noise/floor_rule.h"

/* Turns `ok` into doubt, with the reason, in one experiment's verdicts: where instructions are
 * emulated; of a structure that a sibling thread takes a part of, where it is not known whether the
 * core was whole; where more samples were discarded than kept; and where the rule has a doubt. */
void controls_apply(const struct experiment *experiment, const struct floor *floor,
                    const struct tables *tables, struct verdict *verdicts, size_t count);

#endif
