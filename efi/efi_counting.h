/* efi_counting: the processor's counters as the measurement sees them. */
#ifndef MLPBOOT_EFI_EFI_COUNTING_H
#define MLPBOOT_EFI_EFI_COUNTING_H

#include "../kernel/lib/json.h"
#include "platform_efi.h"

/*
 * Finds out what can be counted, in a quiet section of its own, and fills the platform's members
 * for it. After the address space.
 */
void counting_open(struct platform_efi *platform);

/* Object "counters" of run.json: the unit, and each counter that is not used and why. */
void counting_describe(const struct platform_efi *platform, struct json *json);

#endif
