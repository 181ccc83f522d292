/* power: turbo and energy hints, so that the clock stands still or runs as fast as it can. */
#ifndef MLPBOOT_CPU_POWER_H
#define MLPBOOT_CPU_POWER_H

#include "processor.h"
#include "setting.h"

#define POWER_SETTINGS_MAX 3

/*
 * Turbo as chosen, and the hints to performance; fills a record for each and returns how many.
 * Where the processor chooses its own clock (HWP) and turbo is to be off, it is held at the
 * guaranteed frequency; HWP is never switched on, since only a reset switches it off. Ring 0 with
 * our own IDT loaded. Intel SDM 3B, "Power and thermal management"; AMD APM 2, 17.2.
 */
unsigned power_apply(struct setting settings[POWER_SETTINGS_MAX], struct journal *journal,
                     const struct processor *processor, enum setting_choice turbo);

#endif
