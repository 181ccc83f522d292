/* efi_counting: offers the processor's counters to the measurement. */
#ifndef MLPBOOT_EFI_EFI_COUNTING_H
#define MLPBOOT_EFI_EFI_COUNTING_H

#include "../kernel/lib/json.h"
#include "platform_efi.h"

/*
 * Discovers the counters in a quiet section of its own, and fills the platform's members for them.
 * Needs the address space.
 */
void counting_open(struct platform_efi *platform);

/* Adds the object "counters" of run.json: the unit, and why each unused counter is not used. */
void counting_describe(const struct platform_efi *platform, struct json *json);

#endif
