/* prefetch: switches the hardware prefetchers of the running core off or on. */
#ifndef MLPBOOT_CPU_PREFETCH_H
#define MLPBOOT_CPU_PREFETCH_H

#include "msr_switch.h"
#include "processor.h"

#define PREFETCH_SWITCHES_MAX 3

/*
 * Fills one record for each register that controls prefetchers on this model, at least one, and
 * returns how many; SETTING_LEAVE writes none. The registers belong to a physical core. Needs
 * ring 0 with our own IDT. The sources stand beside the table.
 */
unsigned prefetch_apply(struct msr_switch switches[PREFETCH_SWITCHES_MAX], struct journal *journal,
                        const struct processor *processor, enum core_type type,
                        enum setting_choice choice);

#endif
