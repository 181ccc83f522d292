/* power: sets turbo and energy hints, for a clock that stands still or runs its fastest. */
#ifndef MLPBOOT_CPU_POWER_H
#define MLPBOOT_CPU_POWER_H

#include "msr_switch.h"
#include "processor.h"

#define POWER_SWITCHES_MAX 3

/*
 * Sets turbo as chosen, and with either choice the hints to performance; SETTING_LEAVE only reads.
 * Fills a record for each and returns how many. If the processor chooses its own clock (HWP) and
 * turbo is to be off, holds it at the guaranteed frequency; never switches HWP on, since only a
 * reset switches it off. Needs ring 0 with our own IDT. Intel SDM 3B, "Power and thermal
 * management"; AMD APM 2, 17.2.
 */
unsigned power_apply(struct msr_switch switches[POWER_SWITCHES_MAX], struct journal *journal,
                     const struct processor *processor, enum setting_choice turbo);

#endif
