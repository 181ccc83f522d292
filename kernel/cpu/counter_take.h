/* counter_take: the counters found out about once, and taken over for each quiet section. */
#ifndef MLPBOOT_CPU_COUNTER_TAKE_H
#define MLPBOOT_CPU_COUNTER_TAKE_H

#include "counters.h"
#include "journal.h"

/*
 * The first time: describes the unit, sets aside what firmware uses, and tests each counter; a few
 * milliseconds. Every time: takes every usable counter over, that is, notes its registers in the
 * journal, stops and clears it. A counter that refuses is dropped from unit.usable with a reason.
 *
 * journal_undo is the only way back, in this order: stop, selectors, counters, the overflow bits
 * we caused, global control as it was. `counters`
 * starts as all zero and stays with one core. Ring 0 with our own IDT loaded, interrupts off.
 */
void counters_enter(struct counters *counters, const struct processor *processor,
                    struct journal *journal);

#endif
