/* prefetch: the hardware prefetchers of the core we run on, off or on. */
#ifndef MLPBOOT_CPU_PREFETCH_H
#define MLPBOOT_CPU_PREFETCH_H

#include "processor.h"
#include "setting.h"

#define PREFETCH_SETTINGS_MAX 3

/*
 * Fills one record per register that controls prefetchers on this model, at least one, and returns
 * how many. The registers belong to a physical core. Ring 0 with our own IDT loaded. Sources stand
 * beside the table.
 */
unsigned prefetch_apply(struct setting settings[PREFETCH_SETTINGS_MAX], struct journal *journal,
                        const struct processor *processor, enum core_type type,
                        enum setting_choice choice);

#endif
